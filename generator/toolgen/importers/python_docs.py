"""What a docstring says, in the styles of Google, numpy and Sphinx: griffe reads it, and nothing is lost."""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from griffe import DocstringSection

_SINCE = re.compile(r"v?(\d[\w.]*)\s*(?:[:,]\s*|\n|$)")


@dataclass(slots=True)
class Docs:
    """A docstring, taken apart."""

    parts: list[str] = field(default_factory=list)  # all that has no field of its own, in its order
    parameters: dict[str, str] = field(default_factory=dict)
    returns: list[str] = field(default_factory=list)
    raises: list[tuple[str, str]] = field(default_factory=list)  # the exception as it is written, and when
    deprecated: dict[str, str] = field(default_factory=dict)  # as a spec has it

    @property
    def description(self) -> str:
        """What the tool does, with notes, warnings and examples behind it."""
        return "\n\n".join(part for part in self.parts if part)


def read_docs(text: str) -> Docs:
    """The parts of `text`, a docstring without its indentation."""
    from griffe import Docstring, GoogleOptions, SphinxOptions, parse_auto

    google: GoogleOptions = {"returns_named_value": False, "returns_multiple_items": False, "warnings": False}
    sphinx: SphinxOptions = {"warnings": False}
    docs = Docs()
    for section in parse_auto(
        Docstring(text), per_style_options={"google": google, "numpy": {"warnings": False}, "sphinx": sphinx}
    ):
        _put(docs, section)
    return docs


def _put(docs: Docs, section: DocstringSection) -> None:
    kind, value = section.kind.value, section.value
    if kind in ("parameters", "other parameters"):
        docs.parameters |= {
            item.name.lstrip("*"): item.description.strip() for item in value if item.description.strip()
        }
    elif kind in ("returns", "yields"):
        docs.returns += filter(None, map(_returned, value))
    elif kind == "raises":
        docs.raises += [(str(item.annotation or ""), item.description.strip()) for item in value]
    elif kind == "deprecated" or (kind == "admonition" and value.kind == "deprecated"):
        docs.deprecated = _deprecated(str(value.annotation or ""), value.description.strip())
    else:
        docs.parts.append(_written(section))


def _returned(item: Any) -> str:
    """What is said of a result; its type stands in the signature, and need not be said in words."""
    said, kind = item.description.strip(), str(item.annotation or "").strip()
    return f"{kind}: {said}" if kind and not _is_type(kind) else said


def _is_type(text: str) -> bool:
    """Whether the words before a colon can be a type, rather than the beginning of a sentence."""
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _deprecated(annotation: str, said: str) -> dict[str, str]:
    version = _SINCE.match(annotation) or _SINCE.match(said)
    if version is not None and version.string is said:
        said = said[version.end() :]
    found = {"since": version[1] if version else "", "message": said.strip()}
    return {key: value for key, value in found.items() if value} or {"message": "Deprecated."}


def _written(section: DocstringSection) -> str:
    """A section that the language has no field for, as its author wrote it, or nearly so."""
    value: Any = section.value
    if section.kind.value == "text":
        return str(value).strip()
    if section.kind.value == "admonition":
        body = value.description
    elif section.kind.value == "examples":
        body = "\n\n".join(text for _, text in value)
    else:  # attributes, warnings and the like: named things with a description
        body = "\n".join(f"{_named(item)}: {item.description.strip()}" for item in value)
    title = section.title or section.kind.value.capitalize()
    return f"{title}:\n{textwrap.indent(body.strip(), '    ')}"


def _named(item: Any) -> str:
    return str(getattr(item, "name", None) or getattr(item, "annotation", None) or "")
