"""Rules about `allowed_callers` of targets: the model calls a tool, or programs that it writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.contract import Contract
from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.suggestions import quoted

_TARGETS: Final = ("anthropic", "openai")
_DEFAULT: Final = ("direct",)  # of both providers


def _callers(contract: Contract, target: str) -> tuple[str, ...]:
    found = getattr(contract.spec.options_of(target), "allowed_callers", None)
    return _DEFAULT if found is None else tuple(found)


def _edits(one: Contract, other: Contract, words: str) -> Iterator[ToolEdit]:
    """Yield an edit for each caller of `other` that `one` does not have."""
    for target in _TARGETS:
        for caller in _callers(other, target):
            if caller not in _callers(one, target):
                message = f"{target}: {quoted(caller)} {words}"
                yield ToolEdit(("targets", target, "allowed_callers"), message, [target, caller])


def _added(pair: ToolPair) -> Iterator[ToolEdit]:
    return _edits(pair.old, pair.new, "may call the tool")


def _removed(pair: ToolPair) -> Iterator[ToolEdit]:
    return _edits(pair.new, pair.old, "may not call the tool any more")


RULES: Final = {
    "callers-added": ToolRule(
        code="callers-added",
        fields=frozenset({"targets"}),
        check=_added,
        advice="check that the tool is safe in a loop of a program that the model writes",
        category=Category.SAFETY,
        level=Level.WARNING,
    ),
    "callers-removed": ToolRule(
        code="callers-removed",
        fields=frozenset({"targets"}),
        check=_removed,
        advice="keep the caller in `allowed_callers`",
        category=Category.WIRE,
        level=Level.ERROR,
    ),
}
PAGES: Final = {
    "callers-added": """\
callers-added: programs that the model writes may call the tool, or the model itself may.

A program calls a tool many times, with arguments that nobody has read. Without `allowed_callers`, only the
model calls the tool.
""",
    "callers-removed": """\
callers-removed: the model, or programs that it writes, may not call the tool any more.

The provider refuses such calls. Prompts and agents that rely on them fail.
""",
}
