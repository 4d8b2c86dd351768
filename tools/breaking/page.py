"""Replace the parts of a page that commands write."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

PAGE: Final = Path("docs/breaking-proof.md")


def replace_part(page: Path, name: str, text: str) -> None:
    """Replace what is between `<!-- breaking:name -->` and `<!-- /breaking:name -->`."""
    before = page.read_text(encoding="utf-8")
    part = re.compile(rf"(<!-- breaking:{name} -->\n).*?(<!-- /breaking:{name} -->)", re.DOTALL)
    if not part.search(before):
        raise ValueError(f"{page} has no part {name!r}")
    page.write_text(part.sub(lambda found: f"{found[1]}{text}\n{found[2]}", before), encoding="utf-8")
