"""Update the tables of `docs/performance.md`, which are between markers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import report
from .installation import ROOT
from .plot import draw
from .process import Wrong

PAGE = ROOT / "docs" / "performance.md"


def write_page(data: Mapping[str, Any]) -> None:
    """Write the tables and the plot of `data`; the same bytes for the same figures."""
    draw(report.from_data(data), PAGE.with_suffix(".svg"))
    for page, parts in parts_of_pages(data).items():
        fill(page, parts)


def parts_of_pages(data: Mapping[str, Any]) -> dict[Path, dict[str, str]]:
    """Return the tables of each page by the names of their markers."""
    measured = report.from_data(data)
    tables = {
        "targets": report.as_markdown(report.targets(measured)),
        "peers": report.as_markdown(report.peers(measured)),
        "facts": _facts(data["facts"]),
    }
    return {PAGE: tables}


def fill(page: Path, parts: Mapping[str, str]) -> None:
    """Write the parts between their markers on a page."""
    text = page.read_text("utf-8")
    for name, part in parts.items():
        text = _between(text, name, part, page.name)
    page.write_text(text, "utf-8")


def _facts(facts: Mapping[str, Any]) -> str:
    packages = ", ".join(f"{name} {number}" for name, number in facts["packages"].items())
    loads = "; ".join(
        f"`{verb}` imports {', '.join(names) or 'none'}" for verb, names in facts["check loads"].items()
    )
    return (
        f"Measured on {facts['date']}: {facts['system']}, Python {facts['python']}, "
        f"{facts['clock']} time, load {facts['load']} at the end. {packages}. "
        f"Of yaml, jinja2, pydantic and the engine, {loads}."
        + (f" Imported tools: {facts['imported']}." if "imported" in facts else "")
        + (
            f" A template prints the models of {found} of them."
            if (found := facts.get("models by template"))
            else ""
        )
    )


def _between(text: str, name: str, part: str, page: str) -> str:
    pattern = re.compile(rf"(<!-- bench:{name} -->\n).*?(<!-- /bench:{name} -->)", re.DOTALL)
    if not pattern.search(text):
        raise Wrong(f"{page} has lost its marker <!-- bench:{name} -->")
    return pattern.sub(lambda found: f"{found[1]}{part}\n{found[2]}", text)
