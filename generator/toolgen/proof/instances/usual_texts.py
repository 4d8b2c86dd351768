"""Random texts that look real: of each format, and of usual kinds, by the templates in `names.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.resources import files
from string import Formatter
from typing import Any, Final
from uuid import UUID

from toolgen.proof.instances.choices import Dice

TABLE: Final = tomllib.loads(files("toolgen.proof.instances").joinpath("names.toml").read_text("utf-8"))
_ONE_OF: Final[Mapping[str, Sequence[str]]] = TABLE["one_of"]
_TEMPLATES: Final[Mapping[str, str]] = TABLE["templates"]


class _Filler(Formatter):
    """Fills the fields of a template with random text.

    `{between:1 99}` is a whole number, `{between:1 12 02}` one in two digits, `{noun}` a text of `one_of`,
    `{digit:6}` six of them in a row, `{first:lower}` one in small letters, `{date}` a template.
    """

    def __init__(self, dice: Dice) -> None:
        self._dice = dice

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        return key

    def format_field(self, value: Any, format_spec: str) -> str:
        if value == "between":
            low, high, *layout = format_spec.split()
            return format(self._dice.between(int(low), int(high)), "".join(layout))
        if value == "uuid":
            return str(UUID(hex=self.format("{hexadecimal:32}"), version=4))
        if value in _TEMPLATES:
            return self.format(_TEMPLATES[value])
        times = int(format_spec) if format_spec.isdecimal() else 1
        text = "".join(self._dice.one_of(_ONE_OF[value]) for _ in range(times))
        return text.lower() if format_spec == "lower" else text


def fill(template: str, dice: Dice) -> str:
    """Return a random text of a template."""
    return _Filler(dice).format(template)


BY_FORMAT: Final[Mapping[str, Callable[[Dice], str]]] = {
    name: partial(fill, template) for names, template in TABLE["formats"].items() for name in names.split()
}
"""Texts of each format that JSON Schema defines."""
