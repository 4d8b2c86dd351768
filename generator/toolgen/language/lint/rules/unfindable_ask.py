"""unfindable-ask: a search for what a user says, in the `ask` of an example, does not find the tool.

Example:

    description: Write an entry to the ledger.
    examples: [{name: invoice, ask: Pay the bill of our electrician, input: {}}]

Use instead:

    description: Pay a bill. Writes an entry to the ledger.
    examples: [{name: invoice, ask: Pay the bill of our electrician, input: {}}]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from toolgen.base.suggestions import quoted
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.lint.asks import SearchedAsk, search_asks
from toolgen.language.program import ProgramTool


def check(tools: Sequence[ProgramTool]) -> Iterator[Diagnostic]:
    """Warn about examples whose `ask` does not find its tool among all `tools` of the project."""
    return unfindable(search_asks(tools))


def unfindable(asks: Iterable[SearchedAsk]) -> Iterator[Diagnostic]:
    """Yield a warning for each that has not found its tool."""
    for each in asks:
        if not each.is_found:
            others = ", ".join(map(quoted, each.found))
            instead = f"finds {others}, and not {quoted(each.tool)}" if others else "finds no tool"
            yield Diagnostic(
                each.place,
                "unfindable-ask",
                f"a search for this {instead}",
                "use the words of users in the description, the title or the names of parameters",
            )
