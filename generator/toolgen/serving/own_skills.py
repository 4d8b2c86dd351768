"""The skills beside the generated code, which the target `skill` writes, as a feature source (SEP-2640).

Their front matter is read without a parser of YAML, which servers need not have: lines of a name and a text,
in double quotes if it has a colon or `#`.
"""

from __future__ import annotations

import json
import os
import re
import sys
from base64 import b64encode
from collections.abc import Collection
from hashlib import sha256
from mimetypes import guess_type
from typing import Any, Final

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError

from toolgen.base import MIB
from toolgen.base.files import FileKind, Folder
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.toolkit import Toolkit

from .auth.grant import scopes_of

_MAX_FILES: Final = 512  # of a skill, and bytes of them: "Limits" in the specification of the extension
_MAX_BYTES: Final = 16 * MIB
_LINE: Final = re.compile(r'([A-Za-z][\w-]*): (?:([A-Za-z](?:[^:#]*[^:#\s])?)|(".*"))')
_NOT_TEXT: Final = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")  # for a parser of YAML


class OwnSkills:
    """The skills in a folder, each a folder itself. See `FeatureSource`."""

    name = "the project's skills"
    serves = frozenset(("resources", "skills"))
    timeout = 60.0

    def __init__(self, path: str, scopes: Collection[str]) -> None:
        """Read the skills. One that cannot be served is logged and left out."""
        self.scopes = frozenset(scopes)
        self._skills: dict[str, dict[str, Any]] = {}  # URI → entry of `skills/list`
        self._files: dict[str, bytes] = {}  # by URI
        folder = Folder(path)
        for each in folder.entries():
            try:
                if each.kind is FileKind.FOLDER:
                    self._add(folder, each.name)
            except (OSError, ValueError) as error:
                LOGGER.error("the skill %s is not served: %s", each.name, error)

    def _add(self, folder: Folder, name: str) -> None:
        paths = [each.path for each in folder.walk(name, skipped=(".",)) if each.kind is FileKind.FILE]
        files = {f"skill://{path}": folder.read(path) for path in paths}
        main = f"skill://{name}/SKILL.md"
        front = front_matter(files.get(main, b"").decode())
        if front.get("name") != name or "description" not in front:
            raise ValueError("SKILL.md must have the name of its folder, and a description")
        if len(files) > _MAX_FILES or sum(map(len, files.values())) > _MAX_BYTES:
            raise ValueError(f"it has more than {_MAX_FILES} files, or {_MAX_BYTES:,} bytes")
        resources = [
            {"uri": uri, "digest": f"sha256:{sha256(data).hexdigest()}", "size": len(data)}
            for uri, data in files.items()
        ]
        self._skills[main] = {"uri": main, "frontmatter": front, "resources": resources}
        self._files |= files

    async def answer(self, context: ServerRequestContext[Any, Any], params: Any) -> dict[str, Any]:
        """Return the result of a request."""
        found = self._found(context.method, params)
        if found is None:
            raise MCPError(code=types.INVALID_PARAMS, message=f"Nothing is served at {params.uri}")
        scope = "private" if self.scopes else "public"
        return {**found, "resultType": "complete", "ttlMs": 60_000, "cacheScope": scope}

    async def close(self) -> None:
        """Release nothing."""

    def _found(self, method: str, params: Any) -> dict[str, Any] | None:
        match method:
            case "skills/list":
                return {"skills": list(self._skills.values())}
            case "skills/get" if params.uri in self._skills:
                return {"skill": self._skills[params.uri]}
            case "resources/list":  # the first file of each skill, which names the others
                return {"resources": [_listed(each) for each in self._skills.values()]}
            case "resources/templates/list":
                return {"resourceTemplates": []}
            case "resources/read" if str(params.uri) in self._files:
                return {"contents": [_content(str(params.uri), self._files[str(params.uri)])]}
        return None


def _listed(skill: dict[str, Any]) -> dict[str, Any]:
    front = skill["frontmatter"]
    about = {"name": front["name"], "description": front["description"]}
    return {"uri": skill["uri"], "mimeType": "text/markdown", **about}


def _content(uri: str, data: bytes) -> dict[str, Any]:
    kind = "text/markdown" if uri.endswith(".md") else guess_type(uri)[0]
    about = {"uri": uri, **({"mimeType": kind} if kind else {})}
    try:
        return {**about, "text": data.decode()}
    except UnicodeDecodeError:
        return {**about, "blob": b64encode(data).decode()}


def front_matter(text: str) -> dict[str, str]:
    """Return the data between the first lines `---`. Raises ValueError for YAML that it does not read."""
    before, _, rest = text.partition("---\n")
    written, end, _ = rest.partition("\n---\n")
    found: dict[str, str] = {}
    for line in written.split("\n"):
        read = _LINE.fullmatch(line)
        if before or not end or read is None or read[1] in found or (read[2] or "").lower() in _NOT_TEXT:
            raise ValueError(f"the front matter of SKILL.md needs a parser of YAML: {line!r}")
        found[read[1]] = read[2] or json.loads(read[3])
    return found


def own_skills(toolkit: Toolkit) -> list[OwnSkills]:
    """Return the skills of the generated package. Callers need the scopes of all tools: they tell of all."""
    module = sys.modules.get(getattr(toolkit.catalog, "__name__", ""))
    folder = os.path.join(os.path.dirname(getattr(module, "__file__", None) or ""), "skills")
    if module is None or toolkit.settings.code_mode or not os.path.isdir(folder):
        return []
    return [OwnSkills(folder, frozenset().union(*map(scopes_of, toolkit.definitions.values())))]
