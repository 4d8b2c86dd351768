"""The documents say what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from toolgen.cli import VERBS
from toolgen.data.spec import Spec

ROOT = Path(__file__).parent.parent


def test_every_field_of_the_language_is_described() -> None:
    rows = re.findall(r"^\| (`.*?`) \|", (ROOT / "docs/spec.md").read_text(), re.MULTILINE)
    described = {name for row in rows for name in re.findall(r"`([a-z_]+)`", row)}
    assert described == set(Spec.model_fields) - {"extensions"}


def test_every_verb_is_in_the_readme() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert rows == list(VERBS)


def test_links_lead_somewhere() -> None:
    for document in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        for link in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
            assert (document.parent / link).exists(), f"{document.name}: {link}"
