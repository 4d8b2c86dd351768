"""A tool whose implementation is tested: what its spec promises, as plain data for another process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from toolgen.data.program import ProgramTool
from toolgen.data.source import Span
from toolgen.schema.document import JsonObject, JsonPath, Schema


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """An example of a spec: a call and how it ends."""

    name: str
    arguments: JsonObject
    place: Span
    has_output: bool = False
    output: Any = None
    error: str | None = None  # the code that it ends in
    index: int = 0  # in the spec

    @property
    def title(self) -> str:
        """Return the name in quotes, as messages show it."""
        return f"example '{self.name}'"


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A recorded call that is not in the spec: a request near an example, with another outcome."""

    near: str  # name of the example
    arguments: JsonObject
    outcome: JsonObject
    after: str = ""  # name of an example whose call is made before, with the same data


@dataclass(frozen=True, slots=True)
class ToolUnderTest:
    """The contract of a tool, as far as calls can show whether it is kept."""

    name: str
    place: Span  # of its name
    input_schema: Schema
    output_schema: Schema | None = None
    chunk_schema: Schema | None = None  # of a stream
    errors: tuple[str, ...] = ()  # declared codes
    scopes: tuple[str, ...] = ()
    confirms: bool = False  # the user is asked
    previews: bool = False
    may_skip_question: bool = False  # a client that cannot ask may go ahead
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    timeout: float | None = None
    examples: tuple[ExpectedCall, ...] = ()
    outcomes_file: str = ""  # where its outcomes are recorded, below the project's root
    outcomes: Mapping[str, JsonObject] = field(default_factory=dict)  # name of an example → outcome
    neighbours: tuple[Neighbour, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return asdict(self)

    @staticmethod
    def of_data(data: Mapping[str, Any]) -> ToolUnderTest:
        """Return the tool of `as_data`."""
        examples = tuple(
            ExpectedCall(**{**each, "place": Span(**each["place"])}) for each in data["examples"]
        )
        tuples = {key: tuple(data[key]) for key in ("errors", "scopes")}
        tuples["neighbours"] = tuple(Neighbour(**each) for each in data["neighbours"])
        return ToolUnderTest(**{**data, **tuples, "place": Span(**data["place"]), "examples": examples})

    def arguments_of(self, example: str) -> JsonObject | None:
        """Return the request of an example; None if there is none of that name."""
        return next((each.arguments for each in self.examples if each.name == example), None)

    def place_of(self, example: str) -> Span:
        """Return the place of an example; of the tool's name, if there is none of that name."""
        return next((each.place for each in self.examples if each.name == example), self.place)

    def with_examples(self, examples: tuple[ExpectedCall, ...]) -> ToolUnderTest:
        """Return the same tool with other examples."""
        return replace(self, examples=examples)


def tool_under_test(tool: ProgramTool) -> ToolUnderTest:
    """Return what is tested of a tool, with the places of its name and its examples."""
    spec = tool.spec
    hints = spec.annotations
    confirm = spec.confirm
    return ToolUnderTest(
        name=spec.name,
        place=tool.source.value(("name",)),
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        chunk_schema=tool.chunk_schema,
        errors=tuple(error.code for error in spec.errors),
        scopes=tuple(spec.auth.scopes) if spec.auth else (),
        confirms=confirm is not None,
        previews=confirm is not None and confirm.preview,
        may_skip_question=confirm is not None and confirm.on_unsupported == "allow",
        read_only=bool(hints and hints.readOnlyHint),
        destructive=confirm is not None or bool(hints and hints.destructiveHint),
        idempotent=bool(hints and hints.idempotentHint),
        timeout=spec.timeout,
        examples=tuple(_expected(tool, index) for index in range(len(spec.examples))),
    )


def _expected(tool: ProgramTool, index: int) -> ExpectedCall:
    example = tool.spec.examples[index]
    path: JsonPath = ("examples", index, "name")
    return ExpectedCall(
        name=example.name,
        arguments=example.input,
        place=tool.source.value(path),
        has_output="output" in example.model_fields_set,
        output=example.output,
        error=example.error,
        index=index,
    )
