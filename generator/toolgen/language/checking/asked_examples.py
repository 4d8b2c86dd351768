"""Examples with `ask`: what only the specs of all tools together can decide about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from toolgen.base.suggestions import did_you_mean
from toolgen.language.compiled_spec import AskedExample
from toolgen.language.diagnostic import Diagnostic, Note
from toolgen.language.program import ProgramTool
from toolgen.schema.document import same_value


def asked_examples(tool: ProgramTool) -> Iterator[AskedExample]:
    """Yield the examples of a tool that have `ask`."""
    for index, example in enumerate(tool.spec.examples):
        if example.ask is not None:
            avoided = tuple(example.not_)
            yield AskedExample(tool.spec.name, index, example.ask, example.input, avoided, tool.source)


def find_unknown_tools(
    asked: Iterable[AskedExample], tools: Iterable[tuple[str, Sequence[str]]]
) -> list[Diagnostic]:
    """Return a fault for each name in `not` that no tool has; `tools` are all names, with their aliases."""
    aliases: dict[str, str] = {}
    names: set[str] = set()
    for name, others in tools:
        names.add(name)
        aliases |= dict.fromkeys(others, name)
    return [
        Diagnostic(
            example.source.value(("examples", example.index, "not", number)),
            "unknown-tool",
            f"there is no tool {name!r}",
            _hint(name, names - {example.tool}, aliases),
        )
        for example in asked
        for number, name in enumerate(example.avoided)
        if name not in names
    ]


def _hint(name: str, names: set[str], aliases: dict[str, str]) -> str:
    if name in aliases:
        return f"it is an alias; write {aliases[name]!r}"
    return did_you_mean(name, sorted(names)) or "use the `name` of another spec"


def find_contradicting_asks(asked: Iterable[AskedExample]) -> tuple[Diagnostic, ...]:
    """Return a warning for each example with the `ask` of an earlier one and another call.

    Letter case, spaces and punctuation at the end do not count.
    """
    first: dict[str, AskedExample] = {}
    found = []
    for example in sorted(asked, key=lambda each: (each.tool, each.index)):
        earlier = first.setdefault(_key(example.ask), example)
        if earlier is not example and not _same_call(earlier, example):
            found.append(_contradiction(earlier, example))
    return tuple(found)


def _key(ask: str) -> str:
    return " ".join(ask.casefold().split()).rstrip(" .!?")


def _same_call(one: AskedExample, other: AskedExample) -> bool:
    return one.tool == other.tool and same_value(one.input, other.input)


def _contradiction(earlier: AskedExample, example: AskedExample) -> Diagnostic:
    if earlier.tool == example.tool:
        message = "an earlier example has the same `ask` and another input"
    else:
        message = f"an example of {earlier.tool!r} has the same `ask`"
    return Diagnostic(
        example.source.value(("examples", example.index, "ask")),
        "contradicting-asks",
        message,
        "write into `ask` what distinguishes the two, or remove one of them",
        (Note(earlier.source.value(("examples", earlier.index, "ask")), "the other example"),),
    )
