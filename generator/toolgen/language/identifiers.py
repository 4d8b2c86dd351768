"""Turn words into Python names."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Container, MutableMapping
from functools import cache

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
RUNTIME_NAMES = frozenset(
    {
        "BaseTool",
        "ToolContext",
        "ToolError",
        "ToolRequest",
        "ToolResponse",
        "ToolConfig",
        "HttpTool",  # these two are bases of implementations
        "ForwardedTool",
    }
)
_FOLDERS_OF_SCHEMAS = frozenset(
    {"common", "components", "definitions", "defs", "models", "schema", "schemas", "shared", "types"}
)
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)", re.IGNORECASE)
_LIMIT = 80  # characters; names that are cut to the same text are numbered, see `unique_name`


@cache  # fields of many classes have the same names
def snake(words: str, fallback: str) -> str:
    """Return a lower-case Python identifier that is not a keyword: `HTTPServer-v2` → `http_server_v2`.

    `fallback` is used if nothing is left, and before a leading digit.
    """
    spread = _HUMP.sub("_", unicodedata.normalize("NFKC", words))
    kept = "".join(c if ("_" + c).isidentifier() else "_" for c in spread)
    lower = unicodedata.normalize("NFKC", kept.lower())
    # combining marks are left out, also those that `lower` adds: İ is i and a dot
    letters = "".join(c for c in lower if c == "_" or c.isalnum())
    name = re.sub("_+", "_", letters).strip("_")[:_LIMIT].rstrip("_")
    if not name:
        name = fallback
    if not name.isidentifier():
        name = f"{fallback}_{name}"
    return f"{name}_" if keyword.iskeyword(name) else name


@cache
def pascal(words: str, fallback: str) -> str:
    """Return an ASCII class name: `create_order` → `CreateOrder`, `HTTPServer` → `HTTPServer`."""
    parts = re.findall(r"[A-Za-z0-9]+", unicodedata.normalize("NFKD", words))
    name = "".join(part[0].upper() + part[1:] for part in parts)
    return name if name[:1].isalpha() else f"{fallback}{name}"


def is_device(file: str) -> bool:
    """True if Windows takes a file of this name for a device, in any folder: `con`, `Con.py`, `NUL.tar.gz`.

    https://learn.microsoft.com/windows/win32/fileio/naming-a-file
    """
    return _DEVICE.match(file) is not None


def file_stem(name: str) -> str:
    """Return the name of a file without its ending: `name`, or `con_` for `con`, which Windows reserves."""
    return f"{name}_" if is_device(name) else name


def tool_module(wire_name: str) -> str:
    """Return the name of a tool's modules: `create-order` → `create_order`, `con` → `con_`."""
    return file_stem(snake(wire_name, "tool"))


def class_stem(py_name: str) -> str:
    """Return the prefix of a tool's class names, none of which shadows a name of the runtime."""
    # the tool `base` would define `BaseTool`, which its module imports
    stem = pascal(py_name, "Tool")
    names = {f"{stem}{end}" for end in ("Tool", "Request", "Response")}
    return stem if names.isdisjoint(RUNTIME_NAMES) else f"{stem}Tool"


def implementation_class(tool_class: str) -> str:
    """Return the name of a class that implements a tool: `CreateOrder`; `False_` for the tool `false`."""
    name = tool_class.removesuffix("Tool")
    # implementations import these two
    return f"{name}_" if keyword.iskeyword(name) or name in ("Any", "ConfigDict") else name


def models_module(py_name: str) -> str:
    """Return the name of a tool's module in `models/`, where `shared` is the package of shared schemas."""
    return "shared_" if py_name == "shared" else py_name


def shared_module_name(path: str) -> str:
    """Return the name of the module for the shared file at `path`: `schemas/orders.yaml` → `orders`.

    Folders that say no more than that schemas are in them are left out: `billing/schemas/common.yaml` is
    `billing_common`. The name depends on the path alone, so that another file changes no module.
    """
    *folders, file = path.split("/")
    words = [folder for folder in folders if folder.lower() not in _FOLDERS_OF_SCHEMAS]
    return file_stem(snake("_".join([*words, file.rpartition(".")[0]]), "schemas"))


def singular(word: str) -> str:
    """Return the singular of an English plural by simple rules; else the word and `Item`."""
    if word.endswith("ies") and len(word) > 4:
        return word.removesuffix("ies") + "y"
    if word.endswith(("sses", "shes", "tches", "xes", "tuses")):
        return word[:-2]
    # `address`, `status` and `analysis` are singular
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 2:
        return word[:-1]
    return word + "Item"


def not_importable(dotted: str) -> str | None:
    """Return the first part of a dotted name that is no name in Python; None if all are."""
    parts = dotted.split(".")
    return next((part for part in parts if not part.isidentifier() or keyword.iskeyword(part)), None)


def unique_name(name: str, taken: Container[str], numbers: MutableMapping[str, int] | None = None) -> str:
    """Return `name`, or the first of `name_2`, `name_3`… (`Name2`… for classes) that is not taken.

    `numbers` remembers how far each name was searched, for many calls with names that stay taken.
    """
    if name not in taken:
        return name
    separator = "" if name[:1].isupper() or name.endswith("_") else "_"
    number = 2 if numbers is None else numbers.get(name, 2)
    while f"{name}{separator}{number}" in taken:
        number += 1
    if numbers is not None:
        numbers[name] = number
    return f"{name}{separator}{number}"
