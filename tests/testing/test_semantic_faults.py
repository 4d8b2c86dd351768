"""The faults of `make mutants` fit the code that they are put into."""

from __future__ import annotations

import pytest

from tools.mutants.__main__ import FAULTS, ROOT, read_faults


@pytest.mark.parametrize(("project", "count"), [("gallery", 60), ("lending", 35)])
def test_every_semantic_fault_changes_its_module(project: str, count: int) -> None:
    root = ROOT if project == "gallery" else FAULTS / project
    faults = read_faults(project, root)
    assert len({fault.name for fault in faults}) == count
    assert all(fault.text != (root / fault.path).read_text("utf-8") for fault in faults)
