"""Calls that people approve: what is opened, who may sign, and what happens when something is away."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from toolgen.runtime import BaseTool, Confirmation, ConfirmationPending, ToolConfig, Toolkit, ToolResponse
from toolgen.runtime.adapters.provider import ProviderAdapter
from toolgen.runtime.approval.approvals import ApprovalError, ApprovalRecord, Approvals
from toolgen.runtime.errors import OverloadedError
from toolgen.runtime.execution.call import ToolCall
from toolgen.runtime.settings import SettingError, Settings
from toolgen.runtime.stores.store import StoreError
from toolgen.serving.bridges.shared import Bridge, pending_question
from toolgen.testing.test_key import TestKey

from tests.runtime.tool_factory import code_of

URL = "http://localhost:7000"
CONFIRM = {"message": "Refund {id}?", "proof": "person", "approvers": ["finance"]}


@dataclass
class Shop:
    """A toolkit with one tool, and the people who may approve its calls."""

    toolkit: Toolkit
    keys: dict[str, TestKey]
    folder: Path
    done: list[Any]

    @property
    def approvals(self) -> Approvals:
        found = self.toolkit.approvals
        assert found is not None
        return found

    async def call(self, number: int = 7, **options: Any) -> ToolResponse:
        response: ToolResponse = await self.toolkit.call("refund", {"id": number}, **options)
        return response

    async def open(self, number: int = 7, **options: Any) -> str:
        response = await self.call(number, **options)
        assert not response.success
        return str(response.metadata["approval"]["id"])

    async def sign(self, approval: str, who: str = "ann") -> ApprovalRecord:
        digest = (await self.approvals.get(approval)).digest
        return await self.approvals.sign(approval, self.keys[who].sign(digest, URL))

    def write_approvers(self, **groups: list[str]) -> None:
        file = self.folder / "approvers.toml"
        file.write_text("\n".join(self.keys[name].entry(name, of) for name, of in groups.items()))
        file.chmod(0o600)


Make = Callable[..., Shop]


@pytest.fixture
def shop(tmp_path: Path) -> Make:
    def make(execute: Any = None, preview: Any = None, **changes: Any) -> Shop:
        rule, fields = changes.pop("rule", {}), changes.pop("fields", {})
        done: list[Any] = []

        class Refund(BaseTool[Any, Any]):
            definition: ClassVar[Any] = {
                "name": "refund",
                "description": "Refund an order.",
                "input_schema": {
                    "type": "object",
                    "properties": {"id": {"type": "integer"}},
                    "required": ["id"],
                },
                "confirm": {**CONFIRM, **rule, **({"preview": True} if preview else {})},
                **fields,
            }

            async def execute(self, request: Any, context: Any) -> Any:
                if execute is not None:
                    return execute(context)
                done.append(context.approval)
                return "done"

        if preview is not None:
            Refund.preview = lambda self, request, context: preview()  # type: ignore[attr-defined]
        defaults = {"approval_url": URL, "receipts": str(tmp_path / "r/receipts.jsonl")}
        store = f"sqlite:///{tmp_path}/store.db"
        files = {"approvers": str(tmp_path / "approvers.toml"), "confirmation_store": store}
        settings = Settings(**{**defaults, **files, **changes})
        made = Shop(
            Toolkit([Refund()], config=ToolConfig(settings=settings)),
            {name: TestKey.make() for name in ("ann", "bob", "eve")},
            tmp_path,
            done,
        )
        made.write_approvers(ann=["finance"], bob=["finance"], eve=["support"])
        return made

    return make


def run(work: Any) -> Any:
    return asyncio.run(work)


def test_what_was_signed_is_done_once(shop: Make) -> None:
    it = shop()

    async def main() -> None:
        approval = await it.open()
        assert await it.open() == approval, "the same call has the same approval"
        assert (await it.sign(approval)).state == "approved"
        assert (await it.call()).success
        assert [each.approvers for each in it.done] == [("ann",)]
        receipt = json.loads((it.folder / "r/receipts.jsonl").read_text())
        assert (receipt["digest"], receipt["approver"]) == (it.done[0].receipt, "ann")
        assert os.stat(it.folder / "r/receipts.jsonl").st_mode & 0o777 == 0o600
        again = await it.open()
        record = await it.approvals.get(again)
        assert again != approval
        assert time.time() - (record.done_before or 0) < 60
        with pytest.raises(ApprovalError) as ended:
            await it.approvals.get(approval)
        assert (ended.value.status, ended.value.state) == (410, "done")

    run(main())


def test_a_call_waits_for_all_who_have_to_sign(shop: Make) -> None:
    it = shop(rule={"quorum": 2})

    async def show(asked: Confirmation) -> bool:
        assert asked.approval is not None
        assert (await it.sign(asked.approval.id, "ann")).state == "pending"
        assert (await it.sign(asked.approval.id, "ann")).people == ("ann",)
        asyncio.get_running_loop().call_later(
            0.3, lambda: asyncio.ensure_future(it.sign(asked.approval.id, "bob"))
        )  # type: ignore[union-attr]
        return True

    response = run(it.call(show_approval=show))
    assert (code_of(response), it.done[0].approvers) == (None, ("ann", "bob"))


@pytest.mark.parametrize(("answer", "code"), [(False, "declined"), (None, "cancelled"), ("yes", "declined")])
def test_whoever_is_shown_the_address_can_only_say_no(shop: Make, answer: Any, code: str) -> None:
    async def show(asked: Confirmation) -> Any:
        return answer

    response = run(shop().call(show_approval=show, confirm=show))
    assert code_of(response) == code


def test_an_address_can_be_passed_on_and_the_call_repeated(shop: Make) -> None:
    async def show(asked: Confirmation) -> bool:
        raise ConfirmationPending(asked)

    with pytest.raises(ConfirmationPending) as pending:
        run(shop().call(show_approval=show))
    asked = pending.value.confirmation
    assert asked.approval is not None
    assert asked.approval.url == f"{URL}/approvals/{asked.approval.id}"


CALLS: dict[str, Any] = {
    "openai": {"type": "function", "id": "1", "function": {"name": "refund", "arguments": '{"id": 7}'}},
    "anthropic": {"type": "tool_use", "id": "1", "name": "refund", "input": {"id": 7}},
    "gemini": {"name": "refund", "args": {"id": 7}},
    "bedrock": {"toolUse": {"toolUseId": "1", "name": "refund", "input": {"id": 7}}},
}


@pytest.mark.parametrize("provider", CALLS)
def test_a_model_gets_the_address_in_the_message_and_the_user_is_not_asked(shop: Make, provider: str) -> None:
    async def confirm(asked: Confirmation) -> bool:
        raise AssertionError(asked)

    async def main() -> Any:
        assert await pending_question(it.toolkit, "refund", {"id": 7}) is None
        assert not await Bridge(it.toolkit, confirm, {}).would_ask("refund", {"id": 7}, None)
        return await ProviderAdapter(provider).execute(CALLS[provider], it.toolkit, confirm)

    it = shop()
    assert f"approve this call at {URL}/approvals/" in json.dumps(run(main()))


def test_a_person_can_say_no(shop: Make) -> None:
    it = shop()

    async def main() -> list[str | None]:
        assert (await it.approvals.decline(await it.open())).state == "declined"
        return [code_of(await it.call()), code_of(await it.call())]

    assert run(main()) == ["declined", "declined"]


def test_a_preview_that_has_changed_is_approved_anew(shop: Make) -> None:
    state = ["100 EUR"]
    it = shop(preview=lambda: state[0])

    async def main() -> None:
        approval = await it.open()
        await it.sign(approval)
        state[0] = "900 EUR"
        response = await it.call()
        assert code_of(response) == "changed_since_confirmed"
        assert response.metadata["approval"]["id"] != approval
        await it.sign(response.metadata["approval"]["id"])
        assert code_of(await it.call()) is None
        assert it.done[0].preview == "900 EUR"

    run(main())


def test_a_removed_key_ends_what_it_has_signed(shop: Make) -> None:
    it = shop()

    async def main() -> None:
        approval = await it.open()
        await it.sign(approval)
        it.write_approvers(bob=["finance"], ann=["support"])
        it.approvals.reload()
        response = await it.call()
        assert (code_of(response), it.done) == ("changed_since_confirmed", [])
        (it.folder / "approvers.toml").write_text("[[approver]]\nname = 1")
        it.approvals.reload()  # is logged, and changes nothing
        await it.sign(response.metadata["approval"]["id"], "bob")
        assert (await it.call()).success

    run(main())


def test_an_approval_is_kept_if_the_tool_was_not_called(shop: Make) -> None:
    it = shop()

    async def refuse(self: Any, request: Any) -> Any:
        raise OverloadedError

    async def main() -> None:
        await it.sign(await it.open())
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ToolCall, "_execute", refuse)
            response = await it.call()
        assert code_of(response) == "overloaded"
        assert (await it.call()).success

    run(main())


def test_nothing_is_done_while_the_store_or_the_receipts_are_away(shop: Make, monkeypatch: Any) -> None:
    it = shop()

    async def main() -> None:
        approval = await it.open()
        (it.folder / "r").write_text("not a folder")
        with pytest.raises(ApprovalError) as refused:
            await it.sign(approval)
        assert (refused.value.status, code_of(await it.call())) == (503, "confirmation_required")
        (it.folder / "r").unlink()

        def away(key: str, change: Any) -> None:
            raise StoreError("away")

        monkeypatch.setattr(it.approvals._store, "apply", away)
        with pytest.raises(StoreError):
            await it.sign(approval)
        assert code_of(await it.call()) == "confirmation_required"

    run(main())
    assert not it.done


def test_a_worker_records_who_has_approved(shop: Make, caplog: pytest.LogCaptureFixture) -> None:
    it = shop(fields={"background": {"result_ttl": 60}}, task_queue="memory")

    async def main() -> None:
        await it.sign(await it.open())
        assert (await it.call()).success

    with caplog.at_level("INFO", "toolgen.audit"):
        run(main())
    found: Any = [each for each in caplog.records if each.name == "toolgen.audit"]
    [done] = it.done
    recorded = [(each.way, each.approvers, each.receipt) for each in found if each.event == "approved"]
    assert recorded == [("person", "ann", done.receipt), ("repeated", "ann", done.receipt)]
    assert done.approvers == ("ann",)


def test_a_missing_extra_is_named(shop: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "toolgen.runtime.approval.approvals", None)
    it = shop()
    with pytest.raises(SettingError, match=r"pip install 'toolgen\[approval\]'"):
        it.approvals  # noqa: B018
    assert code_of(run(it.call())) == "confirmation_required"


def test_one_caller_has_twenty_approvals_open(shop: Make) -> None:
    it = shop()

    async def main() -> list[str | None]:
        opened = [await it.open(number, principal="ann") for number in range(20)]
        calls = ((20, "ann"), (20, "bob"), (3, "ann"))
        codes = [code_of(await it.call(number, principal=who)) for number, who in calls]
        await it.approvals.decline(opened[0])
        return [*codes, code_of(await it.call(20, principal="ann"))]

    assert run(main()) == [
        "rate_limited",
        "confirmation_required",
        "confirmation_required",
        "confirmation_required",
    ]


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"approvers": "missing.toml"}, "--approvers: cannot read missing.toml: No such file"),
        ({"rule": {"approvers": ["nobody"]}}, "calls of refund cannot be approved: 0 of its approvers"),
        (
            {"rule": {"quorum": 3}},
            "calls of refund cannot be approved: 2 of its approvers have a key for localhost, and it needs 3",
        ),
    ],
)
def test_what_is_said_at_the_start(shop: Make, settings: dict[str, Any], text: str) -> None:
    it = shop(**settings)
    try:
        said = it.approvals.problems(it.toolkit.definitions.values())
    except SettingError as error:
        said = [str(error)]
    assert any(text in line for line in said), said


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda text: text.replace('name = "bob"', 'name = "finance"'), "'finance' is a name and a group"),
        (lambda text: text + text, "twice"),
        (
            lambda text: text.replace('public_key = "', 'public_key = "AAAA'),
            "approver.0.public_key: Value error, not a Subject",
        ),
        (lambda text: text.replace("name", "nom"), "must have [[approver]] tables"),
        (lambda text: "]", "is not TOML in UTF-8"),
    ],
)
def test_a_broken_file_of_approvers_is_refused(shop: Make, change: Callable[[str], str], text: str) -> None:
    it = shop()
    file = it.folder / "approvers.toml"
    file.write_text(change(file.read_text()))
    with pytest.raises(SettingError, match=r"^--approvers: ") as refused:
        it.approvals  # noqa: B018
    assert text in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:1",
        "http://[::1]:1",
        "http://shop.example",
        "https://10.0.0.1",
        "https://a.example/x?y",
    ],
)
def test_browsers_have_no_keys_for_other_addresses(url: str) -> None:
    with pytest.raises(SettingError, match="browsers have no passkeys"):
        Settings.from_environment({"TOOLGEN_APPROVAL_URL": url})
