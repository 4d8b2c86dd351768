"""Python's `re` backtracks: each pattern of toolgen takes linear time, measured on texts made to hurt it.

regexploit, the analyser for this, has had no release since 2021 and reads `sre_parse`, which Python removes.
"""

from __future__ import annotations

import ast
import importlib
import re
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import FrameType, ModuleType
from typing import Any

import pytest
import toolgen

from tests.samples import sample

ROOT = Path(toolgen.__file__).parent
FUNCTIONS = ("compile", "match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer")
METHODS = FUNCTIONS[1:]
UNBOUNDED = 50  # repetitions: more are as good as no bound
LENGTH = 6_000  # characters of a text: many milliseconds if its square counts, 0.1 ms if not
LONGER = 4  # times, to confirm
SECONDS = 0.001
TAILS = ("", "\x00", "\n!")
CHARACTERS = "aA0_ \n-./<({[\\\"'=:&é"
MOST_PUMPS = 32
MOST_PREFIXES = 6


@dataclass(frozen=True)
class Used:
    """A pattern in the source, and the methods that it is used with."""

    place: str
    pattern: str | bytes
    flags: int
    methods: tuple[str, ...]


NOT_EVALUATED = {
    "base/escaping/characters.py": "one class, repeated, and the function that compiles the patterns of all calls",
    "language/reading/read.py": "one of two classes, which are compiled at the top",
    "project/inputs/configuration.py": "a key, escaped, at the start of a line",
    "runtime/settings.py": "one of two patterns, which are written at the top",
    "schema/dialects/arguments.py": "the names of arguments that a provider allows: one bounded class",
    "schema/providers.py": "one of two classes, which are not repeated",
    "serving/listed_tool.py": "an author's pattern: compiled to see whether clients can, not used",
    "runtime/definition/semantics/json_schema.py": "an author's pattern: compiled for its error message, not used",
}
"""Files with a pattern that is not written there, and what it is."""


def patterns_of(file: Path) -> Iterator[Used]:
    """Yield the patterns of a module."""
    source = file.read_text("utf-8")
    if "re." not in source:
        return
    tree = ast.parse(source)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and is_of_re(node.func)]
    if not calls:
        return
    name = ".".join(file.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
    module = importlib.import_module(name)
    names = {
        id(node.value): target.id
        for node in ast.walk(tree)
        for target in ([node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", []))
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(target, ast.Name)
    }
    relative = str(file.relative_to(ROOT))
    for call in calls:
        function = call.func.attr if isinstance(call.func, ast.Attribute) else "finditer"
        place = f"{relative}:{call.lineno}"
        try:
            found = pattern_of(call, module)
        except NameError:
            assert relative in NOT_EVALUATED, f"{place}: a pattern that is not written there"
            continue
        methods = used_methods(names.get(id(call), ""), source) if function == "compile" else (function,)
        yield Used(place, found.pattern, found.flags, methods)


def is_of_re(function: ast.expr) -> bool:
    if isinstance(function, ast.Name):
        return function.id == "_pattern"  # `re.compile`, cached
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
        and function.attr in FUNCTIONS
    )


def pattern_of(call: ast.Call, module: ModuleType) -> re.Pattern[Any]:
    """Return the pattern of a call of `re`, as its module reads it. Raises NameError for a local name."""
    of_flags = [each for each in call.keywords if each.arg == "flags"]
    is_compiled = isinstance(call.func, ast.Attribute) and call.func.attr == "compile"
    flags = [each.value for each in of_flags] or (call.args[1:2] if is_compiled else [])
    arguments = [
        eval(compile(ast.Expression(each), module.__name__, "eval"), vars(module))
        for each in (call.args[0], *flags)
    ]
    return re.compile(*arguments)


def used_methods(name: str, source: str) -> tuple[str, ...]:
    """Return the methods that a compiled pattern is used with; all ways to match if that cannot be seen."""
    found = re.findall(rf"\b{name}\.({'|'.join(METHODS)})\b", source) if name else []
    if name and re.search(rf"\b{name}\.match\([^()\n]*,", source):
        found.append("finditer")  # at one position after the other
    return tuple(dict.fromkeys(found)) or ("match", "fullmatch")


# Texts


def example(items: Any) -> str:
    """Return a short text that a parsed pattern matches, as far as one character after the other tells."""
    text = ""
    for kind, value in items:
        if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            text += example(value[2]) * max(1, min(value[0], 3))
        elif kind is kinds.SUBPATTERN:
            text += example(value[3])
        elif kind is kinds.BRANCH:
            text += example(value[1][0])
        elif kind is kinds.ATOMIC_GROUP:
            text += example(value)
        else:
            text += next(iter(characters(kind, value)), "")
    return text


def characters(kind: Any, value: Any) -> Iterator[str]:
    """Yield characters that one item of a parsed pattern matches."""
    if kind not in (kinds.LITERAL, kinds.IN, kinds.NOT_LITERAL, kinds.ANY):
        return
    state = parser.State()
    state.str = ""
    item = re._compiler.compile(parser.SubPattern(state, [(kind, value)]))  # type: ignore[attr-defined]
    first = [chr(value)] if kind is kinds.LITERAL else []
    for each, inner in value if kind is kinds.IN else ():
        if each in (kinds.LITERAL, kinds.RANGE):
            first.append(chr(inner if each is kinds.LITERAL else inner[0]))
    yield from filter(item.match, (*first, *(() if kind is kinds.LITERAL else CHARACTERS)))


def loops(items: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the repetitions without a bound in a parsed pattern, and a text that leads to each."""
    for kind, value in items:
        if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            if value[1] >= UNBOUNDED:
                yield before, value[2]
            yield from loops(value[2], before)
        elif kind is kinds.SUBPATTERN:
            yield from loops(value[3], before)
        elif kind is kinds.BRANCH:
            for branch in value[1]:
                yield from loops(branch, before)
        elif kind in (kinds.ASSERT, kinds.ASSERT_NOT):
            yield from loops(value[1], before)
        elif kind is kinds.ATOMIC_GROUP:
            yield from loops(value, before)
        before += example([(kind, value)])


def leaves(items: Any) -> Iterator[str]:
    """Yield characters of each part of a repeated group."""
    for kind, value in items:
        if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            yield from leaves(value[2])
        elif kind is kinds.SUBPATTERN:
            yield from leaves(value[3])
        elif kind is kinds.BRANCH:
            for branch in value[1]:
                yield from leaves(branch)
        else:
            yield from list(dict.fromkeys(characters(kind, value)))[:8]


def hurtful_texts(pattern: str, flags: int) -> Iterator[Callable[[int], str]]:
    """Yield functions that return a text of about so many characters."""
    parsed = parser.parse(pattern, flags & ~re.UNICODE if flags & re.ASCII else flags)
    found = list(loops(parsed))
    prefixes = list(dict.fromkeys(["", *(before for before, _ in found)]))[:MOST_PREFIXES]
    whole = [example(parsed), *(before + example(body) for before, body in found), *(b for b, _ in found)]
    single = [each for part in (*(body for _, body in found), parsed) for each in leaves(part)]
    pumps = list(dict.fromkeys(each for each in (*whole, *single) if each))[:MOST_PUMPS]
    for prefix, pump, tail in product(prefixes, pumps, TAILS):
        yield lambda length, prefix=prefix, pump=pump, tail=tail: (  # type: ignore[misc]
            prefix + pump * (length // len(pump)) + tail
        )


# Time


class TooSlowError(Exception):
    """A match that takes seconds of processor time."""


def stop(signal_: int, frame: FrameType | None) -> None:
    raise TooSlowError


def seconds(used: Used, method: str, text: str | bytes) -> float:
    """Return the processor time of one call, the best of three."""
    compiled = re.compile(used.pattern, used.flags)
    arguments = ("", text) if method in ("sub", "subn") else (text,)
    best = 10.0
    for _ in range(3):
        started = time.process_time()
        result = getattr(compiled, method)(*arguments)
        if method == "finditer":
            list(result)
        best = min(best, time.process_time() - started)
        if best < SECONDS:
            break
    return best


def slow_text(used: Used) -> str:
    """Return a text and a method for which a pattern takes more than linear time; empty if none is found."""
    is_bytes = isinstance(used.pattern, bytes)
    pattern = used.pattern.decode("latin-1") if isinstance(used.pattern, bytes) else used.pattern
    for make in hurtful_texts(pattern, used.flags):
        for method in used.methods:
            texts = [make(LENGTH * LONGER**more) for more in range(3)]
            given = [each.encode("latin-1", "replace") if is_bytes else each for each in texts]
            signal.setitimer(signal.ITIMER_VIRTUAL, 2)
            try:
                first = seconds(used, method, given[0])
                if first < SECONDS or (second := seconds(used, method, given[1])) < first * LONGER * 2:
                    continue
                if seconds(used, method, given[2]) > second * LONGER * 2:  # once may be the machine
                    return f"{method}({texts[0][:40]!r}…{texts[0][-10:]!r}): {first:.4f} s"
            except TooSlowError:
                return f"{method}({texts[0][:40]!r}…{texts[0][-10:]!r}): seconds"
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return ""


@cache
def all_patterns() -> tuple[Used, ...]:
    return tuple(used for file in sorted(ROOT.rglob("*.py")) for used in patterns_of(file))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers of POSIX")
@pytest.mark.parametrize("part", sample(range(4), (3,)))
def test_patterns_take_linear_time(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        slow = {used.place: found for used in all_patterns()[part::4] if (found := slow_text(used))}
    finally:
        signal.signal(signal.SIGVTALRM, before)
    assert not slow


@pytest.mark.parametrize(
    ("pattern", "method"),
    sample([(r"(a+)+$", "match"), (r"\beyJ[\w-]+\.[\w-]+", "search")], (0,)),
)
def test_patterns_that_backtrack_are_found(pattern: str, method: str) -> None:
    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        assert slow_text(Used("here", pattern, re.DOTALL, (method,)))
    finally:
        signal.signal(signal.SIGVTALRM, before)
