"""Explain a diagnostic code: what it means, why it matters, how to fix it. Without a code, list all."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from importlib import import_module
from inspect import cleandoc

from toolgen.cli.output import emit, emit_json
from toolgen.cli.parser import add_format
from toolgen.data.codes import CODES, LINT, Code
from toolgen.project import UnableError
from toolgen.suggestions import did_you_mean


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("code", nargs="?", help="the code in the brackets of error[...] or warning[...]")
    add_format(parser)


def run(args: argparse.Namespace) -> bool:
    if args.code is None:
        _list(args.format)
        return True
    code = args.code.removeprefix("error[").removeprefix("warning[").removesuffix("]")
    if code not in CODES:
        hint = did_you_mean(code, list(CODES)) or "`toolgen explain` lists all codes"
        raise UnableError("unknown-code", f"there is no diagnostic code '{code}'", hint)
    if args.format == "json":
        emit_json({"code": code, **asdict(CODES[code])})
    else:
        emit(_explanation(code, CODES[code]))
    return True


def _list(form: str) -> None:
    if form == "json":
        emit_json([{"code": name, **asdict(CODES[name])} for name in sorted(CODES)])
        return
    width = max(map(len, CODES))
    emit(
        "\n".join(
            f"{name:<{width}}  {CODES[name].severity:<7}  {CODES[name].title}" for name in sorted(CODES)
        )
    )


def _explanation(name: str, code: Code) -> str:
    text = f"{code.severity}[{name}]: {code.title}\n\nWhy:  {code.why}\nFix:  {code.fix}"
    return f"{text}\n\n{_page(name)}" if name in LINT else text


def _page(name: str) -> str:
    """Return the examples on a lint rule's page: its module's docstring, without the first line."""
    rule = import_module(f"toolgen.lint.rules.{name.replace('-', '_')}")
    return cleandoc(rule.__doc__ or "").partition("\n\n")[2]
