"""A tool whose implementation is tested: what its spec promises, as plain data for another process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

from toolgen.language.source import Span
from toolgen.runtime.definition.semantics.only_if import OnlyIf, only_if_of
from toolgen.schema.document import JsonObject, Schema

if TYPE_CHECKING:  # which the processes that run tests need not import
    from toolgen.language.program import ProgramTool


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """An example of a spec: a call and how it ends."""

    name: str
    arguments: JsonObject
    place: Span = field(compare=False)  # an example that only moved in its file is the same
    has_output: bool = False
    output: Any = None
    error: str | None = None  # the code that it ends in
    index: int = field(default=0, compare=False)  # in the spec

    @property
    def title(self) -> str:
        """Return the name in quotes, as messages show it."""
        return f"example '{self.name}'"


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A recorded call that is not in the spec: a request near an example."""

    near: ExpectedCall
    arguments: JsonObject
    outcome: JsonObject


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
    asks: bool = False  # the user may be asked during a call
    previews: bool = False
    only_if: OnlyIf | None = None
    may_skip_question: bool = False  # a client that cannot ask may go ahead
    needs_people: bool = False  # who sign its calls
    read_only: bool = False
    destructive: bool = True
    idempotent: bool = False
    timeout: float | None = None
    pages: Pages | None = None
    examples: tuple[ExpectedCall, ...] = ()
    outcomes_file: str = ""  # where its outcomes are recorded, below the project's root
    outcomes: Mapping[str, JsonObject] = field(default_factory=dict)  # name of an example → outcome
    neighbours: tuple[Neighbour, ...] = ()  # whose outcomes are recorded, too

    @property
    def is_harmless(self) -> bool:
        """True if the contract says that no call does harm; otherwise the tool acts."""
        return not self.confirms and (self.read_only or (self.idempotent and not self.destructive))

    def only_previews(self, arguments: JsonObject) -> bool:
        """True if a call with these arguments asks nobody and does nothing."""
        return self.only_if is not None and self.only_if.is_false(arguments)


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
        asks=spec.asks,
        previews=confirm is not None and confirm.preview,
        only_if=only_if_of(None if confirm is None else confirm.only_if, tool.documents["input_schema"]),
        may_skip_question=confirm is not None and confirm.on_unsupported == "allow",
        needs_people=confirm is not None and confirm.proof == "person",
        **hints_of(None if hints is None else hints.model_dump()),
        timeout=spec.timeout,
        pages=None if spec.page is None else Pages(spec.page.items, spec.page.cursor, spec.page.from_),
        examples=expected_calls(tool),
    )


def expected_calls(tool: ProgramTool) -> tuple[ExpectedCall, ...]:
    """Return the examples of a tool's spec."""
    return tuple(
        ExpectedCall(
            name=example.name,
            arguments=example.input,
            place=tool.source.value(("examples", index, "name")),
            has_output="output" in example.model_fields_set,
            output=example.output,
            error=example.error,
            index=index,
        )
        for index, example in enumerate(tool.spec.examples)
    )
