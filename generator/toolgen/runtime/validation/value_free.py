"""Describe schema faults without values, for logs, whose readers may not be allowed to see the data."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from typing import Any

from jsonschema_rs import ValidationError
from pydantic import ValidationError as PydanticError

from toolgen.runtime.text import count, show_path
from toolgen.schema.document import subschemas

from .compiled_schema import CompiledSchema
from .fault_messages import sentence
from .faults import LIMIT, MISSING
from .json_value import find_non_json, path_of_error


def value_free_faults(schema: CompiledSchema | None, value: Any) -> str:
    """Return one line for each fault of `value`: its path, what was expected, the type that was received.

    Names of properties that `schema` does not declare are shown as `*`. At most 20 lines.
    """
    known = set() if schema is None else property_names(schema.schema)
    non_json = [
        f"- {_show(path, known)}: expected a JSON value, got {received}"
        for path, received in islice(find_non_json(value), LIMIT)
    ]
    if non_json or schema is None:
        return "\n".join(non_json)
    if not schema.explains(value):
        return "- $: does not fit the schema"
    lines = (
        f"- {_show(_path(error, value), known)}: {_expectation(error, schema.schema, known)}"
        for error in islice(schema.errors(value), LIMIT)
    )
    return "\n".join(dict.fromkeys(lines))


def value_free_model_faults(error: PydanticError, names: Collection[str]) -> str:
    """Return the faults that a pydantic model has found: paths, without names that are not in `names`."""
    faults = error.errors(include_input=False, include_url=False, include_context=False)
    found = dict.fromkeys(f"{_show(each['loc'], names)}: {each['type']}" for each in faults)
    return "; ".join([*found][:LIMIT])


def property_names(schema: Any) -> set[str]:
    """Return every property name that a schema declares."""
    found: set[str] = set()
    for _, part in subschemas(schema):
        properties, required = part.get("properties"), part.get("required")
        if isinstance(properties, Mapping):
            found.update(properties)
        if isinstance(required, list):
            found.update(name for name in required if isinstance(name, str))
    return found


def _path(error: ValidationError, value: Any) -> list[str | int]:
    path = list(path_of_error(value, error))
    kind: Any = error.kind
    return [*path, kind.property] if type(kind).__name__ == "Required" else path


def _expectation(error: ValidationError, schema: Mapping[str, Any], known: Collection[str]) -> str:
    kind: Any = error.kind
    match type(kind).__name__:
        case "Required":
            return MISSING if kind.property in known else "a required property is missing"
        case "AdditionalProperties" | "UnevaluatedProperties":
            return f"{count(len(kind.unexpected), 'unknown property')}"
        case "AnyOf" | "OneOfNotValid" | "OneOfMultipleValid":
            return "expected a value that fits one of the allowed forms"
        case "PropertyNames":
            return "a property name that is not allowed"
        case "Type":
            return f"{sentence(error, schema, hide=True)}, got {_kind(error.instance)}"
        case _:
            return sentence(error, schema, hide=True)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, list) else "an object"


def _show(path: Iterable[str | int], known: Collection[str]) -> str:
    steps = [show_path([step])[1:] if isinstance(step, int) or step in known else ".*" for step in path]
    return "$" + "".join(steps)
