"""A tool whose implementation is tested: what its spec promises, as plain data for another process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypedDict

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
    tool: str = ""  # another tool, whose call follows that of the example `near`

    @property
    def first(self) -> str:
        """Return the name of the example whose call is made before; empty if there is none."""
        return self.near if self.tool else self.after


@dataclass(frozen=True, slots=True)
class Pages:
    """JSON Pointers of the items and the next cursor in the response, and of the cursor in the request."""

    items: str
    cursor: str
    cursor_of_request: str


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
    destructive: bool = True
    idempotent: bool = False
    timeout: float | None = None
    pages: Pages | None = None
    examples: tuple[ExpectedCall, ...] = ()
    outcomes_file: str = ""  # where its outcomes are recorded, below the project's root
    outcomes: Mapping[str, JsonObject] = field(default_factory=dict)  # name of an example → outcome
    neighbours: tuple[Neighbour, ...] = ()
    has_invalid_records: bool = False  # of requests that the schema refuses now; they are not repeated

    @property
    def is_harmless(self) -> bool:
        """True if the contract says that no call does harm; otherwise the tool acts."""
        return not self.confirms and (self.read_only or (self.idempotent and not self.destructive))

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return asdict(self)

    @staticmethod
    def of_data(data: Mapping[str, Any]) -> ToolUnderTest:
        """Return the tool of `as_data`."""
        examples = tuple(
            ExpectedCall(**{**each, "place": Span(**each["place"])}) for each in data["examples"]
        )
        tuples: dict[str, Any] = {key: tuple(data[key]) for key in ("errors", "scopes")}
        tuples["neighbours"] = tuple(Neighbour(**each) for each in data["neighbours"])
        tuples["pages"] = None if data.get("pages") is None else Pages(**data["pages"])
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


class Hints(TypedDict):
    """The annotations that decide whether a call does harm."""

    read_only: bool
    destructive: bool
    idempotent: bool


def hints_of(annotations: Mapping[str, Any] | None) -> Hints:
    """Return the hints of a tool's annotations, with MCP's defaults for missing ones."""
    given = annotations or {}
    return Hints(
        read_only=given.get("readOnlyHint") is True,
        destructive=given.get("destructiveHint") is not False,
        idempotent=given.get("idempotentHint") is True,
    )


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
        **hints_of(None if hints is None else hints.model_dump()),
        timeout=spec.timeout,
        pages=None if spec.page is None else Pages(spec.page.items, spec.page.cursor, spec.page.from_),
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
