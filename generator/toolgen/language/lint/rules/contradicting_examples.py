"""contradicting-examples: two examples have the same input and different results.

Example:

    examples:
      - {name: seven, input: {id: 7}, output: {found: true}}
      - {name: also seven, input: {id: 7}, output: {found: false}}

Use instead:

    examples:
      - {name: seven, input: {id: 7}, output: {found: true}}
      - {name: eight, input: {id: 8}, output: {found: false}}
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.language.diagnostic import Diagnostic, Note
from toolgen.language.program import ProgramTool
from toolgen.language.spec import Example
from toolgen.schema.document import same_value, value_key


def check(tool: ProgramTool) -> Iterator[Diagnostic]:
    """Warn about examples whose input is that of an earlier one, and whose result is not."""
    first: dict[object, int] = {}
    for index, example in enumerate(tool.spec.examples):
        # an example without a result cannot contradict another
        if example.error is None and "output" not in example.model_fields_set:
            continue
        earlier = first.setdefault(value_key(example.input), index)
        if earlier != index and not _same_result(tool.spec.examples[earlier], example):
            yield Diagnostic(
                tool.source.value(("examples", index, "input")),
                "contradicting-examples",
                "an earlier example has the same input and another result",
                "change one of the inputs, or remove an example; a mock answers by the first one",
                (Note(tool.source.value(("examples", earlier, "input")), "the earlier example"),),
            )


def _same_result(one: Example, other: Example) -> bool:
    return one.error == other.error and same_value(one.output, other.output)
