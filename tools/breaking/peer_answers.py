"""Ask the peers, in their own environment: pairs as JSON on stdin, answers on stdout."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import signal
import sys
from collections.abc import Callable
from typing import Any

_SECONDS = 20  # for one question: jsonsubschema does not end on some


def _mcp_diff(change: dict[str, Any]) -> str:
    changes = importlib.import_module("mcp_diff.diff").classify_changes([change["old"]], [change["new"]])
    severities = {each.severity for each in changes}
    return "breaks" if "breaking" in severities else "warning" if "warning" in severities else "safe"


def _mcp_compat(change: dict[str, Any]) -> str:
    report = importlib.import_module("mcp_compat.compat").compare_schemas([change["old"]], [change["new"]])
    return "breaks" if report.breaking else "warning" if report.warnings else "safe"


def _jsonsubschema(pair: dict[str, Any]) -> str:
    contained = importlib.import_module("jsonsubschema").isSubschema(pair["narrow"], pair["wide"])
    return "safe" if contained else "breaks"


def _jsoncompat(pair: dict[str, Any]) -> str:
    narrow, wide = json.dumps(pair["narrow"]), json.dumps(pair["wide"])
    accepts = importlib.import_module("jsoncompat").check_compat(narrow, wide, "deserializer")
    return "safe" if accepts else "breaks"


_PEERS: dict[str, Callable[[dict[str, Any]], str]] = {
    "mcp-diff": _mcp_diff,
    "mcp-compat": _mcp_compat,
    "jsonsubschema": _jsonsubschema,
    "jsoncompat": _jsoncompat,
}


class _TooLongError(BaseException):
    """No answer in time; no `except Exception` of a peer holds it."""


def _interrupt(*_: object) -> None:
    raise _TooLongError


def _answer(peer: Callable[[dict[str, Any]], str], question: dict[str, Any]) -> str:
    signal.alarm(_SECONDS)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return peer(question)
    except _TooLongError:
        return "no end"
    except BaseException as error:
        return f"raises {type(error).__name__}"
    finally:
        signal.alarm(0)


def main() -> None:
    signal.signal(signal.SIGALRM, _interrupt)
    asked = json.load(sys.stdin)
    answers = [{peer: _answer(_PEERS[peer], question[peer]) for peer in question} for question in asked]
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
