"""Rules of the spec language about several fields; each field has the shape that `spec_schema.py` says."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from toolgen.base.suggestions import nearest, quoted, suggest
from toolgen.schema.document import JsonPath

from .faults import SpecFault
from .spec_schema import DEFINITIONS
from .unknown_fields import HINTS, MAX_KEYS, SIMILAR

RESERVED: Final = frozenset(("self", "request", "context"))  # the other arguments of `execute`
_TREES: Final = frozenset(("image", "audio", "text"))
"""Kinds of blocks whose media types begin with the same word."""
_HINTS: Final = {name.lower(): name for name in DEFINITIONS["Annotations"]["properties"]}


def rule_faults(data: Mapping[str, Any]) -> Iterator[SpecFault]:
    """Yield the faults of a spec whose fields have the right shape."""
    yield from _taken_names(data)
    yield from _injected_type_faults(data)
    if isinstance(content := data.get("content", []), list):
        yield from _content_faults(content)
    yield from _conflicts(data)


def _conflicts(data: Mapping[str, Any]) -> Iterator[SpecFault]:
    """Yield a fault for each field that does nothing, or cannot work, beside another one."""
    fault = partial(SpecFault, code="conflicting-options", of_key=True)
    anthropic = data.get("targets", {}).get("anthropic", {})
    if "background" in data and "stream" in data:
        message = "a call that runs in a worker sends no chunks: its caller gets the result at its end"
        hint = "remove `background`, or `stream`; `context.report_progress` reaches callers from workers, too"
        yield fault(("background",), message=message, hint=hint)
    for other, why in HINTS["cannot_ask"].items():
        if data.get("asks") and other in data:
            yield fault(("asks",), message=why, hint=f"remove `asks`, or `{other}`")
    if data.get("load") == "deferred" and "cache_control" in anthropic:
        # the API's error: github.com/Wei-Shaw/sub2api/issues/4990; 2026-07
        message = "Anthropic refuses cache_control for a tool with `load: deferred`"
        hint = "set it for the last tool that is always loaded"
        yield fault(("targets", "anthropic", "cache_control"), message=message, hint=hint)


def misspelt_hints(data: Mapping[str, Any]) -> Iterator[SpecFault]:
    """Yield a fault for each key of `annotations` that is almost one of MCP's; other keys are carried."""
    hints = data.get("annotations")
    unknown = hints.keys() - _HINTS.values() if isinstance(hints, dict) else ()
    for key in sorted(unknown)[:MAX_KEYS]:
        found = nearest(key.replace("_", "").replace("-", ""), _HINTS, SIMILAR)
        if found:
            message = f"{quoted(key)} is not an annotation of MCP, and clients ignore it"
            hint = suggest(key, _HINTS[found])
            yield SpecFault(("annotations", key), "misspelt-annotation", message, hint, of_key=True)


def _taken_names(data: Mapping[str, Any]) -> Iterator[SpecFault]:
    """Yield a fault for each error code, injected name, alias or example name that is taken."""
    injected = _names(data, "inject", "name")
    aliases = [(alias, ("aliases", i)) for i, alias in enumerate(data.get("aliases", ()))]
    yield from _repeated("error code", _names(data, "errors", "code"))
    yield from _repeated("injected name", injected)
    yield from _repeated("alias", [(data["name"], ("name",)), *aliases])
    yield from _repeated("example name", _names(data, "examples", "name"))
    for name, path in injected:
        if name in RESERVED or keyword.iskeyword(name):
            why = "a keyword of Python" if keyword.iskeyword(name) else "another argument of `execute`"
            hint = f"rename it, for example to {name}_value"
            yield SpecFault(path, "taken-name", f"{name!r} is {why}", hint)


def _injected_type_faults(data: Mapping[str, Any]) -> Iterator[SpecFault]:
    """Yield a fault for each injected type that Python cannot import."""
    for index, entry in enumerate(data.get("inject", ())):
        written, path = entry.get("type", "object"), ("inject", index, "type")
        parts = written.split(".")
        if words := [part for part in parts if keyword.iskeyword(part)]:
            message = f"the type {written!r} contains {words[0]!r}, a keyword of Python"
            yield SpecFault(path, "inject-type", message, "write module.Class, as in sqlite3.Connection")
        elif len(parts) == 1 and not isinstance(getattr(builtins, written, None), type):
            message = f"{written!r} is not a built-in type of Python"
            yield SpecFault(path, "inject-type", message, "write its module, too, as in sqlite3.Connection")


def _names(data: Mapping[str, Any], field: str, key: str) -> list[tuple[str, JsonPath]]:
    return [(entry[key], (field, i, key)) for i, entry in enumerate(data.get(field, ()))]


def _repeated(what: str, names: Iterable[tuple[str, JsonPath]]) -> Iterator[SpecFault]:
    first: dict[str, JsonPath] = {}
    for name, path in names:
        if name not in first:
            first[name] = path
            continue
        yield SpecFault(
            path,
            "duplicate-name",
            f"the {what} {name!r} is used twice",
            "remove one",
            others=(first[name],),
            about_other="the tool's own name" if first[name] == ("name",) else "first here",
        )


def _content_faults(entries: Sequence[Mapping[str, Any]]) -> Iterator[SpecFault]:
    """Yield a fault for each entry that contradicts itself."""
    for index, entry in enumerate(entries):
        path: JsonPath = ("content", index)
        yield from _foreign_types(entry, path)
        least, most = entry.get("min", 0), entry.get("max")
        if most is not None and least > most:
            message = f"at least {least} and at most {most} blocks: no result can have that"
            hint = "let `max` be as large as `min`, or larger"
            yield SpecFault((*path, "min"), "bad-content", message, hint)
        if entry["type"] == "link" and "max_bytes" in entry:
            message = "a link holds no data, so that `max_bytes` limits nothing"
            yield SpecFault((*path, "max_bytes"), "bad-content", message, "remove it", of_key=True)


def _foreign_types(entry: Mapping[str, Any], path: JsonPath) -> Iterator[SpecFault]:
    kind = entry["type"]
    for number, media_type in enumerate(entry.get("media_types", ())):
        if kind in _TREES and not media_type.startswith(f"{kind}/"):
            message = f"{media_type!r} is not the media type of {kind} blocks"
            hint = f"write {kind}/…, or `type: file`"
            yield SpecFault((*path, "media_types", number), "bad-content", message, hint)
