"""Targets that are documents, for people, registries, clients and agents: only where `targets` names them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from toolgen.language.targets.definition import TargetDefinition

SERVER: Final = "{server}"
"""In the path of a template: the server's name, in the letters that a skill's folder allows."""


@dataclass(frozen=True, slots=True)
class DocumentTarget(TargetDefinition):
    """A target whose files are documents about all tools; it publishes no tool to a provider."""

    needs: tuple[str, ...] = ()  # settings of `[publish]`, or of `[server]`


_SERVER = ("server.name", "server.version", "publish.description")

DOCS: Final = DocumentTarget("docs", tool_name="", label="Markdown")
"""A page about each tool, for people."""

DOCUMENTS: Final[Mapping[str, DocumentTarget]] = {
    each.name: each
    for each in (
        DOCS,
        DocumentTarget("registry", tool_name="", label="MCP registry", needs=("publish.name", *_SERVER)),
        DocumentTarget("mcpb", tool_name="", label="MCP bundle", needs=("publish.author", *_SERVER)),
        DocumentTarget("skill", tool_name="", label="Agent Skill", needs=(_SERVER[0], _SERVER[2])),
        DocumentTarget("agents", tool_name="", label="AGENTS.md"),
    )
}

_LINE = r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]"
_HTTPS = r"https://[^\s/]+(?:/\S*)?"

PUBLISH_PATTERNS: Final[Mapping[str, tuple[re.Pattern[str], str]]] = {
    # https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json
    "name": (
        re.compile(r"(?=.{3,200}\Z)[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+"),
        "a reverse-DNS name with one slash and at most 200 characters, as in `io.github.YOUR-NAME/shop`",
    ),
    "title": (re.compile(rf"{_LINE}{{1,100}}"), "one line of at most 100 characters, as registries ask"),
    "description": (
        re.compile(rf"{_LINE}{{1,100}}"),
        "one line of at most 100 characters, as registries ask",
    ),
    "author": (re.compile(rf"{_LINE}{{1,200}}"), "one line"),
    "license": (re.compile(r"[A-Za-z0-9.+() -]{1,100}"), "an SPDX expression, as in `MIT`"),
    "repository": (re.compile(_HTTPS), "an address that begins with https://"),
    "website": (re.compile(_HTTPS), "an address that begins with https://"),
    "url": (re.compile(_HTTPS), "an address that begins with https://"),
    "bundle": (re.compile(_HTTPS), "an address that begins with https://"),
    "bundle_sha256": (re.compile(r"[a-f0-9]{64}"), "a SHA-256: 64 digits and letters from a to f"),
    # https://packaging.python.org/en/latest/specifications/name-normalization/
    "pypi": (re.compile(r"(?i:[A-Z0-9]|[A-Z0-9][A-Z0-9._-]{0,100}[A-Z0-9])"), "the name of a distribution"),
    # https://semver.org, which both manifests ask for; the registry refuses ranges
    "server.version": (
        re.compile(r"\d{1,20}\.\d{1,20}\.\d{1,20}(?:-[0-9A-Za-z.-]{1,50})?(?:\+[0-9A-Za-z.-]{1,50})?"),
        "a semantic version, as in `1.2.0`: registries and clients compare versions",
    ),
}
"""Setting of `[publish]`, or of `[server]` → pattern of the whole value, and what it must be."""


_HINTS: Final = {
    "server.version": "write one there, or below [project] in pyproject.toml, where it must not be dynamic"
}


@dataclass(frozen=True, slots=True)
class SettingFault:
    """A setting that a document cannot have, or lacks; without a section, `setting` is `targets`."""

    setting: str  # "publish.name"
    value: str
    message: str
    hint: str = ""


def publication_faults(
    values: Mapping[str, object], documents: Sequence[DocumentTarget]
) -> Iterator[SettingFault]:
    """Yield which of `values` (setting → value, or None) the `documents` lack or refuse."""
    for target in documents:
        for setting in target.needs:
            if values[setting.removeprefix("publish.")] is None:
                section, _, key = setting.rpartition(".")
                message = f"the target '{target.name}' needs '{key}' below [{section}]"
                yield SettingFault("targets", target.name, message, _HINTS.get(setting, ""))
    needed = {setting for target in documents for setting in target.needs}
    for name, (pattern, meaning) in PUBLISH_PATTERNS.items():
        value = values[name]
        setting = name if "." in name else f"publish.{name}"
        # a version that no document has may be anything
        if isinstance(value, str) and (name in needed or "." not in name) and not pattern.fullmatch(value):
            key = setting.rpartition(".")[2]
            yield SettingFault(setting, value, f"'{key}' must be {meaning}", _HINTS.get(setting, ""))
