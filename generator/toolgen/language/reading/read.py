"""Read spec files: YAML 1.2 text to JSON data, with the location of every value.

Plain scalars are resolved by YAML 1.2's core schema. The merge key `<<`, tags outside the core schema,
several documents in a file, duplicate keys and keys that are not strings are refused. Aliases are copied, up
to a limit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from yaml import YAMLError
from yaml.error import MarkedYAMLError

from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.lint.suppressions import take_suppressions
from toolgen.language.source import Marks, Source, Span
from toolgen.language.yaml12.reader import DocumentError, YamlReader, locate_positions
from toolgen.language.yaml12.syntax_errors import describe_syntax_error
from toolgen.runtime.validation.json_value import is_json
from toolgen.runtime.validation.strict_json import object_without_duplicates, parse_integer

_CONTROL = "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
_CONTROL_OF_ASCII = "[^\t\n\r\x20-\x7e]"
_YAML_1_1_BREAKS = re.compile("[\x85\u2028\u2029]")


def read(texts: Mapping[str, bytes | str], prefix: str = "") -> tuple[Source, ...]:
    """Read every file; `texts` maps posix paths below the specs folder to contents.

    Spans show each path with `prefix` before it: "specs/" gives "specs/weather.yaml".
    Raises `SpecErrors` with the faults of all files.
    """
    if not texts:
        place = Span(prefix.rstrip("/") or ".", 1, 1)
        raise SpecErrors(
            [Diagnostic(place, "no-specs", "there is no spec here", "write one with `toolgen new`")]
        )
    faults: list[Diagnostic] = []
    sources: list[Source] = []
    for path in sorted(texts):
        try:
            sources.append(_read_one(path, prefix + path, texts[path], faults))
        except DocumentError as refused:
            faults.append(refused.diagnostic)
    if faults:
        raise SpecErrors(faults)
    return tuple(sources)


def _read_one(path: str, file: str, raw: bytes | str, faults: list[Diagnostic]) -> Source:
    text = decode_text(file, raw)
    # JSON that YAML reads in another way, or that is faulty, is left to the YAML reader, which knows places
    data = _parse_json(text)
    if data is None:
        data = _parse_yaml(file, text, faults)

    # a key that is written with escapes, as JSON allows, is found, too
    suppressions = take_suppressions(data) if "x-lint" in text or "\\" in text else {}
    return Source(file, text, data, partial(find_marks, file, text), path, suppressions)


def decode_text(file: str, raw: bytes | str) -> str:
    """Return the text of a file as `Source.text` has it. Raises `DocumentError` if it is not UTF-8."""
    if isinstance(raw, bytes):
        if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise _refusal(Span(file, 1, 1), "not-utf-8", "the file is UTF-16", "save it as UTF-8")
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            before = raw[: error.start].decode("utf-8").removeprefix("\ufeff")
            span = _span_after(file, _with_unix_line_ends(before))
            message = f"the byte 0x{raw[error.start]:02x} is not UTF-8"
            raise _refusal(span, "not-utf-8", message, "save the file as UTF-8") from None
    else:
        text = raw
    return _with_unix_line_ends(text.removeprefix("\ufeff"))


def _parse_json(text: str) -> dict[str, Any] | list[Any] | None:
    """Return the data of plain JSON, which `json` reads ten times faster than YAML; None for other text."""
    if text[:1] not in ("{", "["):
        return None
    try:
        data: dict[str, Any] | list[Any] = json.loads(
            text, object_pairs_hook=object_without_duplicates, parse_int=parse_integer
        )
    except (ValueError, RecursionError):
        return None
    # numbers may be infinite, and surrogates alone
    return data if is_json(data) else None


def _parse_yaml(file: str, text: str, faults: list[Diagnostic]) -> Any:
    bad = re.search(_CONTROL_OF_ASCII if text.isascii() else _CONTROL, text)
    if bad is not None:
        span, number = _span_after(file, text[: bad.start()]), f"{ord(bad[0]):04X}"
        message = f"the character U+{number} is not allowed in a text file"
        if "\ud800" <= bad[0] <= "\udfff":
            raise _refusal(span, "lone-surrogate", message, "remove it")
        hint = f'remove it, or write it as an escape in double quotes: "\\u{number}"'
        raise _refusal(span, "control-character", message, hint)
    stand_ins = _stand_ins_for_breaks(text)
    reader = YamlReader(file, text.translate(stand_ins) if stand_ins else text)
    try:
        data = reader.read()
    except MarkedYAMLError as error:
        raise DocumentError(describe_syntax_error(file, text, error)) from None
    except YAMLError as error:
        raise _refusal(Span(file, 1, 1), "yaml-syntax", f"this is not YAML: {error}") from None
    finally:
        faults.extend(reader.faults)
    if stand_ins:
        data = _translate(data, {ord(new): chr(old) for old, new in stand_ins.items()})
    return data


def _stand_ins_for_breaks(text: str) -> dict[int, str]:
    """Return a table for `str.translate` from line breaks of YAML 1.1 alone to unused private characters.

    libyaml reads YAML 1.1, where these characters end a line; in YAML 1.2 they are part of a scalar.
    """
    breaks = sorted(set(_YAML_1_1_BREAKS.findall(text)))
    unused = (chr(code) for code in range(0xE000, 0xF900) if chr(code) not in text) if breaks else ()
    return {ord(old): new for old, new in zip(breaks, unused, strict=False)}


def _translate(value: Any, table: Mapping[int, str]) -> Any:
    """Return a copy of `value` with `str.translate` applied to its strings and keys."""
    if isinstance(value, str):
        return value.translate(table)
    if isinstance(value, dict):
        return {key.translate(table): _translate(inner, table) for key, inner in value.items()}
    if isinstance(value, list):
        return [_translate(inner, table) for inner in value]
    return value


def find_marks(file: str, text: str) -> Marks:
    """Return the position of every key and value of `text`, YAML or JSON that was read before."""
    return locate_positions(file, _without_refused_characters(text))


def _without_refused_characters(text: str) -> str:
    """Return `text` with every character that libyaml refuses in JSON replaced: positions stay the same."""
    if text[:1] in ("{", "["):
        text = re.sub(_CONTROL, "?", text.replace("\t", " "))
        # libyaml refuses surrogates, which plain JSON may escape in pairs
        text = re.sub(r"\\u[dD][89a-fA-F]", r"\\u00", text)
    stand_ins = _stand_ins_for_breaks(text)
    return text.translate(stand_ins) if stand_ins else text


def _with_unix_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _refusal(span: Span, code: str, message: str, hint: str = "") -> DocumentError:
    return DocumentError(Diagnostic(span, code, message, hint))


def _span_after(file: str, before: str) -> Span:
    """Return the location of the character that follows `before`."""
    return Span(file, before.count("\n") + 1, len(before) - before.rfind("\n"))
