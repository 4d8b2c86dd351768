"""Explain a diagnostic code: what it means, why it matters, how to fix it. Without a code, list all."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from importlib import import_module
from inspect import cleandoc
from typing import Any

from toolgen.base.suggestions import did_you_mean
from toolgen.changes.comparing.server_drift import SERVER_RULES
from toolgen.changes.table import RULES, levels_of, page
from toolgen.cli.output import emit, emit_json
from toolgen.cli.parser import add_format
from toolgen.language.codes import CODES, LINT, Code
from toolgen.project import UnableError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("code", nargs="?", help="the code in the brackets of error[...] or warning[...]")
    add_format(parser)


def run(args: argparse.Namespace) -> bool:
    if args.code is None:
        _list(args.format)
        return True
    # `error[unknown-field]` may be pasted as it was printed
    code = args.code.partition("[")[2].removesuffix("]") or args.code
    if code in RULES:
        _explain_rule(code, args.format)
        return True
    if code in SERVER_RULES:
        _explain_server_rule(code, args.format)
        return True
    if code not in CODES:
        hint = did_you_mean(code, [*CODES, *RULES, *SERVER_RULES]) or "`toolgen explain` lists all codes"
        raise UnableError("unknown-code", f"there is no diagnostic code '{code}'", hint)
    if args.format == "json":
        emit_json({"code": code, **asdict(CODES[code])})
    else:
        emit(*_explanation(code, CODES[code]).splitlines())
    return True


def _list(form: str) -> None:
    if form == "json":
        rules = [{"code": code, **_rule_data(code)} for code in sorted(RULES)]
        rules += [{"code": code, **_server_rule_data(code)} for code in sorted(SERVER_RULES)]
        emit_json([*({"code": name, **asdict(CODES[name])} for name in sorted(CODES)), *rules])
        return
    width = max(map(len, (*CODES, *RULES, *SERVER_RULES)))
    lines = [f"{name:<{width}}  {CODES[name].severity:<8}  {CODES[name].title}" for name in sorted(CODES)]
    lines += [f"{code:<{width}}  breaking  {_title(code)}" for code in sorted(RULES)]
    lines += [f"{code:<{width}}  guard     {SERVER_RULES[code].what}" for code in sorted(SERVER_RULES)]
    emit(*lines)


def _explanation(name: str, code: Code) -> str:
    severity = "off" if code.is_opinion else code.severity
    text = f"{severity}[{name}]: {code.title}\n\nWhy:  {code.why}\nFix:  {code.fix}"
    text += f"\nEvidence:  {code.evidence}" if code.evidence else ""
    return f"{text}\n\n{_page(name)}" if name in LINT else text


def _explain_rule(code: str, form: str) -> None:
    """Print the page of a rule of `breaking`."""
    if form == "json":
        emit_json({"code": code, **_rule_data(code)})
        return
    rows = [f"{row.direction:<8}  {row.category:<6}  {row.level}" for row in levels_of(code)]
    advice = RULES[code].advice
    fix = f"\n\nFix:  {advice[:1].upper()}{advice[1:]}." if advice else ""
    emit(*f"{cleandoc(page(code))}{fix}\n\nLevels:".splitlines(), *(f"  {row}" for row in rows))


def _explain_server_rule(code: str, form: str) -> None:
    """Print what a rule of `guard` finds."""
    rule = SERVER_RULES[code]
    if form == "json":
        emit_json({"code": code, **_server_rule_data(code)})
    else:
        emit(f"{rule.level.value}[{code}]: {rule.what}", "", f"Why:  {rule.why}")


def _server_rule_data(code: str) -> dict[str, Any]:
    rule = SERVER_RULES[code]
    levels = [{"direction": "tool", "category": rule.category.value, "level": rule.level.value}]
    return {"title": rule.what, "why": rule.why, "fix": rule.advice, "levels": levels}


def _rule_data(code: str) -> dict[str, Any]:
    why = " ".join(page(code).partition("\n\n")[2].split())
    levels = [asdict(row) for row in levels_of(code)]
    return {"title": _title(code), "why": why, "fix": RULES[code].advice, "levels": levels}


def _title(code: str) -> str:
    """Return the first line of a rule's page, without its code."""
    return page(code).partition("\n")[0].partition(": ")[2].removesuffix(".")


def _page(name: str) -> str:
    """Return the examples on a lint rule's page: its module's docstring, without the first line."""
    rule = import_module(f"toolgen.language.lint.rules.{name.replace('-', '_')}")
    return cleandoc(rule.__doc__ or "").partition("\n\n")[2]
