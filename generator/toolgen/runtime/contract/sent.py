"""Write models that this process has built as JSON: what was put into them, and nothing made up."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from operator import is_not
from typing import Any, Final, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, SchemaSerializer, core_schema, to_json

from toolgen.runtime.validation.compiled_schema import CompiledSchema
from toolgen.runtime.validation.complexity import is_for_other
from toolgen.runtime.validation.schema_lookup import SchemaLookup
from toolgen.schema.document import Schema, subschemas

_SERIALIZER: Final = SchemaSerializer(core_schema.any_schema())
_SCALARS: Final = frozenset((bool, bytes, float, int, str, type(None)))
_LISTS: Final = (list, tuple, set, frozenset)


def dump(value: Any) -> Any:
    """Return a model, or a value with models in it, as JSON.

    A field is sent if it was set, or if its JSON now differs from that of its default. Raises
    `pydantic_core.PydanticSerializationError`.
    """
    if isinstance(value, BaseModel):
        return dump_model(value)
    return _dump_any(_within_depth(_changed, value))


def dump_model(model: BaseModel) -> Any:
    """Return a model as JSON, as `dump` does."""
    return dump_set(model if _is_plain(type(model)) else _within_depth(_changed_model, model))


def _within_depth(change: Callable[[Any], Any], value: Any) -> Any:
    try:
        return change(value)
    except RecursionError:
        raise PydanticSerializationError("it is nested too deeply, or contains itself") from None


def dump_set(model: BaseModel) -> Any:
    """Return the fields of a model that were set as JSON: `model_dump` without its overhead."""
    return model.__pydantic_serializer__.to_python(
        model, mode="json", by_alias=True, exclude_unset=True, warnings=False
    )


def _dump_any(value: Any) -> Any:
    return _SERIALIZER.to_python(value, mode="json", by_alias=True, exclude_unset=True, warnings=False)


def _changed(value: Any) -> Any:
    kind = type(value)
    if kind in _SCALARS:
        return value
    if isinstance(value, BaseModel):
        # a field of the type of its base class would not have all of its own
        is_subclass = kind.__base__ is not BaseModel and getattr(kind.__base__, "model_fields", None)
        return dump(value) if is_subclass else _changed_model(value)
    if isinstance(value, dict):
        items = {name: each if type(each) in _SCALARS else _changed(each) for name, each in value.items()}
        return items if any(map(is_not, items.values(), value.values())) else value
    if isinstance(value, _LISTS):
        listed = [each if type(each) in _SCALARS else _changed(each) for each in value]
        return listed if any(map(is_not, listed, value)) else value
    return value


def _changed_model(model: BaseModel) -> BaseModel:
    """Return a model, or a copy in which fields count as set if they differ from their defaults."""
    if _is_plain(type(model)):
        return model
    values, set_fields = vars(model), model.model_fields_set
    update: dict[str, Any] = {}
    for name, field in type(model).model_fields.items():
        if name not in values:  # `model_construct` may leave it out
            continue
        old = values[name]
        is_set, is_scalar = name in set_fields, type(old) in _SCALARS
        if is_scalar and (is_set or field.default is old):
            continue
        if not is_set and not is_scalar and _is_empty_default(field, old):
            continue
        new = _changed(old)
        if new is not old if is_set else not _is_default(field, new, values):
            update[name] = new
    for name, old in (model.__pydantic_extra__ or {}).items():
        if (new := _changed(old)) is not old:
            update[name] = new
    return model.model_copy(update=update) if update else model


def _is_empty_default(field: FieldInfo, value: Any) -> bool:
    # the usual case, for which pydantic would inspect the signature of `list`
    is_empty = type(value) in (list, dict) and not value
    return is_empty and (field.default == value or field.default_factory is type(value))


def _is_default(field: FieldInfo, value: Any, values: dict[str, Any]) -> bool:
    if field.is_required():
        return False
    try:
        default = _changed(field.get_default(call_default_factory=True, validated_data=values))
    except Exception:  # a factory that the user has written: the value is sent
        return False
    return _as_text(value) == _as_text(default)


def _as_text(value: Any) -> str:
    """Return a text that differs for different JSON: 1 is not 1.0, and the order of keys means nothing."""
    return json.dumps(_dump_any(value), sort_keys=True)


def _is_plain(kind: type[BaseModel]) -> bool:
    """True if a model of this class, which is the usual case, can hold only what was set in it."""
    models = _plain_models(kind)
    # the code may define subclasses at any time
    return models is not None and not any(map(type.__subclasses__, models))


@lru_cache(1_000)
def _plain_models(kind: type[BaseModel]) -> Sequence[type[BaseModel]] | None:
    """Return the models in a class; None if more can be in it than was set, even without subclasses."""
    models = _held(kind, set())
    return None if any(map(_may_change, models)) else tuple(models)


def _may_change(kind: type[BaseModel]) -> bool:
    """True if an unset field can differ from its default: a list changed in place, the value of a factory.

    A text, a number or None can change only by an assignment, which sets the field.
    """
    is_open = kind is BaseModel or kind.model_config.get("extra") == "allow"
    return is_open or any(
        field.default_factory is not None or not (field.is_required() or type(field.default) in _SCALARS)
        for field in kind.model_fields.values()
    )


def _held(annotation: Any, found: set[type[BaseModel]]) -> set[type[BaseModel]]:
    """Add to `found` the models that a value of a type can hold, at any depth: BaseModel if it can be any."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if annotation not in found:
            found.add(annotation)
            for field in annotation.model_fields.values():
                _held(field.annotation, found)
    elif annotation not in _SCALARS and get_origin(annotation) is not Literal:
        parts = get_args(annotation)
        for each in parts or (BaseModel,):
            _held(each, found)
    return found


def without_refused_nulls(schema: CompiledSchema, value: Any) -> Any:
    """Return a JSON value that `schema` refuses without the nulls that it need not have.

    These are optional properties whose declaration refuses null. The value comes back as it is if the schema
    does not accept it without them either.
    """
    if b"null" not in to_json(value, inf_nan_mode="constants") or schema.is_too_expensive(value):
        return value
    nulls = _Nulls(schema)
    # of several declarations, in the branches of a union for one, first all must agree
    for decide in (all, any):
        found = nulls.removed(value, nulls.lookup.whole(), decide)
        if found is not value and schema.is_valid(found):
            return found
    return value


class _Nulls:
    """Removes nulls that a schema refuses, by all of its parts that may apply to each part of a value."""

    def __init__(self, schema: CompiledSchema) -> None:
        self.lookup = SchemaLookup(schema.document)
        self._document = schema.document.plain
        self._accepts = schema.part_accepts
        self._paths = {id(part): path for path, part in subschemas(self._document.schema)}

    def removed(self, value: Any, schemas: list[Schema], decide: Callable[[Iterable[bool]], bool]) -> Any:
        """Return a value, without the nulls that all or any of `schemas` refuse, as `decide` says."""
        if isinstance(value, list):
            items = [
                self.removed(each, self.lookup.inside(schemas, index), decide)
                for index, each in enumerate(value)
            ]
            return items if any(map(is_not, items, value)) else value
        if not isinstance(value, dict):
            return value
        schemas = self._intended(schemas, value)
        found = {
            name: self.removed(each, self.lookup.inside(schemas, name), decide)
            for name, each in value.items()
            if each is not None or not self._is_refused(name, schemas, decide)
        }
        same = len(found) == len(value) and not any(map(is_not, found.values(), value.values()))
        return value if same else found

    def _intended(self, schemas: list[Schema], value: dict[str, Any]) -> list[Schema]:
        """Return `schemas` without the branches that are for objects with other constants."""
        branches = [branch for each in schemas for key in ("anyOf", "oneOf") for branch in each.get(key, ())]
        others = [each for each in branches if is_for_other(self._document, each, value)]
        left_out = {id(each) for each in self._document.same_value_schemas(others)}
        return [each for each in schemas if id(each) not in left_out]

    def _is_refused(self, name: str, schemas: list[Schema], decide: Callable[[Iterable[bool]], bool]) -> bool:
        declared = [each["properties"][name] for each in schemas if name in each.get("properties", ())]
        required = [name in each.get("required", ()) for each in schemas]
        return bool(declared) and not decide(required) and decide(map(self._refuses_null, declared))

    def _refuses_null(self, schema: Any) -> bool:
        return schema is False or (
            isinstance(schema, dict) and not self._accepts(self._paths[id(schema)], None)
        )
