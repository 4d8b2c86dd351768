"""Scripts that try to act without the user's approval: `python -m tests.code_mode.adversary --scripts 1000`.

Each is put together at random, from a seed: what is called, by which alias, with which arguments, and what
is around it. It runs before several users: one who cannot be asked, one who says no, closes the question, or
agrees to the first question only. An action is unasked if the user has not said yes to exactly it before.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final
from unittest.mock import patch

import mcp_types as types
from toolgen.serving.code_mode import script

from tests.code_mode.shop import Shop, run, serve
from tests.samples import load_beside

SEED: Final = 20261126
ARTICLES: Final = ("bell", "saddle", "chain")
PARTS: Final = load_beside(__file__, "adversary.yaml")


def scripts(number: int, seed: int = SEED) -> Iterator[str]:
    """Yield scripts, the same ones for a seed."""
    chance = random.Random(seed)
    for _ in range(number):
        article = chance.choice(ARTICLES)
        token = chance.choice(PARTS["tokens"]).format(token=f"{chance.getrandbits(256):064x}")
        arguments = f"article='{article}'" + (f", {token}" if chance.random() < 0.2 else "")
        parts = {"article": article, "token": token, "arguments": arguments, "number": chance.randint(1, 9)}
        call = chance.choice(PARTS["calls"]).format(**parts)
        around = chance.choice(PARTS["around"])
        if chance.random() < 0.3:  # one thing inside of another
            around = around.replace(
                "{call}", chance.choice(PARTS["around"]).replace("\n", "\n" + _indent(around)), 1
            )
        alias = chance.choice(PARTS["aliases"])
        yield f"{alias}\n{around.replace('{call}', call)}"


def _indent(text: str) -> str:
    line = next(line for line in text.splitlines() if "{call}" in line)
    return " " * (len(line) - len(line.lstrip()))


@dataclass
class User:
    """A user who answers questions, and what the user has approved."""

    answers: tuple[str, ...]  # the last one for all further questions; empty: cannot be asked
    approved: list[str] = field(default_factory=list)
    asked: int = 0

    async def answer(self, context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        action: Any = self.answers[min(self.asked, len(self.answers) - 1)]
        self.asked += 1
        if action == "accept":
            self.approved.append(params.message)
            return types.ElicitResult(action=action, content={"confirm": True})
        return types.ElicitResult(action=action, content=None if action != "unticked" else {"confirm": False})


USERS: Final[dict[str, Callable[[], User]]] = {
    "cannot be asked": lambda: User(()),
    "says no": lambda: User(("decline",)),
    "closes the question": lambda: User(("cancel",)),
    "agrees once": lambda: User(("accept", "decline")),
    "agrees": lambda: User(("accept",)),
}


@dataclass
class Found:
    """What scripts have done."""

    runs: int = 0
    acted: Counter[str] = field(default_factory=Counter)  # by user: runs in which something was done
    unasked: list[tuple[str, str]] = field(default_factory=list)  # user, script


async def attack(number: int, seed: int = SEED, seconds: float = 0.1) -> Found:
    """Run scripts before each kind of user, over both eras of the protocol in turn."""
    found = Found()
    with patch.object(script, "SECONDS", seconds):
        for kind, user_of in USERS.items():
            for era, own in (("auto", slice(0, None, 2)), ("legacy", slice(1, None, 2))):
                await _attack(found, kind, user_of(), era, list(scripts(number, seed))[own])
    return found


async def _attack(found: Found, kind: str, user: User, era: str, codes: list[str]) -> None:
    shop = Shop()
    callback = {"elicitation_callback": user.answer} if user.answers else {}
    async with serve(shop.toolkit(), era, **callback) as client:
        for code in codes:
            user.asked = 0
            shop.done.clear()
            user.approved.clear()
            await run(client, code)
            found.runs += 1
            found.acted[kind] += bool(shop.done)
            if _is_unasked(shop.done, user.approved):
                found.unasked.append((kind, code))


def _is_unasked(done: list[str], approved: list[str]) -> bool:
    """True if something was done that the user has not agreed to, each time that it was done."""
    questions = Counter(each.rstrip("?").lower() for each in approved)
    return bool(Counter(done) - questions)


def main() -> int:
    """Run the scripts and print what they did. Return 1 if anything was done unasked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scripts", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=SEED)
    args = parser.parse_args()
    found = asyncio.run(attack(args.scripts, args.seed))
    print(f"{args.scripts} scripts (seed {args.seed}), {found.runs} runs, {len(found.unasked)} unasked")
    for kind in USERS:
        print(f"  user who {kind}: something was done in {found.acted[kind]} runs")
    for kind, code in found.unasked[:5]:
        print(f"\nunasked, user who {kind}:\n{code}", file=sys.stderr)
    return 1 if found.unasked else 0


if __name__ == "__main__":
    sys.exit(main())
