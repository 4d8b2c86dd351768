"""A base class of generated models that keep unknown properties unchanged."""

from __future__ import annotations

from collections.abc import Mapping
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
