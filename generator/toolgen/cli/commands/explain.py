"""Explain a diagnostic code: what it means, why it matters, how to fix it. Without a code, list all."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from inspect import cleandoc
from typing import Any, Final

from toolgen.base.suggestions import did_you_mean
from toolgen.changes.table import RULES, SERVER_RULES, levels_of, page
from toolgen.cli.output import emit, emit_json
from toolgen.cli.parser import add_format
from toolgen.language.codes import CODES, LINT, Code
from toolgen.language.lint import linter
from toolgen.project import UnableError

_ALL: Final = (*sorted(CODES), *sorted(RULES), *sorted(SERVER_RULES))


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("code", nargs="?", help="the code in the brackets of error[...] or warning[...]")
    add_format(parser)


def run(args: argparse.Namespace) -> bool:
    if args.code is None:
        _list(args.format)
        return True
    # `error[unknown-field]` may be pasted as it was printed
    code = args.code.partition("[")[2].removesuffix("]") or args.code
    if code not in _ALL:
        hint = did_you_mean(code, _ALL) or "`toolgen explain` lists all codes"
        raise UnableError("unknown-code", f"there is no diagnostic code '{code}'", hint)
    if args.format == "json":
        emit_json({"code": code, **_data(code)})
    else:
        emit(*_text(code).splitlines())
    return True


def _list(form: str) -> None:
    if form == "json":
        emit_json([{"code": code, **_data(code)} for code in _ALL])
        return
    width = max(map(len, _ALL))
    emit(*(f"{code:<{width}}  {_kind(code):<8}  {_data(code)['title']}" for code in _ALL))


def _kind(code: str) -> str:
    """Return the severity of a diagnostic, or the command whose rule it is."""
    if code in CODES:
        return CODES[code].severity
    return "breaking" if code in RULES else "guard"


def _data(code: str) -> dict[str, Any]:
    if code in CODES:
        return asdict(CODES[code])
    if code in RULES:
        title, _, why = page(code).partition("\n\n")
        title = title.partition(": ")[2].removesuffix(".")
        levels = levels_of(code)
        return {"title": title, "why": " ".join(why.split()), "fix": RULES[code].advice, "levels": levels}
    rule = SERVER_RULES[code]
    levels = [{"direction": "tool", "category": rule.category.value, "level": rule.level.value}]
    return {"title": rule.what, "why": rule.why, "fix": rule.advice, "levels": levels}


def _text(code: str) -> str:
    if code in CODES:
        return _explanation(code, CODES[code])
    if code in RULES:
        rows = "".join(
            f"\n  {row['direction']:<8}  {row['category']:<6}  {row['level']}" for row in levels_of(code)
        )
        advice = RULES[code].advice
        fix = f"\n\nFix:  {advice[:1].upper()}{advice[1:]}." if advice else ""
        return f"{cleandoc(page(code))}{fix}\n\nLevels:{rows}"
    rule = SERVER_RULES[code]
    return f"{rule.level.value}[{code}]: {rule.what}\n\nWhy:  {rule.why}"


def _explanation(name: str, code: Code) -> str:
    text = f"{code.severity}[{name}]: {code.title}\n\nWhy:  {code.why}\nFix:  {code.fix}"
    text += f"\nEvidence:  {code.evidence}" if code.evidence else ""
    if name not in LINT:
        return text
    _, _, examples = linter.page(name).partition("\n\n")
    return f"{text}\n\n{examples}"
