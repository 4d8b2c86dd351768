"""Planted bugs that the fuzzer must find: each removes one protection of toolgen in some processes.

`make fuzz PLANTED=1` plants them one after the other, and fails if one is not found.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

ENVIRONMENT = "TOOLGEN_FUZZ_PLANTED"  # name of the bug that a child process must plant
_NOT_IMPORTED = ("toolgen.serving.bridges", "toolgen.serving.adopted", "toolgen.__main__")


@dataclass(frozen=True, slots=True)
class PlantedBug:
    """A planted bug, and the part of the fuzzer that must find it."""

    part: str
    plant: Callable[[], None]


PLANTED_BUGS: dict[str, PlantedBug] = {}


def planted_bug(part: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Register the function as a planted bug under its name."""

    def register(plant_it: Callable[[], None]) -> Callable[[], None]:
        PLANTED_BUGS[plant_it.__name__] = PlantedBug(part, plant_it)
        return plant_it

    return register


def plant() -> None:
    """Plant the bug that the environment names, if any."""
    if name := os.environ.get(ENVIRONMENT):
        PLANTED_BUGS[name].plant()


def toolgen_modules() -> list[ModuleType]:
    """Return all modules of toolgen except those that need an SDK."""
    toolgen = importlib.import_module("toolgen")
    for found in pkgutil.walk_packages(toolgen.__path__, "toolgen."):
        if not found.name.startswith(_NOT_IMPORTED):
            importlib.import_module(found.name)
    return [each for name, each in sorted(sys.modules.items()) if name.startswith("toolgen")]


def _replace(name: str, new: Any, *, beside: str) -> None:
    """Replace a function in every module that has imported it."""
    modules = toolgen_modules()
    homes = [each for each in modules if hasattr(each, name) and hasattr(each, beside)]
    old = [vars(each)[name] for each in homes if getattr(vars(each)[name], "__module__", "") == each.__name__]
    if not old:
        raise LookupError(f"toolgen has no function {name} beside {beside}: plant the bug elsewhere")
    for each in modules:
        if any(getattr(each, name, None) is function for function in old):
            setattr(each, name, new)


def _filter(name: str, change: Callable[[Callable[..., str]], Callable[..., str]]) -> None:
    """Replace a filter with which templates escape."""
    found = {id(each.FILTERS): each.FILTERS for each in toolgen_modules() if hasattr(each, "FILTERS")}
    if not found:
        raise LookupError("toolgen has no FILTERS: plant the bug elsewhere")
    for filters in found.values():
        filters[name] = change(filters[name])
    for each in toolgen_modules():
        for value in vars(each).values():  # cached environments with the original filters
            if hasattr(value, "cache_clear") and getattr(value, "__module__", "") == each.__name__:
                value.cache_clear()


@planted_bug("text")
def docstrings_are_not_escaped() -> None:
    _filter("docstring", lambda _: lambda text, indent=4: f'"""{text}"""')


@planted_bug("text")
def literals_are_not_escaped() -> None:
    _replace("_string", lambda text: f'"{text}"', beside="literal")


@planted_bug("text")
def literals_are_templates() -> None:
    import jinja2
    from toolgen.compile.python_source import literals

    old = literals._string
    _replace("_string", lambda text: jinja2.Environment().from_string(old(text)).render(), beside="literal")


@planted_bug("text")
def control_characters_are_dropped() -> None:
    _replace("escape_unprintable", lambda text: "".join(filter(str.isprintable, text)), beside="literal")


@planted_bug("text")
def texts_are_stripped() -> None:
    from toolgen.compile.python_source import literals

    old = literals._string
    _replace("_string", lambda text: old(text.strip()), beside="literal")


@planted_bug("text")
def a_reference_reads_any_file() -> None:
    """A `$ref` to a file outside of the specs folder becomes the contents of the file."""
    old = importlib.import_module("toolgen.language.reading.parse").parse
    _replace(
        "parse",
        lambda sources, *more: old(tuple(_with_files(each) for each in sources), *more),
        beside="_spec",
    )


@planted_bug("text")
def diagnostics_print_what_is_there() -> None:
    _replace("printable", lambda text, keep="": text, beside="notation")


@planted_bug("terminal")
def lines_are_printed_raw() -> None:
    def write(stream: Any, *lines: str, styled: bool = False) -> None:
        stream.write("".join(f"{line}\n" for line in lines))

    _replace("write_lines", write, beside="write_prompt")


@planted_bug("terminal")
def json_has_raw_characters() -> None:
    _replace("json_document", lambda data: json.dumps(data, ensure_ascii=False), beside="terminal_line")


@planted_bug("terminal")
def a_line_may_command_a_ci_service() -> None:
    _replace("_without_commands", lambda text: text, beside="terminal_line")


@planted_bug("terminal")
def a_module_prints_by_itself() -> None:
    def show(error: Any, _: Any) -> None:
        print(f"toolgen: {getattr(error, 'message', error)}", file=sys.stderr)

    _replace("show_error", show, beside="report_bug")


def _with_files(source: Any) -> Any:
    return replace(source, data=_read(source.data))


def _read(value: Any) -> Any:
    if isinstance(value, dict):
        reference = value.get("$ref")
        if isinstance(reference, str) and os.path.isfile(reference.partition("#")[0]):
            return {"description": Path(reference.partition("#")[0]).read_text()}
        return {key: _read(inner) for key, inner in value.items()}
    return [_read(inner) for inner in value] if isinstance(value, list) else value
