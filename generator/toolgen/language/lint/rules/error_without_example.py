"""error-without-example: a declared error that no example shows.

Example:

    errors: [{code: not_found, description: There is no such order.}]

Use instead:

    errors: [{code: not_found, description: There is no such order.}]
    examples: [{name: unknown, input: {order_id: 7}, error: not_found}]
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.base.suggestions import quoted
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.program import ProgramTool


def check(tool: ProgramTool) -> Iterator[Diagnostic]:
    """Warn about each error whose code is in no example."""
    shown = {example.error for example in tool.spec.examples}
    for index, error in enumerate(tool.spec.errors):
        if error.code not in shown:
            yield Diagnostic(
                tool.source.value(("errors", index, "code")),
                "error-without-example",
                f"no example shows when {quoted(error.code)} occurs",
                "add an example with an input that causes it",
            )
