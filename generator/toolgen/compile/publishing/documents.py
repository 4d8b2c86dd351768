"""Documents about all tools: `server.json` of the MCP registry, `manifest.json` of a bundle, and a skill."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from toolgen.language.package import Package
from toolgen.language.publication import Publication

SERVER_SCHEMA: Final = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
MANIFEST_VERSION: Final = "0.4"  # the first one with servers that uv starts
ENTRY_POINT: Final = "server.py"
MAX_SKILL_DESCRIPTION: Final = 1024  # characters; https://agentskills.io/specification
_FORGES = {"github.com": "github", "gitlab.com": "gitlab"}


def server_json(model: Package) -> str:
    """Return the text of `server.json`, by which a registry lists the server."""
    about = _publication(model)
    variables = [
        {
            "name": name,
            "description": "A secret that the tools need.",
            "isRequired": True,
            "isSecret": True,
        }
        for name in _secrets(model)
    ]
    package: dict[str, Any] = {"transport": {"type": "stdio"}}
    if variables:
        package["environmentVariables"] = variables
    packages = []
    if about.pypi:
        found = {"registryType": "pypi", "identifier": about.pypi, "version": model.server_version}
        packages.append({**found, "runtimeHint": "uvx", **package})
    if about.bundle and about.bundle_sha256:
        found = {"registryType": "mcpb", "identifier": about.bundle}
        packages.append({**found, "fileSha256": about.bundle_sha256, **package})
    data = {
        "$schema": SERVER_SCHEMA,
        "name": about.name,
        "title": about.title,
        "description": about.description,
        "version": model.server_version,
        "websiteUrl": about.website,
        "repository": _repository(about.repository),
        "packages": packages,
        "remotes": [{"type": "streamable-http", "url": about.url}] if about.url else [],
    }
    return _json(data)


def _repository(url: str | None) -> dict[str, str] | None:
    """Return the address with its forge; None for a forge that the registry does not know."""
    forge = _FORGES.get(urlsplit(url or "").netloc.lower())
    return {"url": url, "source": forge} if url and forge else None


def mcpb_manifest(model: Package) -> str:
    """Return the text of `manifest.json`, by which a client installs and starts a bundle."""
    about, secrets = _publication(model), _secrets(model)
    command: dict[str, Any] = {"command": "uv", "args": ["run", "--directory", "${__dirname}", ENTRY_POINT]}
    if secrets:
        command["env"] = {name: f"${{user_config.{name}}}" for name in secrets}
    data = {
        "manifest_version": MANIFEST_VERSION,
        "name": model.slug,
        "display_name": about.title,
        "version": model.server_version,
        "description": about.description,
        "author": {"name": about.author},
        "repository": {"type": "git", "url": about.repository} if about.repository else None,
        "homepage": about.website,
        "license": about.license,
        "server": {"type": "uv", "entry_point": ENTRY_POINT, "mcp_config": command},
        "tools": [{"name": tool.wire_name, "description": tool.about} for tool in model.tools],
        "compatibility": {
            "platforms": ["darwin", "win32", "linux"],
            "runtimes": {"python": ">=3.11"},
        },
        "user_config": {
            name: {
                "type": "string",
                "title": name,
                "description": "A secret that the tools need.",
                "required": True,
                "sensitive": True,
            }
            for name in secrets
        },
    }
    return _json(data)


def skill_description(model: Package) -> str:
    """Return a skill's description as a YAML string: what it is about, and the names that fit."""
    text = f"{_publication(model).description} Tools:"
    for number, tool in enumerate(model.tools):
        longer = f"{text}{',' if number else ''} {tool.wire_name}"
        if len(longer) > MAX_SKILL_DESCRIPTION - len(", …"):
            text += ", …"
            break
        text = longer
    return json.dumps(text, ensure_ascii=False)


def _secrets(model: Package) -> list[str]:
    return sorted({name for tool in model.tools for name in tool.secrets})


def _publication(model: Package) -> Publication:
    return model.publication or Publication()


def _json(data: Mapping[str, Any]) -> str:
    """Return the text of a document, without what is not said."""
    return json.dumps(dict(_said(data)), indent=2, ensure_ascii=False) + "\n"


def _said(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((key, value) for key, value in data.items() if value not in (None, [], {}))


DOCUMENT_FILTERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "mcpb_manifest": mcpb_manifest,
    "server_json": server_json,
    "skill_description": skill_description,
}
