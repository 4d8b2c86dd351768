"""A base for generated models, where pydantic by itself would not give back what came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ModelWrapValidatorHandler, model_validator


class OpenModel(BaseModel):
    """A model that keeps keys it does not know, beside fields with aliases.

    An unknown key may be spelt like the Python name of a field: `start_date` beside the schema's `startDate`.
    pydantic would count that field as set and dump it as null. Here it stays unset.
    """

    @model_validator(mode="wrap")
    @classmethod
    def _forget_namesakes(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        made = handler(data)
        extra = made.__pydantic_extra__
        if extra and isinstance(data, Mapping):
            fields = cls.__pydantic_fields__
            for name in extra.keys() & fields.keys():
                if fields[name].alias not in data:
                    made.__pydantic_fields_set__.discard(name)
        return made
