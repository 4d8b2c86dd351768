"""Check that every tool of a catalog has an implementation that loads and fits its spec.

`check_implementations` imports them, which runs their code: `toolgen check --implementations` does so in a
process of its own, `--strict-start` in the server. Without it, a server only looks for modules that are
missing or are not valid Python: importing them beside calls would run their code when nobody asked for it.
"""

from __future__ import annotations

import ast
import inspect
import os
import site
import sys
import sysconfig
import threading
import traceback
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Literal

from toolgen.runtime.context import LOGGER
from toolgen.runtime.definition import ToolDefinition
from toolgen.runtime.instrumentation.redaction import without_text
from toolgen.runtime.tool import BaseTool, SignatureError, check_signature

from .loading import Catalog, abstract_methods, implementing_classes, module_name

FaultCode = Literal[
    "implementation-missing",
    "implementation-import",
    "implementation-class",
    "implementation-signature",
    "implementation-constructor",
    "orphaned-implementation",
]


@dataclass(frozen=True, slots=True)
class ImplementationFault:
    """Why one implementation cannot be used; or, as `orphaned-implementation`, that no tool uses it."""

    code: FaultCode
    tool: str  # wire name; the module's name for an orphan
    file: str  # absolute path
    line: int  # from 1
    message: str  # holds no text of an exception
    detail: str = ""  # the exception's text

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}" if self.file else self.message

    @property
    def is_error(self) -> bool:
        """False for an orphan: nothing fails because of it."""
        return self.code != "orphaned-implementation"


Started = Callable[[str, str], None]
"""Called before each tool (or orphan) is imported, with its name and the file it is expected in."""


def check_implementations(
    catalog: Catalog,
    *,
    skip: Collection[str] = (),
    unlisted: Collection[str] = (),
    started: Started = lambda name, file: None,
    interruptible: bool = False,
) -> Iterator[ImplementationFault]:
    """Import each implementation, look at its class, create an instance; yield what is wrong.

    `skip` are wire names (of orphans: module names) to pass over, `unlisted` modules that are known to
    belong to no tool of the catalog. A BaseException that an implementation raises is a fault of its own,
    except for KeyboardInterrupt if `interruptible`: then the user may have pressed ^C.
    """
    package = catalog.IMPLEMENTATIONS
    if package is None:
        return
    place = _search(package)
    if place is None:
        root = Path(sys.path[0] or ".").joinpath(*package.split("."))
        for name in catalog.TOOLS:
            message = f"{name} has no implementation: there is no package {package}"
            yield ImplementationFault("implementation-missing", name, str(root / "__init__.py"), 1, message)
        return
    home = _home(place)
    guard = _Guard(interruptible, started)
    guard.started(package, home)
    fault = guard.import_fault(package, package, home)
    if fault is not None:
        yield fault
        return
    for name, definition in catalog.TOOLS.items():
        if name not in skip:
            yield from _check_tool(catalog, definition, guard)
    modules = {module_name(definition) for definition in catalog.TOOLS.values()} | {*unlisted, *skip}
    for found in iter_modules(place.submodule_search_locations):
        if found.name not in modules and not found.name.startswith("_"):
            yield from _check_orphan(catalog, f"{package}.{found.name}", guard)


@dataclass(frozen=True, slots=True)
class _Guard:
    """Runs code of implementations."""

    interruptible: bool
    started: Started

    def pass_interrupt(self, error: BaseException) -> None:
        """Raise `error` again if it may be the user's ^C."""
        if self.interruptible and isinstance(error, KeyboardInterrupt):
            raise error

    def import_fault(self, name: str, path: str, file: str) -> ImplementationFault | None:
        """Import the module `path`; return what it raises, SystemExit and KeyboardInterrupt too."""
        try:
            import_module(path)
        except SignatureError as error:
            function = error.function
            where = _source_of(function, *(_frame_of_user(error) or (file, 1)))
            return ImplementationFault("implementation-signature", name, *where, str(error))
        except BaseException as error:
            self.pass_interrupt(error)
            if isinstance(error, SyntaxError) and error.filename and os.path.isfile(error.filename):
                where = (os.path.abspath(error.filename), error.lineno or 1)
            else:
                where = _frame_of_user(error) or (file, 1)
            return _fault("implementation-import", name, path, *where, error)
        return None


def find_faults_without_import(catalog: Catalog) -> Iterator[ImplementationFault]:
    """Yield the implementations that are missing or are not valid Python, without running any of them."""
    package = catalog.IMPLEMENTATIONS
    place = None if package is None else _search(package)
    for name, definition in catalog.TOOLS.items():
        path = f"{package}.{module_name(definition)}"
        spec = None if place is None else PathFinder.find_spec(path, place.submodule_search_locations)
        if spec is None:
            file = "" if place is None else _expected_file(place, module_name(definition))
            message = f"{name} has no implementation: there is no module {path}"
            yield ImplementationFault("implementation-missing", name, file, 1, message)
            continue
        try:
            source = getattr(spec.loader, "get_source", lambda name: None)(path)
            if source is not None:
                ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = getattr(error, "lineno", None) or 1
            yield _fault("implementation-import", name, path, str(spec.origin), line, error)


def warn_of_faults(catalog: Catalog) -> None:
    """Log a warning for each implementation that `find_faults_without_import` finds fault with.

    Runs in a thread of its own, so that a server with many tools starts at once.
    """

    def run() -> None:
        try:
            for fault in find_faults_without_import(catalog):
                LOGGER.warning("%s", fault)
        except Exception as error:
            LOGGER.error("checking the implementations failed", exc_info=without_text(error))

    threading.Thread(target=run, name="toolgen-implementations", daemon=True).start()


def refuse_faults(catalog: Catalog) -> bool:
    """Import every implementation; log each fault as an error. True if there is none, orphans aside."""
    faults = [fault for fault in check_implementations(catalog, interruptible=True) if fault.is_error]
    for fault in faults:
        LOGGER.error("%s", fault)
    return not faults


def _check_tool(catalog: Catalog, definition: ToolDefinition, guard: _Guard) -> Iterator[ImplementationFault]:
    name, path = definition["name"], f"{catalog.IMPLEMENTATIONS}.{module_name(definition)}"
    parent = sys.modules[str(catalog.IMPLEMENTATIONS)]
    spec = PathFinder.find_spec(path, getattr(parent, "__path__", None))
    if spec is None and path not in sys.modules:  # another finder may know it: it gets its chance below
        guard.started(name, path)
        if guard.import_fault(name, path, "") is not None:
            parent_spec = parent.__spec__
            file = "" if parent_spec is None else _expected_file(parent_spec, module_name(definition))
            message = f"{name} has no implementation: there is no module {path}"
            yield ImplementationFault("implementation-missing", name, file, 1, message)
            return
    file = str(spec.origin) if spec is not None and spec.origin else path
    guard.started(name, file)
    fault = guard.import_fault(name, path, file)
    if fault is not None:
        yield fault
        return
    module, generated = sys.modules[path], catalog.tool_class(name)
    cls, fault = _class_of(module, generated, name, file)
    if fault is not None:
        yield fault
    if cls is not None:
        faults = list(_check_methods(cls, definition, file))
        yield from faults or _check_constructor(cls, name, file, guard)


def _class_of(
    module: ModuleType, generated: type[BaseTool[Any, Any]], name: str, file: str
) -> tuple[type[BaseTool[Any, Any]] | None, ImplementationFault | None]:
    def fault(message: str, line: int) -> tuple[None, ImplementationFault]:
        return None, ImplementationFault("implementation-class", name, file, line, message)

    own = implementing_classes(module, generated)
    complete = [cls for cls in own if not inspect.isabstract(cls)]
    if len(complete) == 1:
        return complete[0], None
    if complete:
        names = ", ".join(cls.__name__ for cls in complete)
        return fault(f"{len(complete)} classes implement {name} ({names}); leave one", _line(complete[1]))
    if own:
        lacks = ", ".join(abstract_methods(own[0]))
        return fault(f"{own[0].__name__} is not complete: it does not define {lacks}", _line(own[0]))
    others = [
        value
        for value in vars(module).values()
        if inspect.isclass(value)
        and value.__module__ == module.__name__
        and (issubclass(value, BaseTool) or hasattr(value, "execute") or value.__name__ == generated.__name__)
    ]
    base = f"{generated.__name__} of {generated.__module__}"
    if others:
        return fault(f"{others[0].__name__} does not extend {base}", _line(others[0]))
    return fault(f"no class of {module.__name__} extends {base}", 1)


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
            yield ImplementationFault("implementation-class", name, file, _line(cls), message)
            continue
        where = _source_of(function, file, _line(cls))
        try:
            check_signature(cls, method, injected)
        except SignatureError as error:
            yield ImplementationFault("implementation-signature", name, *where, str(error))
            continue
        yields = inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
        if yields and (method == "preview" or "stream" not in definition):
            why = "must return its text" if method == "preview" else "the spec has no `stream`"
            message = f"{cls.__name__}.{method} is a generator, but {why}"
            yield ImplementationFault("implementation-signature", name, *where, message)


def _check_constructor(cls: type[Any], name: str, file: str, guard: _Guard) -> Iterator[ImplementationFault]:
    where = _source_of(cls.__init__, file, _line(cls))
    try:
        inspect.signature(cls).bind()
    except TypeError as error:
        message = f"{cls.__name__}() is created without arguments, but {error}"
        yield ImplementationFault("implementation-constructor", name, *where, message)
        return
    except ValueError:  # a signature that Python does not know
        pass
    try:
        cls()
    except BaseException as error:
        guard.pass_interrupt(error)
        found = _frame_of_user(error) or where
        message = f"{cls.__name__}() failed with {type(error).__name__}"
        yield ImplementationFault("implementation-constructor", name, *found, message, _text(error))


def _check_orphan(catalog: Catalog, path: str, guard: _Guard) -> Iterator[ImplementationFault]:
    """A module with a tool's class that no tool of the catalog is implemented by."""
    name = path.rpartition(".")[2]
    spec = PathFinder.find_spec(path, getattr(sys.modules[str(catalog.IMPLEMENTATIONS)], "__path__", None))
    if spec is None or not spec.origin:
        return
    guard.started(name, spec.origin)
    line = None
    if guard.import_fault(name, path, spec.origin) is None:
        classes = [
            value
            for value in vars(sys.modules[path]).values()
            if inspect.isclass(value)
            and value.__module__ == path
            and issubclass(value, BaseTool)
            and hasattr(value, "definition")
            and not inspect.isabstract(value)
        ]
        line = _line(classes[0]) if classes else None
    else:  # as after its spec was removed: the generated class that it imports is gone
        line = _line_of_tool(spec)
    if line is not None:
        message = f"no spec has a tool that {path} would implement"
        yield ImplementationFault("orphaned-implementation", name, spec.origin, line, message)


def _line_of_tool(spec: ModuleSpec) -> int | None:
    """Return the line of the first class whose base is named like a generated one."""
    try:
        tree = ast.parse(Path(str(spec.origin)).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            names = [
                base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
                for base in node.bases
            ]
            if any(name.endswith("Tool") for name in names):
                return node.lineno
    return None


def _fault(
    code: FaultCode, name: str, path: str, file: str, line: int, error: BaseException
) -> ImplementationFault:
    return ImplementationFault(
        code, name, file, line, f"importing {path} failed with {type(error).__name__}", _text(error)
    )


def _text(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return str(error.msg)
    lines = str(error).strip().splitlines()
    return lines[0][:500] if lines else ""


def _frame_of_user(error: BaseException) -> tuple[str, int] | None:
    """Return file and line of the innermost frame that is neither Python's, a library's nor toolgen's."""
    found = None
    for frame in traceback.extract_tb(error.__traceback__):
        file = os.path.abspath(frame.filename)
        if os.path.isfile(file) and not file.startswith(_LIBRARIES):
            found = (file, frame.lineno or 1)
    return found


_LIBRARIES = tuple(
    {
        os.path.join(os.path.abspath(path), "")
        for path in (
            *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
            *site.getsitepackages(),
            site.getusersitepackages(),
            str(Path(__file__).parents[2]),
        )
    }
)


def _search(package: str) -> ModuleSpec | None:
    """Find a package by its dotted name without importing anything; None if it is not on `sys.path`."""
    known = sys.modules.get(package)
    if known is not None and known.__spec__ is not None:
        return known.__spec__
    spec: ModuleSpec | None = None
    places: Any = None
    name = ""
    for part in package.split("."):
        name = f"{name}.{part}" if name else part
        spec = PathFinder.find_spec(name, places)
        if spec is None or spec.submodule_search_locations is None:
            return None
        places = spec.submodule_search_locations
    return spec


def _home(spec: ModuleSpec) -> str:
    return spec.origin or next(iter(spec.submodule_search_locations or ()), "")


def _expected_file(parent: ModuleSpec, py_name: str) -> str:
    folder = next(iter(parent.submodule_search_locations or ()), "")
    return os.path.join(folder, f"{py_name}.py")


def _source_of(function: Any, file: str, line: int) -> tuple[str, int]:
    code = getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None
    return (file, line) if code is None else (os.path.abspath(code.co_filename), code.co_firstlineno)


def _line(cls: type[Any]) -> int:
    try:
        return inspect.getsourcelines(cls)[1] or 1
    except (OSError, TypeError):
        return 1
