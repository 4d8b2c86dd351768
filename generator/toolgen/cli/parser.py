"""Parse the command line: the list of commands, their arguments, the help, suggestions for misspelt words."""

from __future__ import annotations

import argparse
import keyword
import os
import re
import shlex
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, Protocol

from toolgen.base.suggestions import did_you_mean, nearest
from toolgen.cli.exit_codes import MEANINGS
from toolgen.cli.output import emit, set_quiet
from toolgen.cli.report.formats import FORMATS
from toolgen.project import UnableError

GROUPS = {
    "Start": {
        "new": "create a tool: spec, implementation and test",
        "init": "set up a project: configuration, folders, fixtures, git files, CI workflow",
        "import": "create specs from MCP servers, OpenAI functions, OpenAPI or Python functions",
        "connect": "connect Claude, Cursor, VS Code, Codex or Gemini CLI to the tools",
    },
    "Every day": {
        "generate": "generate code from the specs",
        "check": "check that generated code is up to date; show a diff if it is not",
        "call": "call one tool's implementation, with validation and confirmation",
        "test": "test implementations against their specs: examples, and properties of every call",
        "serve": "serve the generated tools over MCP: stdio or HTTP, from any folder",
        "dev": "design tools: a page that reloads, mocks to call, lint, and what would break callers",
        "mock": "serve the specs over MCP before you implement them",
        "list": "list the tools; with --ask, those that a model finds for a user's words",
    },
    "Change": {
        "lint": "find what is valid in the specs, and still a fault",
        "fmt": "put the fields of specs in the order of the language",
        "breaking": "compare the specs with another version; show what breaks, with a value",
        "changelog": "print what changed in the tools between two commits",
        "budget": "measure what models are sent; fail if a tool has grown",
        "guard": "check that an MCP server still keeps what its lock file says",
        "client": "write a typed client of an MCP server, and check that the server still fits it",
    },
    "Show and publish": {
        "docs": "make a page about the tools, for people who review them",
        "export": "print the definitions of one target; or stubs, schema, evals",
        "bundle": "make an MCP bundle: one file by which a client installs the server",
    },
    "Run and look deeper": {
        "worker": "run queued calls of tools with `background`",
        "approvers": "make the keys of people who approve calls",
        "receipts": "verify the receipts of calls that people signed",
        "explain": "explain a diagnostic code",
        "lsp": "serve editors: diagnostics as you type, quick fixes, definitions (LSP)",
        "completion": "print the completion script of a shell: bash, zsh or fish",
        "help": "print this help, or the help of a command or a topic",
    },
}
"""The commands and their summaries, by group, in the order of the help."""

COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}

SUBCOMMANDS = {
    "export": {
        "stubs": "print the types of tools for a model that writes code: Python or TypeScript",
        "schema": "print the JSON Schema of the spec language",
        "evals": "write tests, from the examples, that a model calls the right tool",
    }
}
"""Commands whose first argument may be one of these words, each with a module and a help of its own."""

TOPICS = ("spec", "configuration", "settings")
"""Topics of `toolgen help` beside commands: the fields of specs, toolgen.toml, settings of servers."""

SUCCESSORS = {
    "outputs": "list",
    "search": "list --ask TEXT",
    "stubs": "export stubs",
    "schema": "export schema",
    "evals": "export evals",
    "docs --serve": "dev",
    "generate --check": "check",
    **dict.fromkeys(("run", "invoke", "exec"), "call"),
    **dict.fromkeys(("start", "server"), "serve"),
    **dict.fromkeys(("add", "create", "scaffold"), "new"),
    **dict.fromkeys(("validate", "verify", "status"), "check"),
    **dict.fromkeys(("build", "compile", "gen", "sync"), "generate"),
    **dict.fromkeys(("tools", "ls"), "list"),
    **dict.fromkeys(("diff", "compare"), "breaking --against REF"),
    **dict.fromkeys(("inspect", "preview", "ui"), "dev"),
    **dict.fromkeys(("install", "setup"), "connect"),
    "format": "fmt",
}
"""Commands and flags of older versions, or of other programs, and the command that does their work."""

_USAGE = "toolgen [-C DIR] COMMAND ..."


class HelpPrinted(Exception):  # noqa: N818  (not an error)
    """The help or the version was requested and has been printed."""


class Parser(argparse.ArgumentParser):
    """An argparse parser that raises instead of exiting, and suggests flags for misspelt ones."""

    def __init__(self, **settings: Any) -> None:
        layout = argparse.RawDescriptionHelpFormatter
        super().__init__(allow_abbrev=False, formatter_class=layout, **settings)

    def parse_all(self, words: list[str], args: argparse.Namespace) -> argparse.Namespace:
        """Return `args` with `words`. Raises `UnableError` if they are wrong, `HelpPrinted` after `--help`.

        After an option that names a server, or in its place, `--` begins a command: `--against -- python -m
        shop`, `guard -- python -m shop`, `import mcp -- python -m shop`.
        """
        kinds, at = self.get_default("kinds"), _command_index(words)
        if kinds and at < len(words) and words[at] not in kinds:
            self.refuse(f"unknown kind '{words[at]}'", did_you_mean(words[at], kinds))
        at = words.index("--") if "--" in words else len(words)
        is_option = at > 0 and words[at - 1] == "--against"
        if at + 1 < len(words) and (is_option or self.get_default("takes_command")):
            # a word in the place of the command, whose options argparse would take for toolgen's
            args, unknown = self.parse_known_args([*words[:at], "command"], args)
            from toolgen.sources.mcp_client.source_argument import CommandWords  # 8 ms, for few commands

            setattr(args, "against" if is_option else "source", CommandWords(shlex.join(words[at + 1 :])))
        elif self.get_default("intermixed"):  # arguments after options
            args, unknown = self.parse_known_intermixed_args(words, args)
        else:
            args, unknown = self.parse_known_args(words, args)
        if unknown:
            meant = nearest(unknown[0].partition("=")[0].lstrip("-"), self._flags(words))
            hint = f"did you mean '--{meant}'?" if meant else self.get_default("hint") or ""
            self.refuse(f"unexpected argument '{unknown[0]}'", hint)
        return args

    def _flags(self, words: list[str]) -> list[str]:
        """Return the flags of this command, and of the kind among `words`, without their hyphens."""
        kinds = (self.get_default("kinds") or {}).items()
        parsers = (self, *(parser for kind, parser in kinds if kind in words))
        return [flag for each in parsers for flag in re.findall(r"--([\w-]+)", each.format_usage())]

    def error(self, message: str) -> NoReturn:
        self.refuse(message)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise HelpPrinted

    def refuse(self, message: str, hint: str = "") -> NoReturn:
        """Raise `UnableError` for a command line that cannot be used."""
        raise UnableError("usage", message, hint or f"see `{self.prog} --help`")


class Options(Protocol):
    """A parser, or a group of its options."""

    def add_argument(self, *flags: str, **settings: Any) -> Any:
        """Add an option, as argparse does."""


def parse(words: list[str]) -> argparse.Namespace:
    """Return the command line as a namespace with `run`, the command's function, and `start`, the folder."""
    parser, at = _global_parser(), _command_index(words)
    line, unknown = parser.parse_known_args(words[:at])
    if unknown:
        hint = did_you_mean(unknown[0], ["--help", "--version", "--quiet"])
        parser.refuse(f"unexpected argument '{unknown[0]}'", hint)
    if line.version or line.help or at == len(words):
        _answer_alone(line)
    command, rest = words[at], words[at + 1 :]
    check_command(command)
    for flag in rest:
        if successor := SUCCESSORS.get(f"{command} {flag}"):
            parser.refuse(f"there is no `toolgen {command} {flag}`", f"use `toolgen {successor}`")
    second = _command_index(rest)
    if second < len(rest) and rest[second] in SUBCOMMANDS.get(command, ()):
        command = f"{command} {rest.pop(second)}"
    args = command_parser(command).parse_all(rest, line)
    set_quiet(args.quiet)
    args.run = command_module(command).run
    return args


def check_command(word: str, others: Iterable[str] = ()) -> None:
    """Raise `UnableError` for a word that is not a command, nor in `others`, with the one to use."""
    known = [*COMMANDS, *others]
    if word in known:
        return
    if word in SUCCESSORS:
        hint = f"use `toolgen {SUCCESSORS[word]}`"
    else:
        hint = did_you_mean(word, known) or f"the commands are {', '.join(known)}"
    raise UnableError("usage", f"unknown command '{word}'", hint)


def command_module(command: str) -> Any:
    """Return a command's module; the name of one that is a keyword of Python ends in an underscore."""
    name = f"{command}_" if keyword.iskeyword(command) else command.replace(" ", "_")
    return import_module(f"toolgen.cli.commands.{name}")


def command_parser(command: str) -> Parser:
    """Return the parser of one command: its own arguments, and those that every command has."""
    module = command_module(command)
    parser = Parser(prog=f"toolgen {command}", description=module.__doc__)
    add_arguments(parser, module)
    return parser


def add_arguments(parser: argparse.ArgumentParser, module: Any) -> None:
    """Add the arguments of a command's `module`, and those that may also stand before the command."""
    module.arguments(parser)
    unset = argparse.SUPPRESS  # what stands before the command counts then
    common = parser.add_argument_group("all commands")
    common.add_argument("-C", dest="start", metavar="DIR", default=unset, help="run as if started in DIR")
    quiet = "print results, warnings and errors only"
    common.add_argument("-q", "--quiet", action="store_true", default=unset, help=quiet)


def add_server(parser: argparse.ArgumentParser, verb: str) -> None:
    """Add `--against` and `--header`, for a command that can be about a running server."""
    group = parser.add_argument_group("server")
    group.add_argument(
        "--against",
        metavar="COMMAND|URL",
        help=f"{verb} this MCP server: its URL, or a command that starts it over stdio (quoted, or after --)",
    )
    add_headers(group)


def add_headers(group: Options) -> None:
    """Add `--header`, for a command whose SOURCE, or version to compare with, may be a URL."""
    add_repeated(
        group,
        "--header",
        "NAME=VARIABLE",
        "send this header to a URL, with the value of an environment variable",
    )


def whole_number(text: str) -> int:
    """Return a number above 0, of at most nine digits, for `type` of an argument."""
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def add_flag(group: Options, flag: str, about: str) -> None:
    """Add an option without a value; without it, the value is False."""
    group.add_argument(flag, action="store_true", help=about)


def add_against(group: Options, about: str) -> None:
    """Add `--against`, for a command that compares contracts with those of another version."""
    group.add_argument("--against", metavar="REF|DIR|FILE|URL|COMMAND", help=about)


def add_repeated(group: Options, flag: str, metavar: str, about: str) -> None:
    """Add an option that may be given several times; without it, the list is empty."""
    group.add_argument(flag, action="append", default=[], metavar=metavar, help=f"{about} (may be repeated)")


def add_format(parser: argparse.ArgumentParser, *, of_report: bool = False) -> None:
    """Add `--format`, for commands whose output programs read; with those of reports if it finds things."""
    parser.set_defaults(of_report=of_report)
    forms = ("text", "json", *(sorted(FORMATS) if of_report else ()))
    add_choice(parser, "--format", forms, "output format on stdout (default: text)", default="text")


def add_choice(
    group: Options, flag: str, choices: Sequence[str], about: str, *, default: str | None = None
) -> None:
    """Add an option whose value is one of `choices`; another one is refused with the most similar one."""

    def chosen(text: str) -> str:
        if text in choices:
            return text
        hint = did_you_mean(text, choices) or f"choose from {', '.join(choices)}"
        raise argparse.ArgumentTypeError(f"{text!r} is not possible: {hint}")

    group.add_argument(flag, type=chosen, choices=choices, default=default, help=about)


def complete() -> None:
    """Print completions and exit, if a shell asks for them (`register-python-argcomplete toolgen`).

    Do nothing without argcomplete.
    """
    try:
        from argcomplete import autocomplete  # of the extra `cli`
    except ModuleNotFoundError:  # the extra `cli` is not installed
        return
    parser = argparse.ArgumentParser(prog="toolgen")
    commands = parser.add_subparsers()
    words = os.environ.get("COMP_LINE", "").split()
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary)
        if name in words:  # importing all of them takes seconds
            second = next((word for word in SUBCOMMANDS.get(name, ()) if word in words), "")
            add_arguments(command, command_module(f"{name} {second}".rstrip()))
    autocomplete(parser)


def add_tools(parser: argparse.ArgumentParser, name: str, **settings: Any) -> None:
    """Add an argument with names of tools, which shells complete."""
    action: Any = parser.add_argument(name, **settings)
    action.completer = _tool_names


def _tool_names(parsed_args: argparse.Namespace, **_: Any) -> list[str]:
    """Return the names of the project's tools, without parsing its specs: a shell waits."""
    from toolgen.project import find_project, read_specs  # most commands need neither here

    texts = read_specs(find_project(Path(getattr(parsed_args, "start", ".")))).values()
    return [name.decode() for text in texts for name in re.findall(rb"(?m)^name: *[\"']?([\w-]+)", text)]


def _answer_alone(args: argparse.Namespace) -> NoReturn:
    """Print the version, or the help. Raises `HelpPrinted`."""
    if args.version:
        from importlib.metadata import version  # 10 ms, for --version only

        emit(f"toolgen {version('toolgen')}")
    else:
        emit(*help_text().splitlines())
    raise HelpPrinted


def _global_parser() -> Parser:
    parser = Parser(prog="toolgen", usage=_USAGE, add_help=False)
    parser.add_argument("-C", dest="start", metavar="DIR", default=".")
    parser.add_argument("-V", "--version", action="store_true")
    parser.add_argument("-q", "--quiet", action="store_true")
    parser.add_argument("-h", "--help", action="store_true")
    return parser


def _command_index(words: list[str]) -> int:
    """Return the index of the command: the first word that is neither a flag nor the folder of `-C`."""
    for at, word in enumerate(words):
        if not word.startswith("-") and (at == 0 or words[at - 1] != "-C"):
            return at
    return len(words)


def help_text() -> str:
    """Return the help of toolgen as a whole."""
    width = max(map(len, COMMANDS))
    commands = "\n\n".join(
        "\n".join((f"{group}:", *(f"  {name:<{width}}  {summary}" for name, summary in members.items())))
        for group, members in GROUPS.items()
    )
    exit_codes = "\n".join(f"  {code:<3}  {meaning}" for code, meaning in MEANINGS.items())
    return f"""usage: {_USAGE}

Describe each tool in one YAML file; generate typed models, adapters and servers from it.

{commands}

flags:
  -C DIR         run as if started in DIR
  -q, --quiet    print results, warnings and errors only
  -V, --version  print the version
  -h, --help     print this help; after a command, the help of that command

exit codes:
{exit_codes}

topics: `toolgen help TOPIC`, where TOPIC is {", ".join(TOPICS)}"""
