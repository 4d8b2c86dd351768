"""`docs/rules/`: a page for each rule of `toolgen lint`, and their list with the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from textwrap import dedent

from toolgen.language.codes import EVIDENCE, LINT, Code, lint_codes

_EXAMPLES = re.compile(r"\n\nExample:\n\n(?P<wrong>.*?)\n\nUse instead:\n\n(?P<right>.*?)\n?\Z", re.DOTALL)
_HEAD = """\
# Rules of lint

Made from the rules by `pytest --record tests/lint/test_rules.py`. What [`toolgen lint`](../lint.md) finds, on what evidence;
the rules of `breaking` are in [breaking-rules.md](../breaking-rules.md). Evidence is:

"""


def pages() -> dict[str, str]:
    """Return file name → text of every page."""
    found = {f"{code}.md": "\n".join(_page(code, about)) + "\n" for code, about in lint_codes().items()}
    kinds = "".join(f"- **{kind}**: {what}\n" for kind, what in EVIDENCE.items())
    rows = "".join(
        f"| [`{code}`]({code}.md) | {about.title} | {about.evidence.partition(':')[0]} | {_level(about)} |\n"
        for code, about in sorted(lint_codes().items())
    )
    table = f"| rule | finds | evidence | level |\n|---|---|---|---|\n{rows}"
    return {**found, "index.md": f"{_HEAD}{kinds}\n{table}"}


def _level(about: Code) -> str:
    return "off" if about.is_opinion else about.severity


def _page(code: str, about: Code) -> Iterator[str]:
    yield from (f"# {code}", "", f"Finds {about.title}. Level: {_level(about)}.", "", about.why, "")
    yield from (about.fix, "", f"Evidence, {about.evidence}.")
    if code in LINT:
        text = import_module(f"toolgen.language.lint.rules.{code.replace('-', '_')}").__doc__ or ""
        examples = _EXAMPLES.search(text)
        assert examples
        yield from ("", "```yaml", dedent(examples["wrong"]), "```", "", "Use instead:", "")
        yield from ("```yaml", dedent(examples["right"]), "```")
