"""The table of tokens in docs/code-mode.md is what its command counts."""

from __future__ import annotations

import re

from tools.code_mode_tokens import HEADER, PAGE, SIZES, rows

LISTING = 1_500  # tokens in code mode, at most, however many tools there are


def test_the_table_is_what_is_counted() -> None:
    counted = list(rows())
    assert "\n".join([HEADER, *counted]) + "\n" in PAGE.read_text()
    listed = [int(re.split(r" \| ", row)[2].replace(",", "")) for row in counted]
    assert len(listed) == len(SIZES)
    assert max(listed) <= LISTING
