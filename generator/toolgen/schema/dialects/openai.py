"""The JSON Schema that OpenAI's strict mode accepts, made from the author's, and arguments brought back.

Strict mode wants closed objects whose properties are all required; a property that may be absent becomes one
that may be null, and `restore` takes exactly those nulls out again.
The rules: https://developers.openai.com/api/docs/guides/structured-outputs
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.schema.loss import Loss
from toolgen.schema.providers import OPENAI_STRICT
from toolgen.schema.strict.convert import Emitter
from toolgen.schema.strict.normal_form import Document, UnfitError


@dataclass(frozen=True, slots=True)
class Strict:
    """A strict schema, or none where a loss is fatal."""

    schema: dict[str, Any] | None
    losses: tuple[Loss, ...]


def to_strict(schema: Mapping[str, Any]) -> Strict:
    """The strict form of `schema`, which stands by itself, and what gets lost by it."""
    emitter = Emitter(Document(schema))
    try:
        strict = emitter.root()
    except UnfitError as unfit:
        return Strict(None, (*emitter.losses, unfit.loss))
    losses = (*emitter.losses, *exceeded_limits(strict))
    return Strict(None if any(loss.fatal for loss in losses) else strict, losses)


def publish(
    schema: Mapping[str, Any], strict: bool | None
) -> tuple[Mapping[str, Any], bool, tuple[Loss, ...]]:
    """What a tool publishes: its parameters, the strict flag, and the losses to tell the author.

    `strict` is the spec's `targets.openai.strict`. True: the strict form wherever there is one, and every
    loss. False: the author's schema. None: the strict form only where nothing gets lost by it.
    """
    if strict is False:
        return schema, False, ()
    made = to_strict(schema)
    if made.schema is None or (strict is None and made.losses):
        return schema, False, made.losses if strict else ()
    return made.schema, True, made.losses


def exceeded_limits(strict: dict[str, Any]) -> tuple[Loss, ...]:
    """A fatal loss for each limit of the provider that `strict` exceeds."""
    limits, places = OPENAI_STRICT, list(_places(strict))
    enums = [place["enum"] for place in places if "enum" in place]
    names = [name for place in places for name in place.get("properties", ())] + list(strict.get("$defs", ()))
    consts = [place["const"] for place in places if "const" in place]
    text = sum(map(len, names)) + sum(map(_text, enums)) + _text(consts)
    long_text = max((_text(enum) for enum in enums if len(enum) > limits.long_enum), default=0)
    long_what = f"characters in an enum of more than {limits.long_enum} values"
    counted = (
        ("properties", "properties in all", len(names) - len(strict.get("$defs", ())), limits.properties),
        ("properties", "objects inside each other", _depth(strict), limits.depth),
        ("enum", "enum values in all", sum(map(len, enums)), limits.enum_values),
        ("enum", "characters of names and values in all", text, limits.text),
        ("enum", long_what, long_text, limits.long_enum_text),
    )
    return tuple(
        Loss((), keyword, f"Strict mode allows {most} {what}, and there are {count}.", fatal=True)
        for keyword, what, count, most in counted
        if count > most
    )


def _text(values: list[Any]) -> int:
    return sum(len(value) for value in values if isinstance(value, str))


def _places(printed: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield printed
    for below in _below(printed):
        yield from _places(below)
    for definition in printed.get("$defs", {}).values():
        yield from _places(definition)


def _below(printed: dict[str, Any]) -> list[dict[str, Any]]:
    found = [*printed.get("properties", {}).values(), *printed.get("anyOf", ())]
    return [*found, printed["items"]] if "items" in printed else found


def _depth(strict: dict[str, Any]) -> int:
    """Objects inside objects. What contains itself has no depth, so references to it are not followed."""
    defs = strict.get("$defs", {})
    uses = {
        name: {each["$ref"] for each in _places(printed) if "$ref" in each} for name, printed in defs.items()
    }
    known = {"#": 0} | {f"#/$defs/{name}": 0 for name in defs if _reaches(name, uses)}

    def deep(printed: dict[str, Any]) -> int:
        reference = printed.get("$ref")
        if reference is None:
            below = max(map(deep, _below(printed)), default=0)
            return below + (printed.get("type") == "object")
        if reference not in known:
            known[reference] = deep(defs[reference.removeprefix("#/$defs/")])
        return known[reference]

    return max(map(deep, (strict, *defs.values())))


def _reaches(name: str, uses: dict[str, set[str]]) -> bool:
    """Whether the definition `name` contains itself, also by way of others."""
    seen: set[str] = set()
    left = [*uses[name]]
    while left:
        reference = left.pop()
        if reference not in seen:
            seen.add(reference)
            left += uses.get(reference.removeprefix("#/$defs/"), ())
    return f"#/$defs/{name}" in seen
