"""The table of clients: where each one reads MCP servers from, and in which form."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from toolgen.project import UnableError


@dataclass(frozen=True, slots=True)
class Client:
    """One client. Paths are below the home folder, or below the project for the scope `project`."""

    title: str
    page: str  # the client's own documentation of the format
    section: str  # the key of the file that holds the servers by name
    # `sys.platform`, or "" for all others → path, which may begin with $VARIABLE
    user_file: Mapping[str, str]
    project_file: str = ""  # empty: the client has none
    extra: Mapping[str, str] = field(default_factory=dict)  # further fields of an entry
    is_toml: bool = False
    add_command: str = ""  # the client's own command, with {name}, {scope}, {command}, {args} and {json}
    then: str = "restart it"  # what loads the new entry


CLIENTS: Final[Mapping[str, Client]] = {
    "claude-desktop": Client(
        "Claude Desktop",
        "https://modelcontextprotocol.io/docs/develop/connect-local-servers",
        "mcpServers",
        {
            "darwin": "Library/Application Support/Claude/claude_desktop_config.json",
            "win32": "$APPDATA/Claude/claude_desktop_config.json",
        },
        then="quit it and start it again",
    ),
    "claude-code": Client(
        "Claude Code",
        "https://code.claude.com/docs/en/mcp",
        "mcpServers",
        {"": ".claude.json"},
        ".mcp.json",
        {"type": "stdio"},
        add_command="claude mcp add --scope {scope} {name} -- {command} {args}",
        then="`claude mcp list` shows it",
    ),
    "cursor": Client(
        "Cursor",
        "https://cursor.com/docs/context/mcp",
        "mcpServers",
        {"": ".cursor/mcp.json"},
        ".cursor/mcp.json",
        {"type": "stdio"},
    ),
    "vscode": Client(
        "VS Code",
        "https://code.visualstudio.com/docs/copilot/reference/mcp-configuration",
        "servers",
        {
            "darwin": "Library/Application Support/Code/User/mcp.json",
            "win32": "$APPDATA/Code/User/mcp.json",
            "": ".config/Code/User/mcp.json",
        },
        ".vscode/mcp.json",
        {"type": "stdio"},
        add_command="code --add-mcp {json}",
        then="`MCP: List Servers` shows it",
    ),
    "codex": Client(
        "Codex",
        "https://developers.openai.com/codex/mcp",
        "mcp_servers",
        {"": "$CODEX_HOME/config.toml"},
        ".codex/config.toml",
        is_toml=True,
        add_command="codex mcp add {name} -- {command} {args}",
        then="`codex mcp list` shows it",
    ),
    "gemini-cli": Client(
        "Gemini CLI",
        "https://geminicli.com/docs/tools/mcp-server",
        "mcpServers",
        {"": ".gemini/settings.json"},
        ".gemini/settings.json",
        add_command="gemini mcp add --scope {scope} {name} {command} -- {args}",
        then="`gemini mcp list` shows it",
    ),
}
"""The clients, by the word that `toolgen connect` takes."""

_DEFAULTS = {"CODEX_HOME": ".codex", "APPDATA": "AppData/Roaming"}  # below the home folder


def config_file(client: Client, scope: str, project: str) -> str:
    """Return the path of the client's file for a `scope`, `user` or `project`.

    Raises `UnableError` if the client has none.
    """
    if scope == "project":
        if not client.project_file:
            raise UnableError("usage", f"{client.title} has no file for a project", "use --scope user")
        return os.path.join(project, *client.project_file.split("/"))
    path = client.user_file.get(sys.platform, client.user_file.get(""))
    if path is None:
        message = f"{client.title} documents no configuration file for this system"
        raise UnableError("usage", message, f"see {client.page}; without --write the entry is printed")
    home = os.path.expanduser("~")
    first, _, rest = path.partition("/")
    if first.startswith("$"):
        default = os.path.join(home, _DEFAULTS[first[1:]])
        return os.path.join(os.environ.get(first[1:]) or default, *rest.split("/"))
    return os.path.join(home, *path.split("/"))
