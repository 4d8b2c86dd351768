"""People who approve calls in tests and mocks: their keys are made for it, and nothing real is approved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from toolgen.base.files import WritableFolder
from toolgen.runtime.approval.approvals import ApprovalError, ApprovalRecord, Approvals, Found
from toolgen.runtime.confirmation.question import Confirmation, Wanted
from toolgen.runtime.definition.tool_definition import needs_people
from toolgen.runtime.settings import Settings
from toolgen.runtime.toolkit import Toolkit

from .test_key import TestKey


class TestKeyApprovals(Approvals):
    """Approvals of a toolkit, by people with test keys, who are in every group that its tools name.

    Their keys and receipts are in `folder`. Raises SettingError without the extra `approval`.
    """

    def __init__(self, toolkit: Toolkit, folder: Path) -> None:
        rules = [each.get("confirm", {}) for each in toolkit.definitions.values() if needs_people(each)]
        groups = sorted({name for rule in rules for name in rule.get("approvers", ())})
        quorum = max((rule.get("quorum", 1) for rule in rules), default=1)
        self._keys = [TestKey.make() for _ in range(quorum)]
        entries = [key.entry(f"test person {number}", groups) for number, key in enumerate(self._keys, 1)]
        WritableFolder(folder).write("approvers.toml", "".join(entries).encode(), mode=0o600)
        approvers, receipts = str(folder / "approvers.toml"), str(folder / "receipts.jsonl")
        url = "http://localhost"  # nothing is served there
        super().__init__(Settings(approvers=approvers, receipts=receipts, approval_url=url))

    async def sign_as_needed(self, confirmation: Confirmation) -> bool:
        """Sign an approval as the people whom it needs: a `show_approval`."""
        assert confirmation.approval is not None
        await self._sign(confirmation.approval.id)
        return True

    async def _sign(self, approval_id: str) -> None:
        with suppress(ApprovalError):  # another call has used it
            record = await self.get(approval_id)
            for key in self._keys:
                await self.sign(approval_id, key.sign(record.digest, self.origin))


class MockApprovals(TestKeyApprovals):
    """Approvals that are signed as soon as a call has been given their address."""

    async def find(self, wanted: Wanted) -> tuple[ApprovalRecord, Found]:
        """Return the approval of a call as it was before it was signed."""
        record, found = await super().find(wanted)
        if record.state == "pending":
            await self._sign(record.id)
        return record, found


@contextmanager
def people_with_test_keys(toolkit: Toolkit) -> Iterator[TestKeyApprovals]:
    """Let people with test keys approve the calls of a toolkit."""
    with TemporaryDirectory(prefix="toolgen-test-", ignore_cleanup_errors=True) as folder:
        approvals = TestKeyApprovals(toolkit, Path(folder))
        before = toolkit.use_approvals(approvals)
        try:
            yield approvals
        finally:
            toolkit.use_approvals(before)
