"""The faults are data: each can be applied to its files, and the result is Python."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.samples import load_beside

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
COLLECTIONS = {"gallery.yaml": ROOT, "lending/faults.yaml": HERE / "lending"}
FAULTS: list[tuple[Path, dict[str, Any]]] = [
    (folder, fault) for name, folder in COLLECTIONS.items() for fault in load_beside(__file__, name)
]


@pytest.mark.parametrize(("folder", "fault"), FAULTS, ids=[fault["id"] for _, fault in FAULTS])
def test_a_fault_changes_its_files_in_one_place_each_and_they_still_compile(
    folder: Path, fault: dict[str, Any]
) -> None:
    texts: dict[str, str] = {}

    for edit in fault.get("edits", [fault]):
        text = texts.get(edit["file"]) or (folder / edit["file"]).read_text(encoding="utf-8")
        assert text.count(edit["old"]) == 1
        assert edit["new"] != edit["old"]
        texts[edit["file"]] = text.replace(edit["old"], edit["new"])

    for name, text in texts.items():
        compile(text, name, "exec")


def test_each_fault_has_a_name_of_its_own_and_one_sentence() -> None:
    ids = [fault["id"] for _, fault in FAULTS]
    sentences = [fault["what"] for _, fault in FAULTS]

    assert len(set(ids)) == len(ids)
    assert [each for each in ids if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", each)] == []
    assert [each for each in sentences if not each.endswith(".") or "\n" in each] == []
