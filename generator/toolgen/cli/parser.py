"""Words of the command line, and what was probably meant by those that are none."""

from __future__ import annotations

import argparse
import keyword
from importlib import import_module
from typing import Any, NoReturn

from toolgen.cli import VERBS
from toolgen.cli.out import emit, say
from toolgen.suggestions import did_you_mean

_USAGE = "toolgen [-C DIR] VERB ..."


class Done(Exception):  # noqa: N818  (not an error)
    """Everything that was asked for has been printed."""


class Parser(argparse.ArgumentParser):
    """argparse that refuses by exception, and suggests."""

    def parse_all(self, words: list[str]) -> argparse.Namespace:
        """`words` as a namespace; `UnableError` for a word too many or too few, `Done` after `--help`."""
        args, unknown = self.parse_known_args(words)
        if unknown:
            flags = [flag for action in self._actions for flag in action.option_strings]
            self._refuse(
                f"unexpected argument '{unknown[0]}'", did_you_mean(unknown[0].partition("=")[0], flags)
            )
        return args

    def error(self, message: str) -> NoReturn:
        self._refuse(message)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise Done

    def _refuse(self, message: str, hint: str = "") -> NoReturn:
        from toolgen.project import UnableError

        raise UnableError("usage", message, hint or f"see `{self.prog} --help`")


def parse(words: list[str]) -> argparse.Namespace:
    """The command line as a namespace with `run`, the verb's function, and `start`, the folder to work in."""
    start, verb, rest = _split(words)
    if verb not in VERBS:
        Parser(prog="toolgen", usage=_USAGE)._refuse(
            f"there is no verb '{verb}'",
            did_you_mean(verb, list(VERBS)) or f"the verbs are {', '.join(VERBS)}",
        )
    parser = verb_parser(verb)
    args = parser.parse_all(rest)
    args.start = args.start or start or "."
    args.run = verb_module(verb).run
    return args


def verb_module(verb: str) -> Any:
    """The module of one verb; a verb that is a word of Python has an underscore behind it."""
    return import_module(
        f"toolgen.cli.commands.{verb}_" if keyword.iskeyword(verb) else f"toolgen.cli.commands.{verb}"
    )


def verb_parser(verb: str) -> Parser:
    """The parser of one verb: its own arguments, and those that every verb has."""
    module = verb_module(verb)
    parser = Parser(
        prog=f"toolgen {verb}",
        description=module.__doc__,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb_arguments(parser, module)
    return parser


def verb_arguments(parser: argparse.ArgumentParser, module: Any) -> None:
    """What `module`, a verb, takes."""
    parser.add_argument("-C", dest="start", metavar="DIR", help="work in this folder")
    module.arguments(parser)


def add_format(parser: argparse.ArgumentParser) -> None:
    """`--format`, for the verbs that have output to read."""
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="what stdout is for (default: text)"
    )


def _split(words: list[str]) -> tuple[str | None, str, list[str]]:
    """What stands before the verb, the verb, what stands behind it."""
    parser = _front()
    args, _ = parser.parse_known_args(words[: _verb_at(words)])
    at = _verb_at(words)
    if args.version:
        from importlib.metadata import version

        emit(f"toolgen {version('toolgen')}")
        raise Done
    if args.help or at == len(words):
        unknown = [word for word in words if word.startswith("-") and word not in ("-h", "--help", "-C")]
        if unknown and not args.help:
            parser._refuse(
                f"unexpected argument '{unknown[0]}'", did_you_mean(unknown[0], ["--help", "--version"])
            )
        if not args.help:
            say(_help())
            parser._refuse("which verb?")
        emit(_help())
        raise Done
    return args.start, words[at], words[at + 1 :]


def _front() -> Parser:
    parser = Parser(prog="toolgen", usage=_USAGE, add_help=False, allow_abbrev=False)
    parser.add_argument("-C", dest="start", metavar="DIR")
    parser.add_argument("--version", action="store_true")
    parser.add_argument("-h", "--help", action="store_true")
    return parser


def _verb_at(words: list[str]) -> int:
    """Where the verb stands: the first word that is neither a flag nor the folder of `-C`."""
    for at, word in enumerate(words):
        if not word.startswith("-") and (at == 0 or words[at - 1] != "-C"):
            return at
    return len(words)


def _help() -> str:
    width = max(map(len, VERBS))
    verbs = "\n".join(f"  {verb:<{width}}  {does}" for verb, does in VERBS.items())
    return f"""usage: {_USAGE}

One reviewed YAML file per tool; typed models, adapters and checks generated from it.

verbs:
{verbs}

flags:
  -C DIR     work in this folder
  --version  print toolgen's version
  --help     print this, or with a verb what that verb does

exit codes: 0 clean, 1 the verb's finding, 2 could not do it, 3 a bug in toolgen, 130 interrupted"""
