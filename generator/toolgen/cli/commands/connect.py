"""Connect a client to the tools of this project: print the entry for its configuration file, or write it.

The entry starts `toolgen serve` by absolute paths; the client's own command that adds it is printed, too.
--write merges it into the client's file, --undo takes it out again; both keep all other entries, and a backup
beside the file. A file with comments in JSON is not written, because they would be lost.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

from toolgen.base.suggestions import did_you_mean
from toolgen.cli.client_config.config_file import (
    BACKUP,
    CLIENTS,
    Entry,
    config_file,
    connect,
    disconnect,
    own_command,
    snippet,
)
from toolgen.cli.output import command_line, emit, say
from toolgen.cli.parser import add_choice, add_flag
from toolgen.project import Project, UnableError, find_project, kind_of

IS_SHORT = True
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("client", metavar="CLIENT", help="one of " + ", ".join(CLIENTS))
    what = parser.add_mutually_exclusive_group()
    add_flag(what, "--write", "merge the entry into the client's file")
    add_flag(what, "--undo", "take the entry out of the client's file")
    about = "the client's file of the user, or of this project (default: user)"
    add_choice(parser, "--scope", ("user", "project"), about, default="user")
    parser.add_argument("--name", help="the entry's name (default: the server's, or the folder's)")


def run(args: argparse.Namespace) -> bool:
    client = CLIENTS.get(args.client)
    if client is None:
        hint = did_you_mean(args.client, CLIENTS) or f"the clients are {', '.join(CLIENTS)}"
        raise UnableError("usage", f"unknown client '{args.client}'", hint)
    project = find_project(Path(args.start))
    entry = _entry(project, args.name)
    if args.undo:
        path = config_file(client, args.scope, str(project.root))
        if disconnect(path, client, entry):
            say(f"took '{entry.name}' out of {path}; the earlier content is in {path}{BACKUP}")
        else:
            say(f"{path} has no entry '{entry.name}'")
        return True
    if not args.write:
        emit(*snippet(client, entry).split("\n"))
        scope = ["--scope", args.scope] if args.scope != "user" else []
        write = command_line(args, "connect", args.client, *scope, "--write")
        say(f"for {client.title}: {client.page} says where it belongs", f"`{write}` writes it there")
        say(*([f"or: {own}"] if (own := own_command(client, entry, args.scope)) else []))
        return True
    if kind_of(project.root, f"{project.output}/mcp_server.py", links=True) is None:
        message = f"there is no {project.output}/mcp_server.py, which the client would start"
        raise UnableError("not-generated", message, f"run `{command_line(args, 'generate')}` first")
    path = config_file(client, args.scope, str(project.root))
    existed = os.path.lexists(path)
    try:
        is_new = connect(path, client, entry)
    except UnableError:
        say("the entry, to paste it by hand:", *snippet(client, entry).split("\n"), always=True)
        raise
    if is_new:
        backup = f"; the earlier content is in {path}{BACKUP}" if existed else ""
        say(f"wrote '{entry.name}' to {path}{backup}", f"{client.title}: {client.then}")
    else:
        say(f"{path} has the entry '{entry.name}' already")
    return True


def _entry(project: Project, name: str | None) -> Entry:
    chosen = name if name is not None else project.display_name
    if not _NAME.fullmatch(chosen):
        message = f"'{chosen}' cannot name an entry"
        raise UnableError("usage", message, "use --name, with letters, digits, - and _, at most 64")
    # the interpreter as it was called: a resolved link would leave the virtual environment; with -P, a
    # toolgen.py in the folder where the client starts it is not imported
    return Entry(chosen, sys.executable, ("-P", "-m", "toolgen", "-C", str(project.root), "serve"))
