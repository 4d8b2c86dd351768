"""The syntax, calls and imports that generated Python may contain."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass


def _nodes(names: str) -> frozenset[str]:
    return frozenset(names.split())


_DATA = _nodes(
    "AnnAssign Assign Attribute Constant Dict Expr If ImportFrom List Load Module Name Store "
    "Subscript Tuple UnaryOp USub alias"
)
_TOOL = (_DATA - {"Dict", "AnnAssign", "UnaryOp", "USub"}) | _nodes(
    "BinOp BitOr ClassDef FunctionDef Import arg arguments"
)
_MODEL = (_DATA - {"If", "Dict"}) | _nodes("BinOp BitOr Call ClassDef keyword")
_SHARED = _DATA | _nodes(
    "AsyncFunctionDef Await BinOp BitOr Call Compare Eq For FormattedValue FunctionDef GeneratorExp "
    "IfExp Import In Is JoinedStr NotEq NotIn Raise Return Set Starred arg arguments comprehension "
    "keyword"
)
_RUNTIME = r"toolgen\.runtime(\.[a-z_.]+)?"
_STANDARD = r"__future__|typing|abc|collections\.abc|importlib|sys"


@dataclass(frozen=True, slots=True)
class _Allowed:
    """The allowed syntax of one kind of file."""

    nodes: frozenset[str]
    calls: frozenset[str]
    # at run time; imports below `if TYPE_CHECKING:` are chosen by authors (types of injected values)
    imports: re.Pattern[str]


def _allowed(nodes: frozenset[str], calls: str, imports: str) -> _Allowed:
    return _Allowed(nodes, frozenset(calls.split()), re.compile(f"(?:{imports})\\Z"))


_KINDS: dict[str, _Allowed] = {
    "models/": _allowed(
        _MODEL,
        "ConfigDict Field model_rebuild",
        rf"{_STANDARD}|pydantic|{_RUNTIME}|\.[a-z0-9_.]*|\.\.models\.[\w.]+",
    ),
    "tools/": _allowed(_TOOL, "", rf"{_STANDARD}|{_RUNTIME}|\.\.models\.\w+|\.\.definitions\.\w+"),
    "definitions/": _allowed(_DATA | {"Call"}, "cast", rf"{_STANDARD}|{_RUNTIME}|\.\.schemas\.\w+"),
    "schemas/": _allowed(_DATA, "", rf"{_STANDARD}|\.\w+"),
    "catalog.py": _allowed(
        _SHARED,
        "ToolDefinitions TOOLS.by_constant TOOLS.tool_class Toolkit.from_catalog "
        "default_toolkit close_default_toolkit",
        rf"{_STANDARD}|{_RUNTIME}",
    ),
    "mcp_server.py": _allowed(
        _SHARED,
        "build_server serving.build_server serving.asgi_app serving.main sys.exit AttributeError globals "
        "catalog.default_toolkit",
        rf"{_STANDARD}|{_RUNTIME}|toolgen|\.",
    ),
    "__init__.py": _allowed(
        _SHARED,
        "AttributeError sorted getattr import_module globals",
        rf"{_STANDARD}|\.tools\.\w+",
    ),
    "_tools.py": _allowed(
        _SHARED,
        "ProviderAdapter adapter.definitions globals globals().update AttributeError",
        rf"{_STANDARD}|{_RUNTIME}|\.",
    ),
}


def faults_of(path: str, data: bytes) -> list[str]:
    """Return the faults of a generated file: wrong encoding, and syntax that no template prints."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    if encoding != "utf-8":
        return [f"is read as {encoding}"]
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError) as error:
        return [f"does not parse: {error}"]
    return [f"line {getattr(node, 'lineno', 0)}: {fault}" for node, fault in _foreign(tree, _kind(path))]


def _kind(path: str) -> _Allowed:
    for name, allowed in _KINDS.items():
        if (name.endswith("/") and path.startswith(name)) or path.endswith(name):
            return allowed
    raise LookupError(f"{path}: no kind of file that the fuzzer knows; describe it in generated_syntax.py")


def _foreign(tree: ast.Module, allowed: _Allowed) -> Iterator[tuple[ast.AST, str]]:
    for_types = {id(node) for branch in _type_checking(tree) for node in ast.walk(branch)}
    for node in ast.walk(tree):
        kind = type(node).__name__
        if kind not in allowed.nodes:
            yield node, f"{kind} is nothing that a template prints"
        elif isinstance(node, ast.Call) and not _is_known(node, allowed):
            yield node, f"calls {ast.unparse(node.func)[:80]}"
        elif isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant | ast.Call | ast.Await):
            yield node, f"evaluates {ast.unparse(node)[:80]}"
        elif isinstance(node, ast.Attribute) and node.attr.startswith("__") and node.attr != "__name__":
            yield node, f"takes the attribute {node.attr}"
        elif isinstance(node, ast.Import | ast.ImportFrom) and id(node) not in for_types:
            for name in _imported(node):
                if not allowed.imports.match(name):
                    yield node, f"imports {name}"


def _is_known(call: ast.Call, allowed: _Allowed) -> bool:
    name = ast.unparse(call.func)
    rebuilt = isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
    return name in allowed.calls or (rebuilt and name.rpartition(".")[2] == "model_rebuild" in allowed.calls)


def _type_checking(tree: ast.Module) -> Iterator[ast.AST]:
    for node in tree.body:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            yield from node.body


def _imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return ["." * node.level + (node.module or "")]
    return [alias.name for alias in node.names]
