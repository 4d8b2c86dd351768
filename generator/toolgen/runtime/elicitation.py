"""Questions that a tool asks the user while it works: `await context.elicit(message, Model)`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from threading import get_ident
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

from toolgen.base.escaping.characters import printable

from .errors import ConfirmationRequiredError, InvalidRequestError
from .isolation import WorkClock, called
from .text import well_formed

MAX_MESSAGE: Final = 20_000  # characters of a question, as of a preview in an error
_ATTEMPTS: Final = 2  # an answer that does not fit is asked for once more
# https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema
_KINDS: Final = ("string", "number", "integer", "boolean", "array")
_OF_TEXTS: Final = ("enum", "minLength", "maxLength", "format", "items", "minItems", "maxItems")
_KEYWORDS: Final = ("type", "title", "description", "default", "minimum", "maximum", *_OF_TEXTS)
_FORMATS: Final = ("email", "uri", "date", "date-time")

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Elicitation:
    """A question to the user with a form. The only invisible characters in `message` are line breaks."""

    tool_name: str
    message: str
    form: Mapping[str, Any]  # JSON Schema of an object: texts, numbers, true or false, lists of given texts
    model: type[BaseModel]  # that the answer is validated with


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


def elicit(
    ask: Elicit | None, message: str, model: type[Model], *, tool_name: str, clock: WorkClock | None
) -> Awaitable[ElicitationResult[Model]]:
    """Return what `ToolContext.elicit` returns. Raises UnusableQuestionError.

    `clock` stops while the user is asked; it is None in tests of implementations.
    """
    if clock is not None and clock.thread != get_ident():
        raise UnusableQuestionError(f"it needs an `async def`, and {tool_name} calls it in a thread")
    if ask is None:
        raise ConfirmationRequiredError(
            f"{tool_name} has to ask the user something, and the user cannot be asked here."
        )
    question = Elicitation(tool_name, message, form_of(model), model)
    return _elicit(ask, question, model, WorkClock() if clock is None else clock)


async def _elicit(
    ask: Elicit, question: Elicitation, model: type[Model], clock: WorkClock
) -> ElicitationResult[Model]:
    text, faults = question.message, ""
    for _ in range(_ATTEMPTS):
        shown = printable(well_formed(text)[:MAX_MESSAGE], keep="\n\t")
        with clock.stopped():
            answer = await called(ask, replace(question, message=shown))
        if not isinstance(answer, Mapping):
            return RefusedElicitation("cancel" if answer is None else "decline")
        try:
            return AcceptedElicitation(model.model_validate(dict(answer)))
        except ValidationError as error:
            # without values: what the user wrote may be private
            found = error.errors(include_url=False, include_input=False, include_context=False)
            faults = "; ".join(f"{'.'.join(map(str, each['loc'])) or 'it'}: {each['msg']}" for each in found)
            text = f"{question.message}\n\nThe last answer cannot be taken: {faults}"
    raise InvalidRequestError(f"The user's answer cannot be taken: {faults}")


def form_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return a model as a form of MCP. Raises UnusableQuestionError for a field that a form cannot have."""
    is_model = isinstance(model, type) and issubclass(model, BaseModel)
    schema = model.model_json_schema() if is_model else {}
    if schema.get("type") != "object":
        raise UnusableQuestionError(f"{model!r} is not a pydantic model with fields")
    properties: dict[str, Any] = {}
    for name, each in schema.get("properties", {}).items():
        properties[name] = _field(each, schema.get("$defs", {}))
        if properties[name] is None:
            raise UnusableQuestionError(
                f"the field {name!r} of {model.__name__} is neither text, a number, true or false, nor a "
                "list of given texts, and a form has nothing else; use several flat fields"
            )
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
    if merged.get("format") not in _FORMATS:
        merged["format"] = None
    if merged.get("type") == "array":
        choice = merged["items"] = _field(merged.get("items", {}), definitions)
        if choice is None or "enum" not in choice:
            return None
    if merged.get("type") not in _KINDS:
        return None
    return {key: value for key, value in merged.items() if key in _KEYWORDS and value is not None}


ElicitationResult: TypeAlias = AcceptedElicitation[Model] | RefusedElicitation
