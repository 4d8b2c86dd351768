"""What models that this process has built are as JSON: what was put into them, and nothing made up."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final, Literal, get_args, get_origin
from weakref import WeakKeyDictionary

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, SchemaSerializer, core_schema, to_json

from toolgen.runtime.validation.compiled_schema import CompiledSchema
from toolgen.schema.document import JsonPath, Located, follow
from toolgen.schema.validator import SubschemaValidators

_SERIALIZER: Final = SchemaSerializer(core_schema.any_schema())
_SCALARS: Final = frozenset((bool, bytes, float, int, str, type(None)))
_LISTS: Final = (list, tuple, set, frozenset)
_DEPTH: Final = 150  # of subschemas that apply to one value, and of the value

_VISITED: WeakKeyDictionary[type[BaseModel], tuple[str, ...]] = WeakKeyDictionary()


def dump(value: Any) -> Any:
    """Return a model, or a value with models in it, as JSON.

    A field is sent if it was set, or if its JSON now differs from that of its default. Raises
    `pydantic_core.PydanticSerializationError`.
    """
    value = _with_changes(value)
    return dump_set(value) if isinstance(value, BaseModel) else _dump_any(value)


def dump_set(model: BaseModel) -> Any:
    """Return the fields of a model that were set as JSON: `model_dump` without its overhead."""
    return model.__pydantic_serializer__.to_python(
        model, mode="json", by_alias=True, exclude_unset=True, warnings=False
    )


def _dump_any(value: Any) -> Any:
    return _SERIALIZER.to_python(value, mode="json", by_alias=True, exclude_unset=True, warnings=False)


def _with_changes(value: Any) -> Any:
    """Return `value`, or a copy in which fields count as set if they differ from their defaults."""
    try:
        return _changed(value)
    except RecursionError:
        raise PydanticSerializationError("it is nested too deeply, or contains itself") from None


def _changed(value: Any) -> Any:
    kind = type(value)
    if kind in _SCALARS:
        return value
    if isinstance(value, BaseModel):
        return value if is_whole(kind) else _changed_model(value)
    if isinstance(value, dict):
        items = {name: each if type(each) in _SCALARS else _changed(each) for name, each in value.items()}
        return items if any(items[name] is not each for name, each in value.items()) else value
    if isinstance(value, _LISTS):
        listed = [each if type(each) in _SCALARS else _changed(each) for each in value]
        return listed if any(map(_is_other, listed, value)) else value
    return value


def _is_other(one: object, other: object) -> bool:
    return one is not other


def _changed_model(model: BaseModel) -> BaseModel:
    kind, values, set_fields = type(model), vars(model), model.model_fields_set
    update: dict[str, Any] = {}
    for name in _visited(kind):
        if name not in values:  # `model_construct` may leave it out
            continue
        old = values[name]
        if name in set_fields:
            if (new := _changed(old)) is not old:
                update[name] = new
            continue
        field = kind.model_fields[name]
        if field.default is old and type(old) in _SCALARS:
            continue
        new, default = _changed(old), field.get_default(call_default_factory=True, validated_data=values)
        if field.is_required() or _as_text(new) != _as_text(_changed(default)):
            update[name] = new
    for name, old in (model.model_extra or {}).items():
        if (new := _changed(old)) is not old:
            update[name] = new
    return model.model_copy(update=update) if update else model


def _as_text(value: Any) -> str:
    """Return a text that differs for different JSON: 1 is not 1.0, and the order of keys means nothing."""
    return json.dumps(_dump_any(value), sort_keys=True)


def is_whole(kind: type[BaseModel]) -> bool:
    """True if pydantic dumps all that is in instances of a class: there is no default to be changed."""
    return not _visited(kind) and kind.model_config.get("extra") != "allow"


def _visited(kind: type[BaseModel]) -> tuple[str, ...]:
    """Return the names of the fields that have a default, or can hold a model that is not whole."""
    found = _VISITED.get(kind)
    if found is None:
        fields = kind.model_fields.items()
        found = _VISITED[kind] = tuple(
            name for name, each in fields if not each.is_required() or _may_change(each.annotation, {kind})
        )
    return found


def _may_change(annotation: Any, seen: set[type[BaseModel]]) -> bool:
    """True if a value of a type can hold a model with a default. `seen` has the classes on the way."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if annotation in seen:
            return any(not each.is_required() for each in annotation.model_fields.values())
        seen.add(annotation)
        return annotation.model_config.get("extra") == "allow" or any(
            not each.is_required() or _may_change(each.annotation, seen)
            for each in annotation.model_fields.values()
        )
    if annotation in _SCALARS or get_origin(annotation) is Literal:
        return False
    parts = get_args(annotation)
    return not parts or any(_may_change(each, seen) for each in parts)


def without_refused_nulls(schema: CompiledSchema, value: Any) -> Any:
    """Return a JSON value that `schema` refuses without the nulls that it need not have.

    These are declared, optional properties whose own schema refuses null. The value comes back as it is if
    the schema does not accept it without them either.
    """
    if b"null" not in to_json(value, inf_nan_mode="constants") or schema.is_too_expensive(value):
        return value
    found = _Nulls(schema).removed(value, (), _DEPTH)
    return found if found is not value and schema.is_valid(found) else value


class _Nulls:
    """Removes nulls that a schema refuses, along the subschemas that apply to each part of a value."""

    def __init__(self, schema: CompiledSchema) -> None:
        self._document = schema.document.plain
        self._validators = schema.parts

    @cached_property
    def _subschemas(self) -> SubschemaValidators:
        return SubschemaValidators(self._document.schema)

    def removed(self, value: Any, path: JsonPath, depth: int) -> Any:
        """Return `value`, or a copy without the nulls that the subschema at `path` refuses."""
        schema = follow(self._document.schema, path)
        if not depth or not isinstance(schema, dict) or not isinstance(value, dict | list):
            return value
        for _, target in self._document.references(schema, path):
            if isinstance(target, Located):
                value = self.removed(value, target.path, depth - 1)
        for index in range(len(schema.get("allOf", ()))):
            value = self.removed(value, (*path, "allOf", index), depth - 1)
        value = self._in_parts(value, schema, path, depth)
        for keyword in ("anyOf", "oneOf"):
            branches = [(*path, keyword, index) for index in range(len(schema.get(keyword, ())))]
            if not any(self._accepts(branch, value) for branch in branches):
                tried = ((branch, self.removed(value, branch, depth - 1)) for branch in branches)
                value = next((each for branch, each in tried if self._accepts(branch, each)), value)
        if "if" in schema:
            chosen = "then" if self._accepts((*path, "if"), value) else "else"
            value = self.removed(value, (*path, chosen), depth - 1) if chosen in schema else value
        return value

    def _in_parts(self, value: Any, schema: Mapping[str, Any], path: JsonPath, depth: int) -> Any:
        if isinstance(value, list):
            first, rest = schema.get("prefixItems", ()), schema.get("items")
            listed = rest if isinstance(rest, list) else first
            keyword = "items" if listed is rest else "prefixItems"
            return [
                self.removed(each, (*path, keyword, index), depth - 1)
                if index < len(listed)
                else self.removed(each, (*path, "items"), depth - 1)
                if isinstance(rest, dict)
                else each
                for index, each in enumerate(value)
            ]
        declared, required = schema.get("properties", {}), schema.get("required", ())
        found: dict[str, Any] = {}
        for name, each in value.items():
            below = (*path, "properties", name)
            if name not in declared:
                below = (*path, "additionalProperties")
                is_open = isinstance(schema.get("additionalProperties"), dict)
                found[name] = self.removed(each, below, depth - 1) if is_open else each
            elif each is not None or name in required or self._accepts(below, None):
                found[name] = self.removed(each, below, depth - 1)
        return found

    def _accepts(self, path: JsonPath, value: Any) -> bool:
        if path not in self._validators:
            self._validators[path] = self._subschemas.at(path)
        validator = self._validators[path]
        return validator is None or bool(validator.is_valid(value))
