"""`docs/lint-rules.md`: a line for each rule of `toolgen lint`, with its evidence."""

from __future__ import annotations

from toolgen.language.codes import EVIDENCE, lint_codes

HEAD = """\
# Rules of lint

What [`toolgen lint`](lint.md) warns of, and on what evidence. `toolgen explain RULE` shows the source of the evidence, an example, and what to write instead. Evidence is:

"""


def rules_page() -> str:
    """Return the text of the document."""
    kinds = "".join(f"- **{kind}**: {what}\n" for kind, what in EVIDENCE.items())
    rows = "".join(
        f"| `{code}` | {about.title} | {about.evidence.partition(':')[0]} |\n"
        for code, about in sorted(lint_codes().items())
    )
    return f"{HEAD}{kinds}\n| rule | finds | evidence |\n|---|---|---|\n{rows}"
