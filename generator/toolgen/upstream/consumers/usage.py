"""Which tools code calls by a client, which arguments it gives, and what it reads of responses.

Read off the syntax tree; nothing is imported or run. A call counts if its receiver is known to be the client,
or if nothing is known about it: better one tool too many than one too few. A response that is passed on, or
stored where the code around it cannot see it, counts as read as a whole: `*`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from toolgen.base.files import Folder, read_named
from toolgen.base.suggestions import quoted
from toolgen.changes.comparing.server_drift import ANY_ARGUMENT
from toolgen.compile.printing.client_source import ClientMethod, ToolUse
from toolgen.project import UnableError, reason

ALL: Final = ANY_ARGUMENT
_MAX_BYTES: Final = 4 * 1024 * 1024  # of one file
_MAX_FILES: Final = 20_000
_SKIPPED: Final = (".", "__pycache__", "node_modules")


def find_uses(
    folder: Path, paths: Sequence[str], methods: Sequence[ClientMethod], package: str
) -> dict[str, ToolUse]:
    """Return the uses of tools in Python files, by the names that the server lists.

    `paths` are files and folders, relative to `folder`; the files of the client itself do not count. Raises
    UnableError for one that is missing or cannot be parsed.
    """
    found = _FoundUses({method.name: method for method in methods})
    for shown, text in _files(folder, paths, package):
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            message = f"--uses: {shown} cannot be parsed: {error}"
            raise UnableError("bad-source", message, "is it Python of this version?") from None
        if _imports(tree, package):
            _Reader(found).visit(tree)
    return found.uses()


def _files(folder: Path, paths: Sequence[str], package: str) -> Iterator[tuple[str, bytes]]:
    own, count = (folder / package).resolve(), 0
    for path in paths:
        place = folder / path
        try:
            if place.is_file():
                yield path, read_named(place, limit=_MAX_BYTES)
                continue
            with Folder(place) as opened:
                for entry in opened.walk(skipped=_SKIPPED):
                    if not entry.path.endswith(".py") or own in (place / entry.path).resolve().parents:
                        continue
                    count += 1
                    if count > _MAX_FILES:
                        hint = "name the folders that use the client"
                        raise UnableError("too-complex", f"--uses: more than {_MAX_FILES:,} files", hint)
                    yield f"{path}/{entry.path}", opened.read(entry.path, limit=_MAX_BYTES)
        except OSError as error:
            raise UnableError("bad-source", f"--uses: cannot read {quoted(path)}: {reason(error)}") from error


def _imports(tree: ast.Module, package: str) -> bool:
    """True if a module imports the client, or a part of it."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                modules = [each.name for each in names]
            case ast.ImportFrom(module, names):
                modules = [module or "", *(each.name for each in names)]
            case _:
                continue
        if any(package in module.split(".") for module in modules):
            return True
    return False


@dataclass(slots=True)
class _FoundUses:
    """The uses so far, by method."""

    methods: Mapping[str, ClientMethod]
    arguments: dict[str, set[str]] = field(default_factory=dict)
    fields: dict[str, set[str]] = field(default_factory=dict)

    def call(self, method: str, call: ast.Call | None) -> None:
        """Note a call; None: a method that is passed on, and called with anything."""
        names = {each.name: each.wire_name for each in self.methods[method].parameters}
        found = self.arguments.setdefault(method, set())
        self.fields.setdefault(method, set())
        if call is None or call.args or any(each.arg is None for each in call.keywords):
            found.add(ALL)
        for each in () if call is None else call.keywords:
            if each.arg is not None:
                found.add(names.get(each.arg, each.arg))

    def read(self, method: str, path: str) -> None:
        """Note that code reads a place of a response."""
        self.fields.setdefault(method, set()).add(path)

    def uses(self) -> dict[str, ToolUse]:
        """Return the uses by the names that the server lists."""
        return {
            self.methods[name].listed_name: ToolUse(frozenset(found), _outermost(self.fields[name]))
            for name, found in self.arguments.items()
        }


def _outermost(fields: set[str]) -> frozenset[str]:
    return frozenset((ALL,)) if ALL in fields else frozenset(fields)


@dataclass(frozen=True, slots=True)
class _Value:
    """A value of a response that a name stands for."""

    method: str
    path: str = ""  # empty: the response itself

    def inner(self, step: str) -> _Value:
        return _Value(self.method, f"{self.path}.{step}".lstrip("."))

    @property
    def item(self) -> _Value:
        return _Value(self.method, f"{self.path}[]")


class _Reader(ast.NodeVisitor):
    """Reads one module. Names of responses are known within one function, if they are bound once."""

    def __init__(self, found: _FoundUses) -> None:
        self._found = found
        self._values: list[dict[str, _Value]] = [{}]
        self._called: set[int] = set()  # calls that were noted, and attributes that are their functions

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._values.append({})
        self.generic_visit(node)
        self._values.pop()

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Assign(self, node: ast.Assign | ast.AnnAssign) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        value = None if node.value is None else self._value_of(node.value)
        if value is not None and len(targets) == 1 and isinstance(targets[0], ast.Name):
            self._bind(targets[0].id, value)
            return
        self.generic_visit(node)

    visit_AnnAssign = visit_Assign

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        value = self._value_of(node.value)
        if value is not None:
            self._bind(node.target.id, value)
            self._read(value, is_whole=True)  # it is also the value of the expression
            return
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        # a response that nobody reads
        if self._value_of(node.value) is None:
            self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        value = self._value_of(node)
        if value is not None:
            self._read(value, is_whole=False)
            return
        if node.attr in self._found.methods and id(node) not in self._called:
            self._found.call(node.attr, None)  # `shop.pages(shop.search, …)`
            self._found.read(node.attr, ALL)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        value = self._value_of(node)
        if value is None:
            self.generic_visit(node)
        else:
            self._read(value, is_whole=False)
            self.visit(node.slice)

    def visit_Name(self, node: ast.Name) -> None:
        value = self._named(node.id)
        if value is not None and isinstance(node.ctx, ast.Load):
            self._read(value, is_whole=True)

    def visit_Call(self, node: ast.Call | ast.Await) -> None:
        if (value := self._value_of(node)) is not None:
            self._read(value, is_whole=True)
            return
        self.generic_visit(node)

    visit_Await = visit_Call

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        # the loops come after the element in the tree, and bind the names in it
        for each in node.generators:
            self.visit(each)
        for name, inner in ast.iter_fields(node):
            if name != "generators":
                self.visit(inner)

    visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_ListComp

    def visit_For(self, node: ast.For | ast.AsyncFor | ast.comprehension) -> None:
        value = self._value_of(node.iter)
        if value is not None and isinstance(node.target, ast.Name):
            self._bind(node.target.id, value.item if value.path or not _is_stream(node) else value)
            for name, inner in ast.iter_fields(node):
                if name not in ("iter", "target"):
                    for each in inner if isinstance(inner, list) else [inner]:
                        if isinstance(each, ast.AST):
                            self.visit(each)
            return
        self.generic_visit(node)

    visit_AsyncFor = visit_comprehension = visit_For

    def _bind(self, name: str, value: _Value) -> None:
        known = self._values[-1].get(name)
        if known is not None and known != value:
            # of two responses, one name: both are read as a whole
            self._read(known, is_whole=True)
            self._read(value, is_whole=True)
        if value.path and not value.path.endswith("[]"):
            self._read(value, is_whole=False)
        self._values[-1][name] = value

    def _named(self, name: str) -> _Value | None:
        return next((each[name] for each in reversed(self._values) if name in each), None)

    def _read(self, value: _Value, *, is_whole: bool) -> None:
        path = value.path or ALL
        self._found.read(value.method, f"{path}.{ALL}" if is_whole and value.path else path)

    def _value_of(self, node: ast.expr) -> _Value | None:
        """Return the part of a response that an expression is; None for anything else. Notes its call."""
        match node:
            case ast.Name(name):
                return self._named(name)
            case ast.Await(inner):
                return self._value_of(inner)
            case ast.Call(ast.Attribute(receiver, name) as function) if name in self._found.methods:
                if not self._may_be_client(receiver):
                    self._called.add(id(function))
                    return None
                if id(node) not in self._called:
                    self._called |= {id(node), id(function)}
                    self._found.call(name, node)
                    for each in (*node.args, *(word.value for word in node.keywords)):
                        self.visit(each)
                    self._visit_receiver(receiver)
                return _Value(name)
            case ast.Attribute(inner, name):
                value = self._value_of(inner)
                return None if value is None else value.inner(name)
            case ast.Subscript(inner):
                value = self._value_of(inner)
                return None if value is None else value.item
            case _:
                return None

    def _visit_receiver(self, receiver: ast.expr) -> None:
        if not isinstance(receiver, ast.Name):
            self.visit(receiver)

    def _may_be_client(self, receiver: ast.expr) -> bool:
        """True unless the receiver of a call is known to be something else: a literal, or a response."""
        if isinstance(receiver, ast.Constant | ast.List | ast.Dict | ast.Set | ast.Tuple | ast.JoinedStr):
            return False
        return self._value_of(receiver) is None


def _is_stream(node: ast.For | ast.AsyncFor | ast.comprehension) -> bool:
    return isinstance(node, ast.AsyncFor) or bool(getattr(node, "is_async", 0))
