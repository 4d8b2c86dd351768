"""secret-in-example: a text in an example that looks like a real key or password.

Example:

    examples:
      - {name: sent, input: {order_id: 1, note: "Bearer 0123456789abcdef"}}

Use instead:

    examples:
      - {name: sent, input: {order_id: 1, note: "Bearer <token>"}}
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.program import ProgramTool
from toolgen.runtime.logs.secret_texts import secret_texts


def check(tool: ProgramTool) -> Iterator[Diagnostic]:
    """Warn about each example that holds such a text."""
    for index, example in enumerate(tool.spec.examples):
        for field in ("input", "output"):
            if any(secret_texts(getattr(example, field))):
                yield Diagnostic(
                    tool.source.value(("examples", index, field)),
                    "secret-in-example",
                    "this looks like a real secret, and models and clients are sent it",
                    "write a value that nobody takes for one, and revoke the secret if it was real",
                )
