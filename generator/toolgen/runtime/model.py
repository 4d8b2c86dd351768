"""Support for generated models: a base class that keeps unknown properties, and former names of classes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Self

from pydantic import BaseModel, ModelWrapValidatorHandler, model_validator


class OpenModel(BaseModel):
    """A model that has fields with aliases and keeps unknown keys.

    An unknown key may be equal to the Python name of a field: `start_date` beside the schema's `startDate`.
    pydantic would count that field as set and dump it as null. This class leaves it unset.
    """

    @model_validator(mode="wrap")
    @classmethod
    def _forget_namesakes(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        model = handler(data)
        extra = model.__pydantic_extra__
        if extra and isinstance(data, Mapping):
            fields = cls.__pydantic_fields__
            for name in extra.keys() & fields.keys():
                if fields[name].alias not in data:
                    model.__pydantic_fields_set__.discard(name)
        return model


def renamed_class(module: str, name: str, renamed: Mapping[str, str]) -> object:
    """Return the class that was called `name` in `module`, with a DeprecationWarning that names it.

    `renamed` maps former names to the names of classes in the module, or, with a dot, of classes in another
    module below the same package. Raises AttributeError for any other name.
    """
    if name not in renamed:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    where, _, current = renamed[name].rpartition(".")
    package = module.rpartition(".")[0]
    source = f"{package}.{where}" if where else module
    warnings.warn(
        f"{module}.{name} is {source}.{current} now; the next version of toolgen drops the old name",
        DeprecationWarning,
        stacklevel=3,
    )
    return getattr(import_module(source), current)
