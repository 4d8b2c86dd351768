"""Parse parameters of the command line: name:type, name:type?, name:type[]:Description."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from toolgen.language.yaml12.writer import is_plain
from toolgen.project import UnableError

_SAMPLES: dict[str, Any] = {"string": "example", "integer": 1, "number": 1.5, "boolean": True, "object": {}}
_PARAMETER = re.compile(
    r"(?P<name>[A-Za-z_][A-Za-z0-9_-]*):(?P<type>[a-z]+)(?P<array>\[\])?(?P<optional>\?)?(:(?P<about>.*))?",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A property of the request."""

    name: str
    item: str  # a JSON Schema type: of the value or, in an array, of its items
    array: bool
    optional: bool
    about: str

    @property
    def key(self) -> str:
        """Return the name as YAML."""
        return scalar(self.name)

    @property
    def type(self) -> str:
        """Return the JSON Schema type of the value."""
        return "array" if self.array else self.item

    @property
    def description(self) -> str:
        """Return the description as YAML; without one, the name in words."""
        words = self.name.replace("_", " ").replace("-", " ").strip() or self.name
        return scalar(self.about or f"{words[:1].upper()}{words[1:]}.")

    @property
    def sample(self) -> Any:
        """Return a valid value."""
        value = _SAMPLES[self.item]
        return [value] if self.array else value


def parse_parameter(text: str) -> Parameter:
    """Parse one parameter; raise `UnableError` if it is not valid."""
    found = _PARAMETER.fullmatch(text.strip())
    if found is None:
        raise UnableError(
            "bad-parameter",
            f"'{text}' is not a parameter: write name:type or name:type:description",
            "for example supplier_id:integer, 'note:string?:Free text' (optional) or 'tags:string[]'",
        )
    if found["type"] not in _SAMPLES:
        types = ", ".join(_SAMPLES)
        raise UnableError(
            "bad-parameter",
            f"'{found['type']}' is not a type",
            f"the types are {types}; string[] is an array",
        )
    about = printable((found["about"] or "").strip())
    return Parameter(found["name"], found["type"], bool(found["array"]), bool(found["optional"]), about)


def printable(text: str) -> str:
    """Return `text` if it is printable and on one line; raise `UnableError` otherwise."""
    if text.isprintable():
        return text
    raise UnableError(
        "bad-parameter", "a description must be one line of printable text", "edit the spec for more"
    )


def scalar(text: str) -> str:
    """Return `text` as a YAML scalar, quoted unless it is certainly read as a string."""
    return text if is_plain(text, flow=True) else json.dumps(text, ensure_ascii=False)
