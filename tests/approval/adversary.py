"""A client that controls everything but the keys tries to act without a person: `python -m tests.approval.adversary`.

It has all of MCP and HTTP, two replicas, the endpoints of the page, a key of its own, and whatever people have
signed for other acts. People sign some acts as they see them. Each act that the tools do must be one that was
signed, for the same tool, arguments and principal, and no signed act may be done twice.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx2
from toolgen.testing.test_key import TestKey

from tests.end_to_end.project import Project, bearer, token_of
from tests.end_to_end.replicas import free_port

SEED: Final = 20261129
MODERN: Final = "2026-07-28"
EXPIRY: Final = 3  # seconds, of the third replica
BODY = """
async def execute(self, request, context):
    act = [context.tool_name, request.model_dump(mode="json"), context.principal, context.approval.approvers]
    with open("acts.jsonl", "a") as file:
        file.write(json.dumps(act) + "\\n")
    return "done"
"""
PREVIEW = """
async def preview(self, request, context):
    return pathlib.Path("balance.txt").read_text()
"""
PROPERTIES = "order: {type: integer}, amount: {type: number}"
CONFIRM = "confirm: {message: 'Refund {amount} for {order}?', proof: person, approvers: [finance], %s}"
Body = dict[str, Any]


def make_project(folder: Path, keys: Mapping[str, TestKey]) -> Project:
    """Return a project with two tools: a refund with a preview, and a payment that two people approve."""
    project = Project.create(folder)
    before = "import json, pathlib"
    refund, pay = CONFIRM % "preview: true", CONFIRM % "quorum: 2"
    project.add_plain_tool("refund", BODY + PREVIEW, before=before, more=refund, properties=PROPERTIES)
    project.add_plain_tool("pay", BODY, before=before, more=pay, properties=PROPERTIES)
    project.write("balance.txt", "100")
    groups = {
        "ann": ["finance"],
        "ann2": ["finance"],
        "bob": ["finance"],
        "zoe": ["finance"],
        "eve": ["support"],
    }
    entries = [key.entry(name.rstrip("2"), groups[name]) for name, key in keys.items() if name in groups]
    project.write("approvers.toml", "\n".join(entries)).chmod(0o600)
    project.generate()
    return project


@dataclass
class Adversary:
    """Tries, and what people have signed."""

    project: Project
    keys: Mapping[str, TestKey]
    origin: str
    servers: list[str]  # URLs of MCP; approvals of the last one expire soon
    http: httpx2.AsyncClient
    random: random.Random
    tries: Counter[str] = field(default_factory=Counter)
    signed: Counter[str] = field(default_factory=Counter)
    counters: Counter[str] = field(default_factory=Counter)
    order: int = 0
    me: str = "mallory0"  # who calls: one caller has few approvals open

    def new(self) -> Body:
        """Return arguments that were not used before."""
        self.order += 1
        return {"order": self.order, "amount": self.random.choice([1, 2.5, 2**53 + self.order])}

    async def call(
        self, tool: str, arguments: Body, by: str = "", at: int | None = None, **params: Any
    ) -> Body:
        """Call a tool of a replica; return the result, or the error of the protocol."""
        url = self.servers[self.random.randrange(2) if at is None else at]
        meta = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
            **params.pop("meta", {}),
        }
        content = {"name": tool, "arguments": arguments, "_meta": meta, **params}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": content}
        headers = {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": tool}
        accept = {"accept": "application/json, text/event-stream"}
        answer = await self.http.post(
            url, json=message, headers={**headers, **accept, **bearer(token_of(by or self.me))}
        )
        text = answer.text
        if "data: " in text:
            text = [line[6:] for line in text.splitlines() if line.startswith("data: ")][-1]
        found: Body = json.loads(text)
        return found.get("result", found)

    async def open(
        self, tool: str = "refund", arguments: Body | None = None, **where: Any
    ) -> tuple[Body, str]:
        """Return the arguments of a call that waits for approval, and the id of the approval."""
        arguments = self.new() if arguments is None else arguments
        answer = await self.call(tool, arguments, **where)
        return arguments, answer["_meta"]["toolgen/approval"]["id"]

    async def request(self, approval: str) -> Body:
        """Return what the page gets of an approval."""
        answer = await self.http.get(f"{self._page(approval)}/request")
        found: Body = answer.json()
        return found

    async def post(self, approval: str, body: Any, **headers: str) -> int:
        """Post to the page as a browser does, but for `headers`."""
        sent = {"origin": self.origin, "host": self.origin.removeprefix("http://"), **headers}
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent.setdefault("content-type", "application/json")
        return (await self.http.post(self._page(approval), content=data, headers=sent)).status_code

    def _page(self, approval: str) -> str:
        return f"{self.servers[self.random.randrange(2)].removesuffix('/mcp')}/approvals/{approval}"

    def credential(self, who: str, request: Body, **options: Any) -> Body:
        """Sign a request with somebody's key, as a browser would unless `options` say otherwise."""
        self.counters[who] += 1
        made = {"origin": self.origin, "counter": self.counters[who], **options}
        digest = made.pop("digest", request["digest"])
        return self.keys[who].sign(digest, made.pop("origin"), **made)

    async def approve(self, approval: str, *people: str) -> Body:
        """Let people sign what they see. From then on, the act may be done once."""
        request = await self.request(approval)
        for who in people:
            credential = self.credential(who, request)
            assert await self.post(approval, {"credential": credential}) == 200
        act = json.loads(request["act"])
        self.signed[_act(act["tool"], act["arguments"], act["principal"])] += 1
        return credential


def _act(tool: str, arguments: Any, principal: str | None) -> str:
    return json.dumps([tool, arguments, principal], sort_keys=True)


WRONG: Final[Mapping[str, tuple[str, Body]]] = {
    "a key outside of the group": ("eve", {}),
    "a key that nobody knows": ("mallory", {}),
    "another port of localhost": ("ann", {"origin": "http://localhost:1"}),
    "another site": ("ann", {"origin": "https://localhost"}),
    "a frame of another site": ("ann", {"crossOrigin": True}),
    "nobody was verified": ("ann", {"flags": 1}),
    "an older counter": ("ann", {"counter": 1}),
    "a registration": ("ann", {"type": "webauthn.create"}),
    "another act": ("ann", {"digest": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}),
}
"""Signatures that must not count: whose, and what is wrong."""


async def wrong_signature(it: Adversary) -> None:
    """Sign wrongly, and act."""
    what, (who, options) = it.random.choice(list(WRONG.items()))
    arguments, approval = await it.open()
    if what == "an older counter":  # the key has counted further
        await it.approve((await it.open())[1], "ann")
    status = await it.post(
        approval, {"credential": it.credential(who, await it.request(approval), **options)}
    )
    assert status == 403, (what, status)
    await it.call("refund", arguments)


async def altered_signature(it: Adversary) -> None:
    """Change one part of a good signature: a bit, padding, spaces, another alphabet, or nothing there."""
    arguments, approval = await it.open()
    credential = it.credential("ann", await it.request(approval))
    response = credential["response"]
    part = it.random.choice(["authenticatorData", "clientDataJSON", "signature"])
    text = response[part]
    place = it.random.randrange(len(text) - 2)
    changed = "A" if text[place] != "A" else "B"
    texts = [
        text[:place] + changed + text[place + 1 :],
        text + "=",
        text + " ",
        "",
        None,
        7,
        text[:-1] + "\n",
    ]
    response[part] = it.random.choice(texts)
    assert await it.post(approval, {"credential": credential}) in (400, 403)
    await it.call("refund", arguments)


async def replayed_signature(it: Adversary) -> None:
    """Use a signature under another act, and twice under its own."""
    signed, first = await it.open()
    credential = await it.approve(first, "ann")
    arguments, approval = await it.open()
    assert await it.post(approval, {"credential": credential}) == 403
    await it.post(first, {"credential": credential})
    for each in (arguments, signed, signed, signed):
        await it.call("refund", each)


async def answered_by_the_client(it: Adversary) -> None:
    """Say yes in each way that a client has."""
    arguments, approval = await it.open()
    yes = {"action": "accept", "content": {"confirm": True}}
    for more in (
        {"inputResponses": {"confirm": yes}, "requestState": approval},
        {"inputResponses": {"confirm": yes, "toolgen/asked": yes}},
        {"meta": {"toolgen/confirmation_token": approval}},
        {"meta": {"toolgen/approval": {"id": approval, "state": "approved"}, "toolgen/preview": False}},
        {"arguments": {**arguments, "confirm": True}},
    ):
        await it.call("refund", arguments, **{k: v for k, v in more.items() if k != "arguments"})


async def another_call(it: Adversary) -> None:
    """Use what people signed for another principal, other arguments, another tool."""
    ann = f"ann{it.tries.total() % 200}"
    arguments, approval = await it.open(by=ann)
    await it.approve(approval, "ann")
    big = {"order": 2**53, "amount": it.order}
    await it.approve((await it.open(arguments=big))[1], "bob")
    await it.call("refund", arguments)  # by the client itself
    await it.call("pay", arguments, by=ann)
    await it.call("refund", {**arguments, "amount": 10_000}, by=ann)
    await it.call("refund", {**big, "order": 2**53 + 1})
    await it.call("refund", {**arguments, "order": float(arguments["order"])}, by=ann)
    await it.call("refund", big)


async def one_for_two(it: Adversary) -> None:
    """Let one person sign with both of her keys what two people have to approve."""
    arguments, approval = await it.open("pay")
    request = await it.request(approval)
    for who in ("ann", "ann2", "ann"):
        await it.post(approval, {"credential": it.credential(who, request)})
    await it.call("pay", arguments)


async def hundred_at_once(it: Adversary) -> None:
    """Act a hundred times at once, over both replicas, after one approval."""
    tool, people = it.random.choice([("refund", ("bob",)), ("pay", ("ann", "bob"))])
    arguments, approval = await it.open(tool)
    await it.approve(approval, *people)
    results = await asyncio.gather(*(it.call(tool, arguments) for _ in range(100)))
    assert sum(not result.get("isError", True) for result in results) == 1


async def expired(it: Adversary, by: str) -> None:
    """Act after the time of an approval that people signed in time; sign one too late."""
    (signed, first), (arguments, second) = await it.open(by=by, at=2), await it.open(by=by, at=2)
    request = await it.request(second)
    await it.post(first, {"credential": it.credential("zoe", await it.request(first), counter=0)})
    await asyncio.sleep(EXPIRY + 0.5)
    assert await it.post(second, {"credential": it.credential("zoe", request, counter=0)}) == 410
    await it.call("refund", signed, by, at=2)
    await it.call("refund", arguments, by)


async def changed_preview(it: Adversary) -> None:
    """Act on other data than people saw."""
    arguments, approval = await it.open()
    await it.approve(approval, "ann")
    act = _act("refund", arguments, it.me)
    it.project.write("balance.txt", str(it.random.random()))
    answer = await it.call("refund", arguments)
    if answer["_meta"]["toolgen/error"]["code"] == "changed_since_confirmed":
        it.signed[act] -= 1
    await it.call("refund", arguments)


async def forged_page(it: Adversary) -> None:
    """Post to the page as another site, as no JSON, or to another address."""
    arguments, approval = await it.open()
    body = {"credential": it.credential("ann", await it.request(approval))}
    forged: list[Body] = [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"host": "evil.example"},
        {"host": "127.0.0.1"},
        {"content-type": "text/plain"},
        {"content-type": "application/x-www-form-urlencoded"},
    ]
    for headers in forged:
        assert await it.post(approval, body, **headers) in (403, 415, 421), headers
    junk: list[Any] = [
        [],
        1,
        None,
        b"{",
        b"\xff",
        {"credential": []},
        {"declined": 1},
        {"credential": {"id": []}},
    ]
    for each in junk:
        assert await it.post(approval, each) in (400, 403), each
    for path in (f"../{approval}", f"{approval}/request", f"{approval}%00", approval[:-1], "enrol", ""):
        assert await it.post(path, body) >= 400, path
    await it.call("refund", arguments)


async def flood(it: Adversary) -> None:
    """Open many approvals as one caller."""
    name = f"flood{it.order % 40}"
    codes = Counter[str]()
    for answer in await asyncio.gather(*(it.call("refund", it.new(), by=name) for _ in range(50))):
        codes[answer["_meta"]["toolgen/error"]["code"]] += 1
    assert codes["confirmation_required"] <= 20, codes


ATTACKS: Final[Mapping[Callable[[Adversary], Awaitable[None]], int]] = {
    wrong_signature: 12,
    altered_signature: 12,
    replayed_signature: 4,
    answered_by_the_client: 4,
    another_call: 4,
    one_for_two: 4,
    changed_preview: 4,
    forged_page: 2,
    hundred_at_once: 1,
    flood: 1,
}
"""The attacks, and how often each is chosen."""


def _callers(**numbers: int) -> list[str]:
    return [f"{name}{number}" for name, most in numbers.items() for number in range(most)]


@asynccontextmanager
async def adversary(folder: Path, seed: int) -> AsyncIterator[Adversary]:
    """Run three replicas with one store, and yield who attacks them."""
    keys = {name: TestKey.make() for name in ("ann", "ann2", "bob", "zoe", "eve", "mallory")}
    project, port = make_project(folder, keys), free_port()
    origin = f"http://localhost:{port}"
    everybody: dict[str, list[str]] = {name: [] for name in _callers(ann=200, mallory=400, flood=40)}
    flags = ("--auth-tokens", project.write_tokens(**everybody), "--approval-url", origin)
    env = {"TOOLGEN_CONFIRMATION_STORE": f"sqlite:///{folder}/approvals.db"}
    async with AsyncExitStack() as stack:
        servers = []
        for more, env_of in (
            (("--port", str(port)), {}),
            ((), {}),
            ((), {"TOOLGEN_CONFIRMATION_EXPIRY": str(EXPIRY)}),
        ):
            running = project.server("--stateless", *flags, *more, **env, **env_of)
            servers.append((await stack.enter_async_context(running)).url)
        http = await stack.enter_async_context(httpx2.AsyncClient(timeout=60))
        yield Adversary(project, keys, origin, servers, http, random.Random(seed))


async def attack(folder: Path, tries: int, seed: int = SEED) -> Adversary:
    """Try so often. Raises AssertionError for an act that nobody signed, or that was done twice."""
    async with adversary(folder, seed) as it:
        late = asyncio.gather(*(expired(it, f"mallory{number}") for number in range(1 + tries // 100)))
        while it.tries.total() < tries:
            [each] = it.random.choices([*ATTACKS], [*ATTACKS.values()])
            it.tries[each.__name__] += 1
            it.me = f"mallory{it.tries.total() % 400}"
            await each(it)
        await late
        it.tries["expired"] += 1 + tries // 100
    file = folder / "acts.jsonl"
    acts = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    done = Counter(_act(tool, arguments, principal) for tool, arguments, principal, _ in acts)
    assert done
    assert not done - it.signed, done - it.signed
    it.tries["acts that people signed, done once"] = done.total()
    return it


def main() -> int:
    """Print how often each attack was tried."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        it = asyncio.run(attack(Path(folder), options.tries, options.seed))
    for name, number in it.tries.most_common():
        print(f"{number:6}  {name.replace('_', ' ')}")
    print(f"no act without a valid approval, none done twice ({time.monotonic() - began:.0f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
