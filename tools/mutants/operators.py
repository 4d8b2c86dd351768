"""The mutation operators: each makes one kind of mistake, wherever its pattern occurs in a module.

They are mechanical: they look at syntax alone, and at no test, check or example. Their order, and the order
of the edits of each, are fixed, so that the same sources have the same mutants everywhere.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from tools.mutants.source import Edit, Module

Operator = Callable[[Module], Iterator[Edit]]

OPERATORS: dict[str, Operator] = {}
"""Operators by name, in the order in which they are listed."""

_SHIFTED: dict[type[ast.cmpop], str] = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
_NEGATED: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.Lt: ">=",
    ast.GtE: "<",
    ast.Gt: "<=",
    ast.LtE: ">",
}
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.FloorDiv: "*",
    ast.Div: "*",
    ast.Mod: "//",
}
_DROPPED_METHODS = ("strip", "lower", "upper", "casefold", "rstrip", "lstrip", "removeprefix", "removesuffix")
_SQL = re.compile(r"\b(SELECT|UPDATE|INSERT|DELETE|ORDER BY|WHERE|LIMIT)\b")
_SQL_EDITS = (
    (re.compile(r"<="), "<"),
    (re.compile(r">="), ">"),
    (re.compile(r"(?<![<>=!-])<(?![=>])"), "<="),
    (re.compile(r"(?<![<>=!-])>(?!=)"), ">="),
    (re.compile(r" \+ "), " - "),
    (re.compile(r" - "), " + "),
    (re.compile(r"\bAND\b"), "OR"),
    (re.compile(r"\bOR\b"), "AND"),
    (re.compile(r"\bDESC\b"), "ASC"),
    (re.compile(r" ORDER BY [^?)]*?(?= LIMIT|\)|$)"), ""),
    (re.compile(r" = \?"), " != ?"),
    (re.compile(r"\bcount\(\*\)"), "count(*) + 1"),
)


def operator(function: Operator) -> Operator:
    """Register an operator by the name of its function."""
    OPERATORS[function.__name__] = function
    return function


@operator
def constant_flipped(module: Module) -> Iterator[Edit]:
    """True becomes False and the reverse; a number becomes one more; a text becomes another text."""
    for node in module.nodes():
        if not isinstance(node, ast.Constant) or _in_text(module, node):
            continue
        if isinstance(node.value, bool):
            yield module.replace(node, str(not node.value))
        elif isinstance(node.value, int):
            yield module.replace(node, str(node.value + 1))
        elif isinstance(node.value, str) and not _SQL.search(node.value):
            yield module.replace(node, repr(f"{node.value}x"))


@operator
def wrong_type(module: Module) -> Iterator[Edit]:
    """A value given by keyword, or returned, is converted to a text."""
    for node in module.nodes():
        if isinstance(node, ast.Call) and _builds_value(node):
            for keyword in node.keywords:
                if keyword.arg is not None:
                    yield module.replace(keyword.value, f"str({module.source(keyword.value)})")
        elif isinstance(node, ast.Return) and node.value is not None:
            yield module.replace(node.value, f"str({module.source(node.value)})")


@operator
def comparison_shifted(module: Module) -> Iterator[Edit]:
    """A bound is included where it was not, and the reverse: `<` becomes `<=`."""
    yield from _compared(module, _SHIFTED)


@operator
def comparison_negated(module: Module) -> Iterator[Edit]:
    """A comparison says the opposite: `==` becomes `!=`, `in` becomes `not in`."""
    yield from _compared(module, _NEGATED)


@operator
def condition_negated(module: Module) -> Iterator[Edit]:
    """The condition of an `if` that is no comparison says the opposite."""
    for node in module.nodes():
        if isinstance(node, ast.If | ast.IfExp) and not isinstance(node.test, ast.Compare | ast.NamedExpr):
            yield module.replace(node.test, f"not ({module.source(node.test)})")


@operator
def and_or_swapped(module: Module) -> Iterator[Edit]:
    """`and` becomes `or` and the reverse."""
    for node in module.nodes():
        if isinstance(node, ast.BoolOp):
            word, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            for left, right in pairwise(node.values):
                start, end = module.end(left), module.start(right)
                yield Edit(start, end, module.text[start:end].replace(word, other, 1))


@operator
def arithmetic_swapped(module: Module) -> Iterator[Edit]:
    """`+` becomes `-`, `*` becomes `+`, `//` becomes `*`, `%` becomes `//`."""
    for node in module.nodes():
        if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC and not _joins_text(node):
            left, right = module.source(node.left), module.source(node.right)
            yield module.replace(node, f"({left} {_ARITHMETIC[type(node.op)]} {right})")


@operator
def off_by_one(module: Module) -> Iterator[Edit]:
    """The bound of a slice, of `range` or of `enumerate` is one more."""
    for node in module.nodes():
        bounds: list[ast.expr | None] = []
        if isinstance(node, ast.Slice):
            bounds = [node.lower, node.upper]
        elif isinstance(node, ast.Call) and _name(node.func) == "range":
            bounds = [*node.args]
        elif isinstance(node, ast.Call) and _name(node.func) == "enumerate":
            bounds = [*node.args[1:]]
        for bound in bounds:
            if bound is not None:
                yield module.replace(bound, f"({module.source(bound)}) + 1")


@operator
def error_swapped(module: Module) -> Iterator[Edit]:
    """Another error of the same module is raised."""
    raised = list(_raised(module))
    names = sorted({module.source(name) for name in raised})
    for name in raised:
        own = module.source(name)
        if len(names) > 1:
            yield module.replace(name, names[(names.index(own) + 1) % len(names)])


@operator
def check_removed(module: Module) -> Iterator[Edit]:
    """An `if` whose body only raises an error, or returns early, is never taken."""
    for node in module.nodes():
        if isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise | ast.Return | ast.Continue):
            if not any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node.test)):
                yield module.replace(node.test, "False")
            else:
                yield module.replace(node.test, f"({module.source(node.test)}) and False")


@operator
def exception_swallowed(module: Module) -> Iterator[Edit]:
    """A handler that raises another error returns nothing instead."""
    for node in module.nodes():
        if isinstance(node, ast.ExceptHandler):
            for statement in node.body:
                if isinstance(statement, ast.Raise):
                    yield module.replace(statement, "return None")


@operator
def field_dropped(module: Module) -> Iterator[Edit]:
    """A keyword argument or an entry of a mapping is left out."""
    for node in module.nodes():
        if isinstance(node, ast.Call) and _builds_value(node):
            for keyword in node.keywords:
                if keyword.arg is not None:
                    yield _without(module, module.offset(keyword.lineno, keyword.col_offset), keyword.value)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if key is not None:
                    yield _without(module, module.start(key), value)


@operator
def field_emptied(module: Module) -> Iterator[Edit]:
    """A list given by keyword is empty."""
    for node in module.nodes():
        if isinstance(node, ast.Call) and _builds_value(node):
            for keyword in node.keywords:
                if isinstance(keyword.value, ast.List | ast.ListComp) and keyword.arg is not None:
                    yield module.replace(keyword.value, "[]")


@operator
def fields_swapped(module: Module) -> Iterator[Edit]:
    """Two keyword arguments that follow each other have each other's values."""
    for node in module.nodes():
        if isinstance(node, ast.Call) and _builds_value(node):
            for left, right in pairwise(node.keywords):
                if left.arg is not None and right.arg is not None:
                    between = module.text[module.end(left.value) : module.start(right.value)]
                    swapped = module.source(right.value) + between + module.source(left.value)
                    yield Edit(module.start(left.value), module.end(right.value), swapped)


@operator
def arguments_swapped(module: Module) -> Iterator[Edit]:
    """Two arguments that follow each other change places."""
    for node in module.nodes():
        if isinstance(node, ast.Call):
            for left, right in pairwise(node.args):
                between = module.text[module.end(left) : module.start(right)]
                swapped = module.source(right) + between + module.source(left)
                if module.source(left) != module.source(right):
                    yield Edit(module.start(left), module.end(right), swapped)


@operator
def wrong_branch(module: Module) -> Iterator[Edit]:
    """`a if condition else b` has the two values swapped."""
    for node in module.nodes():
        if isinstance(node, ast.IfExp):
            body, test, other = map(module.source, (node.body, node.test, node.orelse))
            yield module.replace(node, f"{other} if {test} else {body}")


@operator
def wrong_return(module: Module) -> Iterator[Edit]:
    """A function returns nothing."""
    for node in module.nodes():
        if isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
            yield module.replace(node.value, "None")


@operator
def statement_removed(module: Module) -> Iterator[Edit]:
    """A call whose result is not used is not made."""
    for node in module.nodes():
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await):
            yield module.replace(node, "pass")


@operator
def assignment_removed(module: Module) -> Iterator[Edit]:
    """An augmented assignment, or one to an attribute or an item, is not made."""
    for node in module.nodes():
        if isinstance(node, ast.AugAssign) or (
            isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute | ast.Subscript)
        ):
            yield module.replace(node, "pass")


@operator
def loop_ended(module: Module) -> Iterator[Edit]:
    """A loop ends after its first round."""
    for node in module.nodes():
        if isinstance(node, ast.For | ast.AsyncFor | ast.While):
            last = node.body[-1]
            if not isinstance(last, ast.Raise | ast.Return | ast.Break | ast.Continue):
                end = module.end(last)
                yield Edit(end, end, f"\n{' ' * last.col_offset}break")


@operator
def filter_dropped(module: Module) -> Iterator[Edit]:
    """A comprehension takes everything."""
    for node in module.nodes():
        if isinstance(node, ast.comprehension):
            for condition in node.ifs:
                if not any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(condition)):
                    yield module.replace(condition, "True")


@operator
def sort_dropped(module: Module) -> Iterator[Edit]:
    """`sorted` keeps the order, `.sort()` is not called, `reverse` is the opposite."""
    for node in module.nodes():
        if not isinstance(node, ast.Call):
            continue
        if _name(node.func) == "sorted" and node.args:
            yield module.replace(node, f"list({module.source(node.args[0])})")
        elif isinstance(node.func, ast.Attribute) and node.func.attr == "sort":
            yield module.replace(node, "None")


@operator
def extreme_swapped(module: Module) -> Iterator[Edit]:
    """`min` becomes `max` and `all` becomes `any`, and the reverse."""
    other = {"min": "max", "max": "min", "all": "any", "any": "all"}
    for node in module.nodes():
        if isinstance(node, ast.Call) and _name(node.func) in other:
            yield module.replace(node.func, other[_name(node.func)])


@operator
def method_dropped(module: Module) -> Iterator[Edit]:
    """A text is used as it is: `.strip()`, `.lower()` and the like are not called."""
    for node in module.nodes():
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _DROPPED_METHODS
        ):
            yield module.replace(node, module.source(node.func.value))


@operator
def sql_changed(module: Module) -> Iterator[Edit]:
    """In SQL: a comparison, a condition, the order or the arithmetic is another one."""
    for node in module.nodes():
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _SQL.search(node.value):
            start, text = module.start(node), module.source(node)
            for pattern, other in _SQL_EDITS:
                for found in pattern.finditer(text):
                    yield Edit(start + found.start(), start + found.end(), other)


@operator
def transaction_dropped(module: Module) -> Iterator[Edit]:
    """What was done in one transaction, or under a lock, is done without."""
    for node in module.nodes():
        if isinstance(node, ast.With):
            for item in node.items:
                called = item.context_expr
                if isinstance(called, ast.Call) and _name(called.func) in ("transaction", "lock", "_lock"):
                    yield Edit(module.start(node), module.start(node.body[0]), _block(module, node))


@operator
def default_changed(module: Module) -> Iterator[Edit]:
    """The default of a parameter, or the value for a missing entry, is another one."""
    for function in module.functions():
        for default in (*function.args.defaults, *function.args.kw_defaults):
            if isinstance(default, ast.Constant):
                yield module.replace(default, _other_constant(default.value))
    for node in module.nodes():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            for default in node.args[1:2]:
                if isinstance(default, ast.Constant):
                    yield module.replace(default, _other_constant(default.value))


@operator
def state_kept(module: Module) -> Iterator[Edit]:
    """A function answers every call as it answered the first."""
    for function in module.functions():
        if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function)):
            continue
        if isinstance(function, ast.AsyncFunctionDef) or function.decorator_list or _is_init(function):
            continue
        yield Edit(
            module.start(function),
            module.start(function),
            f"@__import__('tools.mutants.first_answer', fromlist=['first_answer']).first_answer\n"
            f"{' ' * function.col_offset}",
        )


@operator
def write_added(module: Module) -> Iterator[Edit]:
    """An implementation writes to the database or the workspace that it is given, before anything else."""
    for function in module.functions():
        injected = {argument.arg for argument in function.args.kwonlyargs}
        statement = ""
        if function.name == "execute" and "db" in injected:
            statement = "db.execute('UPDATE items SET in_stock = in_stock + 1')"
        elif function.name == "execute" and "workspace" in injected:
            statement = "(workspace.root / 'trace.txt').open('a').write('x')"
        if statement:
            first = function.body[0]
            start = module.start(first)
            yield Edit(start, start, f"{statement}\n{' ' * first.col_offset}")


@operator
def consent_skipped(module: Module) -> Iterator[Edit]:
    """The preview of an action already acts; what was approved is not compared with what is done."""
    for function in module.functions():
        methods = _methods_beside(module, function)
        if function.name == "preview" and "execute" in methods:
            keywords = ", ".join(f"{each.arg}={each.arg}" for each in function.args.kwonlyargs)
            call = f"self.execute(request, context{', ' if keywords else ''}{keywords})"
            first = function.body[0]
            start = module.start(first)
            yield Edit(start, start, f"{call}\n{' ' * first.col_offset}")
    for node in module.nodes():
        if isinstance(node, ast.Call) and _name(node.func).endswith("check_approval"):
            yield module.replace(node, "None")


def _compared(module: Module, words: dict[type[ast.cmpop], str]) -> Iterator[Edit]:
    for node in module.nodes():
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for number, comparison in enumerate(node.ops):
                if type(comparison) in words:
                    start, end = module.end(sides[number]), module.start(sides[number + 1])
                    if "(" not in module.text[start:end] and ")" not in module.text[start:end]:
                        yield Edit(start, end, f" {words[type(comparison)]} ")


def _raised(module: Module) -> Iterator[ast.expr]:
    for node in module.nodes():
        if isinstance(node, ast.Raise) and node.exc is not None:
            name = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if isinstance(name, ast.Name) and name.id.endswith("Error"):
                yield name


def _builds_value(call: ast.Call) -> bool:
    """True if a call creates an instance: its name begins with a capital letter."""
    return _name(call.func).rpartition(".")[2][:1].isupper()


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return f"{_name(function.value)}.{function.attr}"
    return function.id if isinstance(function, ast.Name) else ""


def _without(module: Module, start: int, value: ast.expr) -> Edit:
    """Return the edit that removes an entry of a call or a mapping, with the comma after it."""
    end = module.end(value)
    found = re.compile(r"\s*,").match(module.text, end)
    return Edit(start, found.end() if found else end, "")


def _block(module: Module, node: ast.With) -> str:
    return f"if True:\n{' ' * node.body[0].col_offset}"


def _other_constant(value: object) -> str:
    if isinstance(value, bool):
        return str(not value)
    if isinstance(value, int | float):
        return repr(value + 1)
    return repr(f"{value}x") if isinstance(value, str) else "0"


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_init(function: ast.FunctionDef) -> bool:
    return function.name.startswith("__")


def _in_text(module: Module, node: ast.AST) -> bool:
    """True inside an f-string, whose parts have no place of their own before Python 3.12."""
    parent = module.parents.get(node)
    while parent is not None:
        if isinstance(parent, ast.JoinedStr):
            return True
        parent = module.parents.get(parent)
    return False


def _joins_text(node: ast.BinOp) -> bool:
    return any(
        isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in (node.left, node.right)
    )


def _methods_beside(module: Module, function: ast.AST) -> set[str]:
    parent = module.parents.get(function)
    body = parent.body if isinstance(parent, ast.ClassDef) else []
    return {each.name for each in body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
