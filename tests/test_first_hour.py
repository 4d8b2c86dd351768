"""The table of docs/why.md is what the job of toolgen takes; those of other systems need their programs."""

from __future__ import annotations

import os
from pathlib import Path

from tests.preloaded import programs
from tools.first_hour.__main__ import JOBS, do_job

WHY = Path(__file__).parent.parent / "docs/why.md"


def test_the_first_hour_takes_what_the_page_says(tmp_path: Path) -> None:
    row = do_job("toolgen", tmp_path, os.pathsep.join([programs(), os.environ["PATH"]]))
    table = WHY.read_text().partition("| commands |")[2].partition("\n\n")[0].splitlines()[2:]
    assert row == table[0]
    assert [each.split(" | ")[0].removeprefix("| ") for each in table] == list(JOBS)
    _, commands, concepts, lines = row.strip("| ").split(" | ")
    assert (int(commands) <= 3, int(concepts.partition(":")[0]) <= 6, int(lines) <= 40) == (True, True, True)
