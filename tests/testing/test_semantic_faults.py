"""The faults of `make mutants` fit the code that they are put into."""

from __future__ import annotations

from tools.mutants.__main__ import ROOT, read_faults


def test_every_semantic_fault_changes_its_module() -> None:
    faults = read_faults()
    assert len({fault.name for fault in faults}) == 60
    assert all(fault.text != (ROOT / fault.path).read_text("utf-8") for fault in faults)
