"""The clients of `clients.toml`: where each one reads MCP servers from, and in which form."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Final

from toolgen.project import UnableError, locate


@dataclass(frozen=True, slots=True)
class Client:
    """One client. Paths are below the home folder, or below the project for the scope `project`."""

    title: str
    page: str  # the client's own documentation of the format
    section: str  # the key of the file that holds the servers by name
    # `sys.platform`, or "others" → path, which may begin with $VARIABLE
    user_file: Mapping[str, str]
    project_file: str = ""  # empty: the client has none
    extra: Mapping[str, str] = field(default_factory=dict)  # further fields of an entry
    is_toml: bool = False
    add_command: str = ""  # the client's own command, with {name}, {scope}, {command}, {args} and {json}
    then: str = "restart it"  # what loads the new entry


CLIENTS: Final[Mapping[str, Client]] = {
    name: Client(**row)
    for name, row in tomllib.loads(
        files("toolgen.cli.client_config").joinpath("clients.toml").read_text("utf-8")
    ).items()
}
"""The clients, by the word that `toolgen connect` takes."""

_DEFAULTS = {"CODEX_HOME": ".codex", "APPDATA": "AppData/Roaming"}  # below the home folder


def config_file(client: Client, scope: str, project: str) -> str:
    """Return the path of the client's file for a `scope`, `user` or `project`.

    Raises `UnableError` if the client has none, or a link in the project leaves it.
    """
    if scope == "project":
        if not client.project_file:
            raise UnableError("usage", f"{client.title} has no file for a project", "use --scope user")
        found = os.path.join(project, *client.project_file.split("/"))
        locate(Path(project), Path(), os.path.dirname(found))  # refuses a link that leaves the project
        return found
    path = client.user_file.get(sys.platform, client.user_file.get("others"))
    if path is None:
        message = f"{client.title} documents no configuration file for this system"
        raise UnableError("usage", message, f"see {client.page}; without --write the entry is printed")
    home = os.path.expanduser("~")
    first, _, rest = path.partition("/")
    if first.startswith("$"):
        default = os.path.join(home, _DEFAULTS[first[1:]])
        return os.path.join(os.environ.get(first[1:]) or default, *rest.split("/"))
    return os.path.join(home, *path.split("/"))
