"""Suites for promptfoo (https://www.promptfoo.dev), as version 0.123 reads them.

Texts of specs are in JSON files, which promptfoo does not take for templates. Prompts are templates, but of
messages in JSON, in which the value of a variable is inserted as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolgen.cli.evaluating.cases import EvalCase
from toolgen.cli.file_templates import render
from toolgen.data.diagnostic import Diagnostic
from toolgen.project import UnableError

CONFIG = "promptfooconfig.yaml"
FORMATS: Mapping[str, str] = {
    "openai:chat": "openai-chat",
    "openai:responses": "openai-responses",
    "anthropic:messages": "anthropic",
}
"""Beginning of a provider's id → format of its tools, as `toolgen export` names it."""

SHORT_IDS: Mapping[str, str] = {
    "openai": "openai:chat:gpt-5.5",
    "anthropic": "anthropic:messages:claude-opus-4-7",
}
_ID = re.compile(rf"({'|'.join(FORMATS)}):[A-Za-z0-9][A-Za-z0-9._:/@-]*")
_REPLACED = re.compile(r"^(?:file://|package:)|\{\{\s*ask\s*\}\}")
"""Values of variables that promptfoo replaces: by a file, by the result of a module, by the variable."""


def provider_format(provider: str) -> str:
    """Return the format of the tools for a provider's id. Raises `UnableError` for one that is not known."""
    found = _ID.fullmatch(provider)
    if found is None:
        known = ", ".join([*SHORT_IDS, *(f"{beginning}:MODEL" for beginning in FORMATS)])
        raise UnableError("usage", f"there is no provider {provider!r}", f"there are {known}")
    return FORMATS[found[1]]


def unusable_asks(cases: Sequence[EvalCase]) -> Iterator[Diagnostic]:
    """Yield a fault for each `ask` that promptfoo would not send to the model as it is."""
    for case in cases:
        if found := _REPLACED.search(case.ask):
            message = f"promptfoo would replace {found[0]!r} by something else"
            yield Diagnostic(case.place, "bad-value", message, "write it in other words")


def suite_files(
    cases: Sequence[EvalCase], tools: Any, provider: str, *, with_arguments: bool = True
) -> dict[str, str]:
    """Return the files of a suite by name; `tools` are the definitions in the provider's format."""
    has_text = FORMATS["openai:chat"] != provider_format(provider)
    return {
        CONFIG: render("_evals/promptfooconfig.yaml.jinja", provider=provider),
        "tests.json": _json([_test(case, with_arguments) for case in cases]),
        "tool_calls.cjs": render("_evals/tool_calls.cjs.jinja", calls_in_text=has_text),
        "tools.json": _json(tools),
    }


def is_own_config(text: str) -> bool:
    """True if `text` is the configuration of a suite that toolgen wrote."""
    return text.startswith("# Written by `toolgen evals`")


def _test(case: EvalCase, with_arguments: bool) -> dict[str, Any]:
    checks = [_check("tool", "calls", {"tool": case.tool})]
    if with_arguments:
        call: dict[str, Any] = {"tool": case.tool, "arguments": case.arguments}
        if case.defaults:
            call["defaults"] = case.defaults
        checks.append(_check("arguments", "callsWith", call))
    if case.avoided:
        checks.append(_check("not", "avoids", {"tools": list(case.avoided)}))
    return {"description": case.title, "vars": {"ask": case.ask}, "assert": checks}


def _check(metric: str, function: str, config: Mapping[str, Any]) -> dict[str, Any]:
    value = f"file://tool_calls.cjs:{function}"
    return {"type": "javascript", "metric": metric, "value": value, "config": config}


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
