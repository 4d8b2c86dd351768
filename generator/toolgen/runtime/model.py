"""Support for generated models: a base class that keeps unknown properties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import (
    BaseModel,
    ModelWrapValidatorHandler,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)


class OpenModel(BaseModel):
    """A model that has fields with aliases and keeps unknown keys.

    An unknown key may be equal to the Python name of a field: `order_id` beside the schema's `orderId`. A
    Python name always means the field, whose value was validated: for attributes, iteration, `model_extra`
    and `model_dump()`. Such a key counts in comparisons, and is dumped with `by_alias=True`, as in JSON.
    """

    _namesakes: dict[str, Any] | None = None  # unknown keys that are equal to the name of a field

    @model_validator(mode="wrap")
    @classmethod
    def _validate(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        model = handler(data)
        if model.__pydantic_extra__:
            model._set_namesakes_aside(data)
        return model

    @classmethod
    def model_construct(cls, _fields_set: set[str] | None = None, **values: Any) -> Self:
        """Return a model of values that are not validated, as pydantic does."""
        model = super().model_construct(_fields_set, **values)
        model._namesakes = None  # pydantic sets it by a keyword
        model._set_namesakes_aside(values)
        return model

    def _set_namesakes_aside(self, data: object) -> None:
        extra, fields = self.__pydantic_extra__ or {}, type(self).__pydantic_fields__
        names = extra.keys() & fields.keys()
        if not names:
            return
        self._namesakes = {name: value for name, value in extra.items() if name in names}
        self.__pydantic_extra__ = {name: value for name, value in extra.items() if name not in names}
        for name in names:  # pydantic counts a field as set if there is such a key
            if isinstance(data, Mapping) and fields[name].alias not in data:
                self.__pydantic_fields_set__.discard(name)

    # Without a type of what it returns, the JSON Schema of what is dumped remains that of the fields.
    @model_serializer(mode="wrap")
    def _serialize(self, handler: SerializerFunctionWrapHandler, info: SerializationInfo):  # type: ignore[no-untyped-def]
        # For a union, pydantic tries any value. Without `by_alias`, the configuration of some model decides.
        if info.by_alias and isinstance(self, OpenModel) and self._namesakes:
            return handler(self._with_namesakes())
        return handler(self)

    def _with_namesakes(self) -> Self:
        """Return a shallow copy with all unknown keys, as pydantic keeps them."""
        shown = self.__copy__()
        shown.__pydantic_extra__ = {**(self.__pydantic_extra__ or {}), **(self._namesakes or {})}
        return shown
