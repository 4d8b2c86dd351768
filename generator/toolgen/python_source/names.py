"""Words to Python names: one place, no state, the same answer everywhere."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Container

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
RUNTIME_NAMES = frozenset(
    {"BaseTool", "ToolContext", "ToolError", "ToolRequest", "ToolResponse", "ToolConfig"}
)
_LIMIT = 80  # longer names help nobody; what was cut is told apart by a number


def snake(words: str, fallback: str) -> str:
    """A lower-case Python identifier that is no keyword: `HTTPServer-v2` → `http_server_v2`.

    `fallback` stands where nothing is left, and before a leading digit.
    """
    spread = _HUMP.sub("_", unicodedata.normalize("NFKC", words))
    kept = "".join(c if ("_" + c).isidentifier() else "_" for c in spread)
    lower = unicodedata.normalize("NFKC", kept.lower())
    # marks that are no letters of their own are left out, also those that `lower` adds: İ is i and a dot
    letters = "".join(c for c in lower if c == "_" or c.isalnum())
    name = re.sub("_+", "_", letters).strip("_")[:_LIMIT].rstrip("_")
    if not name:
        name = fallback
    if not name.isidentifier():
        name = f"{fallback}_{name}"
    return f"{name}_" if keyword.iskeyword(name) else name


def pascal(words: str, fallback: str) -> str:
    """An ASCII class name: `create_purchase_order` → `CreatePurchaseOrder`, `HTTPServer` → `HTTPServer`."""
    parts = re.findall(r"[A-Za-z0-9]+", unicodedata.normalize("NFKD", words))
    name = "".join(part[0].upper() + part[1:] for part in parts)[:_LIMIT]
    return name if name[:1].isalpha() else f"{fallback}{name}"


def class_stem(py_name: str) -> str:
    """The beginning of a tool's class names, none of which hides a name of the runtime."""
    stem = pascal(py_name, "Tool")
    names = {f"{stem}{end}" for end in ("Tool", "Request", "Response")}
    return stem if names.isdisjoint(RUNTIME_NAMES) else f"{stem}Tool"


def singular(word: str) -> str:
    """What one of `word` is called, where English makes it easy; else the word and `Item`."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 2:
        return word[:-1]
    return word + "Item"


def unused(name: str, taken: Container[str]) -> str:
    """`name`, or the first of `name_2`, `name_3`… (`Name2`… for classes) that is not taken."""
    if name not in taken:
        return name
    joint = "" if name[:1].isupper() or name.endswith("_") else "_"
    number = 2
    while f"{name}{joint}{number}" in taken:
        number += 1
    return f"{name}{joint}{number}"
