"""Parse the text of an OpenAPI document: JSON or YAML, gzipped or not; ambiguous input is refused."""

from __future__ import annotations

import json
import re
import zlib
from typing import Any

from yaml import YAMLError
from yaml.error import MarkedYAMLError

from toolgen.language.source import Source
from toolgen.language.yaml12.reader import DocumentError, YamlReader
from toolgen.language.yaml12.syntax_errors import describe_syntax_error
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.json_source import (
    MAX_BYTES,
    check_value_limits,
    decode_utf8,
    load_json,
    located_source,
    not_json,
    to_source_error,
)

_JSON = re.compile(r'\s*\{\s*"')  # though `{` begins a mapping in YAML, too
_GZIP_MAGIC = b"\x1f\x8b"
_EXPECTED = "give an OpenAPI document, as JSON or YAML"
_TOLERATED = frozenset(("key-not-text", "merge-key"))
"""Faults in a spec that are common in OpenAPI documents: responses under 200, merge keys of YAML 1.1."""


def parse_document(data: bytes, name: str) -> Source:
    """Return the document in `data`; messages call the document `name`. Raises `SourceError`."""
    text = decode_utf8(_decompress(data, name), name)
    if not text.strip():
        raise SourceError(f"{name} is empty", _EXPECTED)
    try:
        value = load_json(text, name)
    except json.JSONDecodeError as error:
        if _JSON.match(text):
            raise not_json(text, error, name, _EXPECTED) from None
        value = _parse_yaml(text, name)
    check_value_limits(value, name)
    return located_source(name, text, value)


def _decompress(data: bytes, name: str) -> bytes:
    if data.startswith(_GZIP_MAGIC):
        decompressor = zlib.decompressobj(wbits=31)
        try:
            data = decompressor.decompress(data, MAX_BYTES + 1)
        except zlib.error:
            raise SourceError(f"{name}: invalid gzip data", "is the file complete?") from None
        if len(data) <= MAX_BYTES and not decompressor.eof:
            raise SourceError(f"{name}: the gzip data is truncated", "is the file complete?")
    return data


def _parse_yaml(text: str, name: str) -> Any:
    reader = YamlReader(name, text)
    try:
        value = reader.read()
    except DocumentError as error:
        raise to_source_error(error.diagnostic) from None
    except MarkedYAMLError as error:
        raise to_source_error(describe_syntax_error(name, text, error)) from None
    except YAMLError as error:
        raise SourceError(f"{name}: neither JSON nor YAML: {error}", _EXPECTED) from None
    for fault in reader.faults:
        if fault.code not in _TOLERATED:
            raise to_source_error(fault)
    return _expand_merge_keys(value) if reader.faults else value


def _expand_merge_keys(value: Any) -> Any:
    """Return `value` with the merge keys of YAML 1.1 (`<<`) expanded; keys beside them take precedence."""
    if isinstance(value, list):
        return [_expand_merge_keys(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    merged = value.get("<<")
    sources = merged if isinstance(merged, list) else [merged]
    expanded: dict[str, Any] = {}
    if "<<" in value and all(isinstance(source, dict) for source in sources):
        for source in reversed(sources):
            expanded |= _expand_merge_keys(source)
        value = {key: inner for key, inner in value.items() if key != "<<"}
    return expanded | {key: _expand_merge_keys(inner) for key, inner in value.items()}
