"""Arguments of a method as the JSON of a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, final


@final
class Omit:
    """The type of OMIT."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "OMIT"


OMIT: Final = Omit()
"""An argument that is left out of the request, unlike None, which is sent as null."""

_PLAIN: Final = frozenset((bool, float, int, str, type(None)))


def as_json(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that are given, with models as the JSON that they stand for.

    Fields of models that were neither set nor changed are left out. Raises
    `pydantic_core.PydanticSerializationError`.
    """
    given = {name: value for name, value in arguments.items() if not isinstance(value, Omit)}
    if all(type(value) in _PLAIN for value in given.values()):
        return given
    from toolgen.runtime.contract.sent import dump  # pydantic is imported with the first model

    dumped: dict[str, Any] = dump(given)
    return dumped
