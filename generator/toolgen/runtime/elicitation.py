"""Questions that a tool asks the user while it works: `await context.elicit(message, Model)`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

from toolgen.escaping.characters import printable

from .errors import ConfirmationRequiredError, InvalidRequestError
from .text import well_formed

if TYPE_CHECKING:
    from .isolation.time_limit import WorkClock

MAX_MESSAGE: Final = 20_000  # characters of a question, as of a preview in an error
_ATTEMPTS: Final = 2  # an answer that does not fit is asked for once more
# https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema
_KEYWORDS: Final[Mapping[str, frozenset[str]]] = {
    "string": frozenset(("enum", "minLength", "maxLength", "format")),
    "number": frozenset(("minimum", "maximum")),
    "integer": frozenset(("minimum", "maximum")),
    "boolean": frozenset(),
    "array": frozenset(("items", "minItems", "maxItems")),
}
_FORMATS: Final = ("email", "uri", "date", "date-time")

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Elicitation:
    """A question to the user with a form. The only invisible characters in `message` are line breaks."""

    tool_name: str
    message: str
    form: Mapping[str, Any]  # JSON Schema of an object: texts, numbers, true or false, lists of given texts


Elicit: TypeAlias = Callable[[Elicitation], Awaitable[Mapping[str, Any] | bool | None]]
"""Asks the user. A mapping: the form as the user has filled it in; False: no (`decline`); None: closed
without an answer (`cancel`). Anything else counts as no."""


@dataclass(frozen=True, slots=True)
class AcceptedElicitation(Generic[Model]):
    """The user has filled in the form: `data` is an instance of the question's model."""

    data: Model
    action: Literal["accept"] = "accept"


@dataclass(frozen=True, slots=True)
class RefusedElicitation:
    """The user has said no (`decline`), or closed the question (`cancel`)."""

    action: Literal["decline", "cancel"]
    data: None = None


class UnusableQuestionError(TypeError):
    """A tool asks the user in a way that cannot work. The message, for the log, contains no values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How a call asks the user.

    Attributes:
        tool_name: the wire name of its tool.
        ask: asks the user; None if nobody can be asked.
        clock: stops while the user is asked; None in tests of implementations.
    """

    tool_name: str
    ask: Elicit | None
    clock: WorkClock | None

    def elicit(self, message: str, model: type[Model]) -> Awaitable[ElicitationResult[Model]]:
        """Return what `ToolContext.elicit` returns. Raises UnusableQuestionError."""
        try:
            running: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:
            running = None
        if running is None or (self.clock is not None and self.clock.loop is not running):
            raise UnusableQuestionError(f"it needs an `async def`, and {self.tool_name} calls it in a thread")
        return self._elicit(message, model, form_of(model))

    async def _elicit(
        self, message: str, model: type[Model], form: Mapping[str, Any]
    ) -> ElicitationResult[Model]:
        if self.ask is None:
            raise ConfirmationRequiredError(
                f"{self.tool_name} has to ask the user something, and the user cannot be asked here."
            )
        text, faults = message, ""
        for _ in range(_ATTEMPTS):
            shown = printable(well_formed(text)[:MAX_MESSAGE], keep="\n\t")
            with nullcontext() if self.clock is None else self.clock.stopped():
                answer: Any = self.ask(Elicitation(self.tool_name, shown, form))
                answer = await answer if isawaitable(answer) else answer
            if not isinstance(answer, Mapping):
                return RefusedElicitation("cancel" if answer is None else "decline")
            try:
                return AcceptedElicitation(model.model_validate(dict(answer)))
            except ValidationError as error:
                # without values: what the user wrote may be private
                found = error.errors(include_url=False, include_input=False, include_context=False)
                faults = "; ".join(
                    f"{'.'.join(map(str, each['loc'])) or 'it'}: {each['msg']}" for each in found
                )
                text = f"{message}\n\nThe last answer cannot be taken: {faults}"
        raise InvalidRequestError(f"The user's answer cannot be taken: {faults}")


def form_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return a model as a form of MCP. Raises UnusableQuestionError for a field that a form cannot have."""
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        raise UnusableQuestionError(f"it needs a pydantic model, not {model!r}")
    schema = model.model_json_schema()
    if schema.get("type") != "object":
        raise UnusableQuestionError(f"{model.__name__} is not a model with fields")
    definitions = schema.get("$defs", {})
    properties: dict[str, Any] = {}
    for name, each in schema.get("properties", {}).items():
        field = _field(each, definitions)
        if field is None:
            raise UnusableQuestionError(
                f"the field {name!r} of {model.__name__} is neither text, a number, true or "
                "false, nor a list of given texts, and a form has nothing else; use several flat fields"
            )
        properties[name] = field
    return {"type": "object", "properties": properties, "required": schema.get("required", [])}


def _field(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the schema of a field as forms have it; None if they cannot have it."""
    # an optional field is one that may be left out: forms have no null
    kinds = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    merged = {**schema, **(kinds[0] if len(kinds) == 1 else {})}
    if "$ref" in merged:
        merged = {**definitions[merged["$ref"].rpartition("/")[2]], **merged}
    if "const" in merged:
        merged["enum"] = [merged["const"]]
    kind: str = merged.get("type", "")
    if kind not in _KEYWORDS or (kind == "array" and not _is_choice(merged.get("items", {}), definitions)):
        return None
    if kind == "array":
        merged["items"] = _field(merged["items"], definitions)
    if merged.get("format") not in _FORMATS:
        merged.pop("format", None)
    if merged.get("default") is None:
        merged.pop("default", None)
    allowed = _KEYWORDS[kind] | {"type", "title", "description", "default"}
    return {key: value for key, value in merged.items() if key in allowed}


def _is_choice(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> bool:
    field = _field(schema, definitions)
    return field is not None and field["type"] == "string" and "enum" in field


ElicitationResult: TypeAlias = AcceptedElicitation[Model] | RefusedElicitation
