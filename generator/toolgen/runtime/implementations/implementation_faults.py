"""Check that every tool of a catalog has an implementation that loads and fits its spec.

`check_implementations` imports them, which runs their code: `toolgen check --implementations` does so in a
separate process, `--strict-start` in the server. Otherwise, a server only reports modules that are missing or
are not valid Python: importing them would run their code although no call needs it.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import site
import sys
import sysconfig
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from toolgen.base.suggestions import did_you_mean
from toolgen.runtime.contract.tool_contract import Injection
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.runtime.execution.injection import context_key
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import without_text
from toolgen.runtime.tool import BaseTool, SignatureError, check_signature

from .registry import Catalog, ClassFault, find_package, implementing_class, load_context, module_name


@dataclass(frozen=True, slots=True)
class ImplementationFault:
    """Why an implementation cannot be used."""

    code: str  # a key of `toolgen.language.codes.CODES`
    tool: str  # wire name
    file: str  # absolute path
    line: int  # from 1
    message: str  # without the message of an exception
    detail: str = ""  # the message of the exception
    injected: str = ""  # the name of the value that `CONTEXT` lacks
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}" if self.file else self.message


class _Place(NamedTuple):
    """A line of a source file."""

    file: str  # absolute path
    line: int = 1


Started = Callable[[str, str], None]
"""Is called before the import of each tool, with its name and its expected file."""


def check_implementations(
    catalog: Catalog, *, started: Started = lambda name, file: None
) -> Iterator[ImplementationFault]:
    """Import each implementation, check its class, create an instance; yield the faults.

    Args:
        catalog: the generated module.
        started: is called before each import.

    Every exception of an implementation is a fault, but for KeyboardInterrupt: the user may have pressed ^C.
    """
    package = catalog.IMPLEMENTATIONS
    if package is None:
        return
    spec = find_package(package)
    if spec is None:
        yield from map(partial(_missing, package), catalog.TOOLS.values())
        return
    file = spec.origin or next(iter(spec.submodule_search_locations or ()), "")
    started(package, file)
    fault = _fault_of_import(package, package, file)
    if fault is not None:
        yield fault
        return
    if hasattr(sys.modules[package], "CONTEXT"):  # without it, the application has a toolkit of its own
        yield from _check_context(catalog, file)
    for definition in catalog.TOOLS.values():
        yield from _check_tool(catalog, definition, started)


def _check_context(catalog: Catalog, file: str) -> Iterator[ImplementationFault]:
    """Yield the values that specs inject and `CONTEXT` lacks, or that it is not a mapping."""
    code, package = "implementation-context", str(catalog.IMPLEMENTATIONS)
    try:
        context = load_context(catalog)
    except TypeError as error:
        yield ImplementationFault(code, package, file, 1, str(error))
        return
    for name, definition in catalog.TOOLS.items():
        for entry in definition.get("inject", ()):
            wanted = Injection(entry["name"], entry["type"], entry.get("optional", False))
            if not wanted.optional and context_key(wanted, context) is None:
                message = f"{name} injects {wanted.name!r}, which CONTEXT of {package} does not have"
                hint = did_you_mean(wanted.name, map(str, context)) or f"add {wanted.name!r} to CONTEXT"
                yield ImplementationFault(code, name, file, 1, message, "", wanted.name, hint)


def _fault_of_import(name: str, path: str, file: str) -> ImplementationFault | None:
    """Import the module `path`; return the fault if it raises anything, even SystemExit."""
    try:
        import_module(path)
    except KeyboardInterrupt:
        raise
    except SignatureError as error:
        place = _place_of_function(error.function, _place_of_error(error, _Place(file)))
        return ImplementationFault("implementation-signature", name, *place, str(error))
    except BaseException as error:
        return _import_fault(name, path, error, _place_of_error(error, _Place(file)))
    return None


def find_module(catalog: Catalog, definition: ToolDefinition) -> ModuleSpec | None:
    """Find the module that implements a tool, without importing anything; None if there is none."""
    package = catalog.IMPLEMENTATIONS
    parent = None if package is None else find_package(package)
    if parent is None:
        return None
    return PathFinder.find_spec(f"{package}.{module_name(definition)}", parent.submodule_search_locations)


def find_faults_without_import(catalog: Catalog) -> Iterator[ImplementationFault]:
    """Yield the implementations that are missing or are not valid Python, without running any of them."""
    package = catalog.IMPLEMENTATIONS
    for name, definition in catalog.TOOLS.items() if package is not None else ():
        path = f"{package}.{module_name(definition)}"
        spec = find_module(catalog, definition)
        if spec is None:
            yield _missing(str(package), definition)
            continue
        try:
            source = _source_of(spec)
            if source is not None:
                ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = getattr(error, "lineno", None) or 1
            yield _import_fault(name, path, error, _Place(str(spec.origin), line))


_UPSTREAM: Final = re.compile(r"\b_upstreams(?:\.|\s+import\s+)(\w+)")


def other_upstream(module: str, spec: object) -> str:
    """Return the upstream that the text of a module names, if a spec (`x-upstream`) has another; else ""."""
    named = _UPSTREAM.findall(module)
    return "" if not named or str(spec).partition("/")[0] in named else str(named[0])


def find_foreign_modules(catalog: Catalog) -> Iterator[ImplementationFault]:
    """Yield the implementations that forward to another server than their specs say, without running them."""
    for name, definition in catalog.TOOLS.items() if catalog.IMPLEMENTATIONS is not None else ():
        mark: Any = definition.get("x-upstream")
        spec = None if mark is None else find_module(catalog, definition)
        if spec is not None and (other := other_upstream(_source_of(spec) or "", mark)):
            message = f"{name} forwards to {other}, and its spec is from {mark}: import it again"
            yield ImplementationFault("implementation-class", name, str(spec.origin), 1, message)


def _source_of(spec: ModuleSpec) -> str | None:
    """Return the source of a module, without importing it. Raises what its loader raises."""
    source: str | None = getattr(spec.loader, "get_source", lambda name: None)(spec.name)
    return source


def warn_of_faults(catalog: Catalog) -> None:
    """Log a warning for each fault that `find_faults_without_import` finds.

    Runs in its own thread, so that a server with many tools starts at once.
    """

    def run() -> None:
        try:
            for fault in find_faults_without_import(catalog):
                LOGGER.warning("%s", fault)
        except Exception as error:
            LOGGER.error("checking the implementations failed", exc_info=without_text(error))

    threading.Thread(target=run, name="toolgen-implementations", daemon=True).start()


def refuse_faults(catalog: Catalog) -> bool:
    """Import every implementation and log each fault as an error. True if there is none."""
    faults = list(check_implementations(catalog))
    for fault in faults:
        LOGGER.error("%s", fault)
    return not faults


def _check_tool(
    catalog: Catalog, definition: ToolDefinition, started: Started
) -> Iterator[ImplementationFault]:
    name, path = definition["name"], f"{catalog.IMPLEMENTATIONS}.{module_name(definition)}"
    try:
        spec = find_spec(path)  # an application may register the module itself, or have its own finder
    except ValueError:  # such a module without a spec
        spec = None
    if spec is None and path not in sys.modules:
        yield _missing(str(catalog.IMPLEMENTATIONS), definition)
        return
    file = str(spec.origin) if spec is not None and spec.origin else path
    started(name, file)
    fault = _fault_of_import(name, path, file)
    if fault is not None:
        yield fault
        return
    found = implementing_class(sys.modules[path], catalog.tool_class(name))
    if isinstance(found, ClassFault):
        place = _Place(file) if found.cls is None else _place_of_class(found.cls, file)
        yield ImplementationFault("implementation-class", name, *place, found.reason)
    else:
        faults = list(_check_methods(found, definition, file))
        yield from faults or _check_constructor(found, name, file)


def _check_methods(
    cls: type[BaseTool[Any, Any]], definition: ToolDefinition, file: str
) -> Iterator[ImplementationFault]:
    name = definition["name"]
    injected = [entry["name"] for entry in definition.get("inject", ())]
    confirm: Any = definition.get("confirm") or {}
    previews = bool(confirm.get("preview"))
    for method in ("execute", "preview") if previews else ("execute",):
        function = getattr(cls, method, None)
        if not callable(function):
            message = f"{cls.__name__} has no method {method}, which the spec of {name} asks for"
            yield ImplementationFault("implementation-class", name, *_place_of_class(cls, file), message)
            continue
        place = _place_of_function(function, _place_of_class(cls, file))
        try:
            check_signature(cls, method, injected)
        except SignatureError as error:
            yield ImplementationFault("implementation-signature", name, *place, str(error))
            continue
        yields = inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
        if yields and (method == "preview" or "stream" not in definition):
            reason = "must return its text" if method == "preview" else "the spec has no `stream`"
            message = f"{cls.__name__}.{method} is a generator, but {reason}"
            yield ImplementationFault("implementation-signature", name, *place, message)


def _check_constructor(cls: type[Any], name: str, file: str) -> Iterator[ImplementationFault]:
    try:
        cls()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        message = f"{cls.__name__}(), without arguments, failed with {type(error).__name__}"
        place = _place_of_function(cls.__init__, _place_of_class(cls, file))
        place = _place_of_error(error, place)
        yield ImplementationFault("implementation-constructor", name, *place, message, _message_of(error))


def _import_fault(name: str, path: str, error: BaseException, place: _Place) -> ImplementationFault:
    message = f"importing {path} failed with {type(error).__name__}"
    return ImplementationFault("implementation-import", name, *place, message, _message_of(error))


def _message_of(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return str(error.msg)
    lines = str(error).strip().splitlines()
    return lines[0][:500] if lines else ""


def _place_of_error(error: BaseException, found: _Place) -> _Place:
    """Return the line that cannot be parsed, or of the innermost frame that is the user's; else `found`."""
    if isinstance(error, SyntaxError) and error.filename and os.path.isfile(error.filename):
        return _Place(os.path.abspath(error.filename), error.lineno or 1)
    for frame in traceback.extract_tb(error.__traceback__):
        file = os.path.abspath(frame.filename)
        if os.path.isfile(file) and not file.startswith(_LIBRARIES):
            found = _Place(file, frame.lineno or 1)
    return found


_LIBRARIES = tuple(
    os.path.join(os.path.abspath(path), "")
    for path in (
        *map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib")),
        site.getusersitepackages(),
        str(Path(__file__).parents[2]),
    )
)


def _missing(package: str, definition: ToolDefinition) -> ImplementationFault:
    """Return the fault of a tool without a module, at the file where that is expected."""
    name, module, found = definition["name"], module_name(definition), find_package(package)
    if found is None:
        missing, file = f"package {package}", Path(sys.path[0] or ".", *package.split("."), "__init__.py")
    else:
        missing = f"module {package}.{module}"
        file = Path(next(iter(found.submodule_search_locations or ()), ""), f"{module}.py")
    message = f"{name} has no implementation: there is no {missing}"
    return ImplementationFault("implementation-missing", name, str(file), 1, message)


def _place_of_function(function: Any, default: _Place) -> _Place:
    code = getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None
    return default if code is None else _Place(os.path.abspath(code.co_filename), code.co_firstlineno)


def _place_of_class(cls: type[Any], file: str) -> _Place:
    try:
        return _Place(file, inspect.getsourcelines(cls)[1] or 1)
    except (OSError, TypeError):
        return _Place(file)
