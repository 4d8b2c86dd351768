"""The text of an OpenAPI document as JSON data: JSON or YAML, gzipped or not; what is doubtful is refused."""

from __future__ import annotations

import json
import zlib
from typing import Any

from yaml import YAMLError
from yaml.error import MarkedYAMLError

from toolgen.data.diagnostic import Diagnostic
from toolgen.importers.imported_tool import SourceError
from toolgen.importers.json_source import (
    MAX_BYTES,
    AmbiguousJsonError,
    check_value_limits,
    decode_utf8,
    load_json,
)
from toolgen.yaml12.reader import Builder, DocumentError
from toolgen.yaml12.syntax_errors import explain_syntax

_MB = 1024 * 1024
_GZIP = b"\x1f\x8b"
_WANTED = "give an OpenAPI document, as JSON or YAML"
_TOLERATED = frozenset(("key-not-text", "merge-key"))
"""What specs may not have and OpenAPI documents are full of: responses under 200, merge keys."""


def read_document(data: bytes, name: str) -> Any:
    """The one value in `data`, which messages call `name`. Raises `SourceError`."""
    text = decode_utf8(_unpacked(data, name), name)
    if not text.strip():
        raise SourceError(f"{name} is empty", _WANTED)
    value = _json(text, name) if text.lstrip()[0] in "{[" else None
    if value is None:
        value = _yaml(text, name)
    check_value_limits(value, name)
    return value


def _unpacked(data: bytes, name: str) -> bytes:
    if data.startswith(_GZIP):
        unpacker = zlib.decompressobj(wbits=31)
        try:
            data = unpacker.decompress(data, MAX_BYTES + 1)
        except zlib.error:
            raise SourceError(f"{name}: not gzip, although it begins so", "is it whole?") from None
        if len(data) <= MAX_BYTES and not unpacker.eof:
            raise SourceError(f"{name}: the gzip file ends in the middle", "is it whole?")
    if len(data) > MAX_BYTES:
        raise SourceError(f"{name} has more than {MAX_BYTES // _MB} MB", "import a part of it", "too-complex")
    return data


def _json(text: str, name: str) -> Any:
    """The value, or None where it may be YAML: `{` begins a mapping of either."""
    try:
        return load_json(text)
    except json.JSONDecodeError as error:
        if text.lstrip()[:2].rstrip() == "{" or text.lstrip().startswith('{"'):
            where = f"{name}:{error.lineno}:{error.colno}"
            cut = error.pos >= len(text.rstrip()) - 1
            hint = "it ends in the middle of a value: is it whole?" if cut else _WANTED
            raise SourceError(f"{where}: not JSON: {error.msg.lower()}", hint) from None
        return None
    except AmbiguousJsonError as error:
        raise SourceError(f"{name}: {error}", "mend the source") from None
    except RecursionError:
        raise SourceError(f"{name}: objects and lists too deep inside one another", _WANTED) from None


def _yaml(text: str, name: str) -> Any:
    builder = Builder(name, text)
    try:
        value = builder.build()
    except DocumentError as error:
        raise _refused(error.diagnostic) from None
    except MarkedYAMLError as error:
        raise _refused(explain_syntax(name, text, error)) from None
    except YAMLError as error:
        raise SourceError(f"{name}: neither JSON nor YAML: {error}", _WANTED) from None
    for fault in builder.faults:
        if fault.code not in _TOLERATED:
            raise _refused(fault)
    return _merged(value) if builder.faults else value


def _refused(fault: Diagnostic) -> SourceError:
    span = fault.span
    return SourceError(f"{span.file}:{span.line}:{span.column}: {fault.message}", fault.hint)


def _merged(value: Any) -> Any:
    """`value` with its merge keys (`<<`, of YAML 1.1) written out: keys beside them win."""
    if isinstance(value, list):
        return [_merged(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    given = value.get("<<")
    sources = given if isinstance(given, list) else [given]
    made: dict[str, Any] = {}
    if "<<" in value and all(isinstance(source, dict) for source in sources):
        for source in reversed(sources):
            made |= _merged(source)
        value = {key: inner for key, inner in value.items() if key != "<<"}
    return made | {key: _merged(inner) for key, inner in value.items()}
