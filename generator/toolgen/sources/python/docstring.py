"""Parse docstrings of Google, NumPy and Sphinx style with griffe; text without a spec field is kept."""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from griffe import DocstringSection

_SINCE = re.compile(r"v?(\d[\w.]*)\s*(?:[:,]\s*|\n|$)")


@dataclass(frozen=True, slots=True)
class RaisedException:
    """An exception that a docstring declares."""

    name: str  # as it is written
    description: str


@dataclass(slots=True)
class ParsedDocstring:
    """The sections of a docstring."""

    paragraphs: list[str] = field(default_factory=list)  # everything without a spec field, in its order
    parameters: dict[str, str] = field(default_factory=dict)  # name → description
    returns: list[str] = field(default_factory=list)
    raises: list[RaisedException] = field(default_factory=list)
    deprecated: dict[str, str] = field(default_factory=dict)  # the field `deprecated` of a spec

    @property
    def description(self) -> str:
        """The description of the tool, followed by notes, warnings and examples."""
        return "\n\n".join(paragraph for paragraph in self.paragraphs if paragraph)


def parse_docstring(text: str) -> ParsedDocstring:
    """Return the sections of `text`, a docstring without its indentation."""
    from griffe import Docstring, GoogleOptions, SphinxOptions, parse_auto  # of the extra `cli`

    google: GoogleOptions = {"returns_named_value": False, "returns_multiple_items": False, "warnings": False}
    sphinx: SphinxOptions = {"warnings": False}
    docstring = ParsedDocstring()
    for section in parse_auto(
        Docstring(text), per_style_options={"google": google, "numpy": {"warnings": False}, "sphinx": sphinx}
    ):
        _add_section(docstring, section)
    return docstring


def _add_section(docstring: ParsedDocstring, section: DocstringSection) -> None:
    kind, value = section.kind.value, section.value
    if kind in ("parameters", "other parameters"):
        docstring.parameters |= {
            item.name.lstrip("*"): item.description.strip() for item in value if item.description.strip()
        }
    elif kind in ("returns", "yields"):
        docstring.returns += filter(None, map(_return_description, value))
    elif kind == "raises":
        docstring.raises += [
            RaisedException(str(item.annotation or ""), item.description.strip()) for item in value
        ]
    elif kind == "deprecated" or (kind == "admonition" and value.kind == "deprecated"):
        docstring.deprecated = _deprecation(str(value.annotation or ""), value.description.strip())
    else:
        docstring.paragraphs.append(_section_text(section))


def _return_description(item: Any) -> str:
    """Return the description of a result without its type, which the signature has."""
    description, annotation = item.description.strip(), str(item.annotation or "").strip()
    return f"{annotation}: {description}" if annotation and not _is_type(annotation) else description


def _is_type(text: str) -> bool:
    """True if the words before a colon can be a type rather than the beginning of a sentence."""
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _deprecation(annotation: str, description: str) -> dict[str, str]:
    version = _SINCE.match(annotation) or _SINCE.match(description)
    if version is not None and version.string is description:
        description = description[version.end() :]
    found = {"since": version[1] if version else "", "message": description.strip()}
    return {key: value for key, value in found.items() if value} or {"message": "Deprecated."}


def _section_text(section: DocstringSection) -> str:
    """Return a section without a spec field nearly as its author wrote it."""
    value: Any = section.value
    if section.kind.value == "text":
        return str(value).strip()
    if section.kind.value == "admonition":
        body = value.description
    elif section.kind.value == "examples":
        body = "\n\n".join(text for _, text in value)
    else:  # attributes, warnings and the like: named items with a description
        body = "\n".join(f"{_item_name(item)}: {item.description.strip()}" for item in value)
    title = section.title or section.kind.value.capitalize()
    return f"{title}:\n{textwrap.indent(body.strip(), '    ')}"


def _item_name(item: Any) -> str:
    return str(getattr(item, "name", None) or getattr(item, "annotation", None) or "")
