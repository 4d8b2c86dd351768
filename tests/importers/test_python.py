"""`toolgen import python`: signatures and docstrings become specs that generate and answer calls."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from toolgen.sources.mcp_client import limits
from toolgen.sources.python.docstring import RaisedException, parse_docstring

from tests.cli.conftest import Cli
from tests.processes import NOTES, assert_gone
from tests.samples import load_beside

SHOP = '''\
"""Noisy, and with names that only type checkers import."""
from __future__ import annotations

import dataclasses
import datetime
import enum
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from pydantic import BaseModel, Field

if TYPE_CHECKING:
    from nowhere import Lost

__all__ = ["create", "add", "tail", "count", "guess", "lost", "later", "price", "shift"]
print("noise on stdout")


class NoSupplierError(Exception):
    pass


class State(enum.Enum):
    OPEN = "open"
    DONE = "done"


@dataclasses.dataclass
class Line:
    article: str
    quantity: Annotated[int, Field(ge=1)] = 1


class Options(TypedDict, total=False):
    fast: bool


class Order(BaseModel):
    """An order."""

    id: int
    state: State
    lines: list[Line]
    due: datetime.date | None = None
    parent: Order | None = None


def create(
    db: sqlite3.Connection,
    supplier_id: Annotated[int, Field(ge=1, description="From the signature.")],
    lines: list[Line],
    note: str | None = None,
    state: State = State.OPEN,
    *rest: int,
    kind: Literal["a", "b"] = "a",
    due: datetime.date | None = None,
    **more: Any,
) -> Order:
    """Create an order with a supplier.

    It is sent at once.

    Args:
        supplier_id: From the docstring.
        lines: What is ordered,
            line by line.
        note: Free text.

    Returns:
        The order: as it is now.

    Raises:
        NoSupplierError: No such supplier.
        ValueError: Nonsense.

    Warning:
        It costs money.
    """
    assert isinstance(db, sqlite3.Connection)
    assert all(isinstance(line, Line) for line in lines)
    if supplier_id == 9:
        raise NoSupplierError("Nine is not there.")
    return Order(id=supplier_id, state=state, lines=lines, due=due)


def shift(when: datetime.datetime, by: datetime.timedelta) -> datetime.datetime:
    return when + by


def add(first: int, second: int = 2) -> int:
    """Add two numbers.

    :param first: The one.
    :returns: The sum.
    """
    return first + second


async def tail(lines: int) -> AsyncIterator[str]:
    """Lines, one by one."""
    for number in range(lines):
        yield f"line {number}"


def count(to: int) -> Iterator[State]:
    """States."""
    yield from [State.OPEN] * to


def price(options: Options, limit: Decimal | None = None) -> None:
    """Price it."""


def later(text: str) -> Awaitable[dict[str, str]]:
    """Say it later."""
    async def said() -> dict[str, str]:
        return {"text": text}
    return said()


def guess(anything, x=1):
    return [anything, x]


def lost(what: Lost, n: int) -> None:
    """Lost."""


class Kept:
    def method(self, a: int) -> int:
        """A method."""
        return a

    @classmethod
    def made(cls, a: int) -> None:
        """A class method."""

    def __call__(self, b: int) -> None:
        """Call it."""


kept = Kept()
'''


@pytest.fixture
def shop(empty: Cli) -> Cli:
    (empty.root / "toolgen.toml").write_text('implementations = "work"\n')
    (empty.root / "shop.py").write_text(SHOP)
    return empty


def spec(cli: Cli, name: str) -> Any:
    return yaml.safe_load((cli.root / "specs" / f"{name}.yaml").read_text())


def test_a_signature_and_its_docstring(shop: Cli) -> None:
    done = shop("import", "python", "shop:create")
    assert (done.code, done.out) == (0, "specs/create.yaml\n"), done.err
    found = spec(shop, "create")
    assert list(found) == [
        "toolgen", "name", "description", "returns", "input_schema", "output_schema", "errors", "inject",
    ]  # fmt: skip
    assert found["description"] == (
        "Create an order with a supplier.\n\nIt is sent at once.\n\nWarning:\n    It costs money."
    )
    assert found["returns"] == "The order: as it is now."
    assert found["errors"] == [
        {"code": "no_supplier", "description": "No such supplier."},
        {"code": "value_error", "description": "Nonsense."},
    ]
    assert found["inject"] == [{"name": "db", "type": "sqlite3.Connection"}]
    schema = found["input_schema"]
    assert (schema["required"], schema["additionalProperties"]) == (["supplier_id", "lines"], False)
    assert schema["properties"] == {
        "supplier_id": {"type": "integer", "description": "From the signature.", "minimum": 1},
        "lines": {
            "type": "array",
            "description": "What is ordered,\nline by line.",
            "items": {"$ref": "#/$defs/Line"},
        },
        "note": {"type": ["string", "null"], "description": "Free text.", "default": None},
        "state": {"$ref": "#/$defs/State", "default": "open"},
        "kind": {"type": "string", "enum": ["a", "b"], "default": "a"},
        "due": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "default": None},
    }
    assert schema["$defs"]["Line"]["properties"]["quantity"] == {
        "type": "integer",
        "minimum": 1,
        "default": 1,
    }
    assert (found["output_schema"]["type"], found["output_schema"]["$ref"]) == ("object", "#/$defs/Order")
    assert "create: *rest: left out" in done.err
    assert "create: **more: left out" in done.err


def test_results_that_are_not_objects(shop: Cli) -> None:
    done = shop("import", "python", "shop.py")
    assert done.code == 0, done.err
    names = ["add", "count", "create", "guess", "later", "lost", "price", "shift", "tail"]
    assert sorted(path.stem for path in (shop.root / "specs").glob("*.yaml")) == names
    assert spec(shop, "add")["output_schema"] == {
        "type": "object", "additionalProperties": False, "required": ["result"],
        "properties": {"result": {"type": "integer"}},
    }  # fmt: skip
    assert spec(shop, "tail")["stream"] == {"chunk_schema": {"type": "string"}}
    assert spec(shop, "count")["stream"] == {"chunk_schema": {"type": "string", "enum": ["open", "done"]}}
    assert spec(shop, "later")["output_schema"]["additionalProperties"] == {"type": "string"}
    assert spec(shop, "lost")["inject"] == [{"name": "what", "type": "typing.Any"}]
    assert spec(shop, "price")["input_schema"]["$defs"]["Options"]["properties"] == {
        "fast": {"type": "boolean"}
    }
    assert "null" in json.dumps(spec(shop, "price")["input_schema"]["properties"]["limit"])
    assert "output_schema" not in spec(shop, "guess")
    assert spec(shop, "guess")["input_schema"]["properties"] == {"anything": {}, "x": {"default": 1}}
    for note in (
        "add: its result is not an object; the output has it as the property `result`",
        "guess: anything: has no type hint; any value is accepted",
        "guess: has no docstring",
        "lost: what: its type 'Lost' cannot be resolved",
    ):
        assert note in done.err


def test_imported_functions_answer_calls(shop: Cli) -> None:
    done = shop.process("import", "python", "shop", "shop:kept.method", "--implement")
    assert done.code == 0, done.err
    assert (
        "lost: must be implemented by hand, since pydantic cannot call it: name 'Lost' is not defined"
        in done.err
    )
    (shop.root / "work" / "__init__.py").write_text(
        "import sqlite3\nCONTEXT = {'db': sqlite3.connect(':memory:', check_same_thread=False)}\n"
    )
    assert shop.process("generate").code == 0
    assert shop.process("check").code == 0
    assert answer(shop, "add", first=1) == {"result": 3}
    assert answer(shop, "method", a=4) == {"result": 4}
    without_zone = {"when": "2026-01-02T10:00:00", "by": "PT1.5S"}
    assert answer(shop, "shift", **without_zone) == {"result": "2026-01-02T10:00:01.500000"}
    assert answer(shop, "later", text="x") == {"text": "x"}
    assert answer(shop, "guess", anything=[None]) == [[None], 1]
    assert answer(shop, "tail", lines=2) == ["line 0", "line 1"]
    assert answer(shop, "count", to=2) == ["open", "open"]
    order = {"supplier_id": 3, "lines": [{"article": "x"}], "state": "done", "due": "2026-01-02"}
    made = {
        "id": 3,
        "state": "done",
        "lines": [{"article": "x", "quantity": 1}],
        "due": "2026-01-02",
        "parent": None,
    }
    assert answer(shop, "create", **order) == made
    failed = shop.process("call", "create", "--input", json.dumps({**order, "supplier_id": 9}))
    assert failed.code == 1
    assert "no_supplier" in failed.out + failed.err
    assert "Nine is not there." in failed.out + failed.err


def answer(cli: Cli, tool: str, **arguments: Any) -> Any:
    done = cli.process("call", tool, "--input", json.dumps(arguments))
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_a_function_in_a_file_of_a_package_is_imported(shop: Cli) -> None:
    (shop.root / "lib" / "inner").mkdir(parents=True)
    for folder in ("lib", "lib/inner"):
        (shop.root / folder / "__init__.py").write_text("")
    (shop.root / "lib" / "types.py").write_text("Number = int\n")
    (shop.root / "lib" / "inner" / "a.py").write_text(
        "from ..types import Number\ndef f(n: Number) -> None: 'F.'\ndef _private(): ...\n"
    )
    done = shop("import", "python", "lib/inner/a.py:f")
    assert done.code == 0, done.err
    assert "from lib.inner.a:f;" in (shop.root / "specs" / "f.yaml").read_text()
    assert shop("import", "python", "lib.inner.a:*", "--into", "specs/more").out == "specs/more/f_2.yaml\n"
    assert not list(shop.root.rglob("__pycache__"))


REFUSED = {
    "shop:Kept": "is a class, not a function",
    "../shop:f": "cannot be the name of a module",
    "raises": "ValueError: first line",
    "ends": "the import ended its process (exit code 7)",
    "crashes": "the import ended its process (signal 11)",
}
MODULES = {
    "raises": "raise ValueError('first line\\nsecond')",
    "ends": "import os; os._exit(7)",
    "crashes": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
}


@pytest.mark.parametrize("target", REFUSED)
def test_targets_that_cannot_be_imported(shop: Cli, target: str) -> None:
    for name, text in MODULES.items():
        (shop.root / f"{name}.py").write_text(text)
    (shop.root / "binary.py").write_bytes(b"x = '\xff\x00'")
    before = shop.tree(".")
    done = shop("import", "python", target)
    assert (done.code, done.out) == (2, ""), done.err
    assert "error[bad-source]" in done.err
    assert REFUSED[target] in done.err
    assert shop.tree(".") == before


@pytest.mark.parametrize(
    "text",
    [
        "while True: print('x' * 9999, flush=True)",
        "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(9)",
    ],
    ids=["floods", "ignores"],
)
def test_a_module_that_does_not_end_is_ended(shop: Cli, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    (shop.root / "hostile.py").write_text(NOTES + text)
    for seconds in (1.5, 6.0, 25.0):  # more if the module could not even write its id
        monkeypatch.setattr(limits, "TIME_LIMIT", seconds)
        done = shop("import", "python", "hostile:f")
        assert done.code == 2
        assert "not imported within" in done.err or "EOFError" in done.err
        if (shop.root / "pids").exists():
            break
    assert_gone(shop.root)
    assert not (shop.root / "specs").exists()


DOCSTRINGS: dict[str, str] = load_beside(__file__, "docstrings.yaml")


@pytest.mark.parametrize("style", DOCSTRINGS)
def test_every_style_of_docstring_is_parsed(style: str) -> None:
    docs = parse_docstring(DOCSTRINGS[style])
    assert docs.description.startswith("Do it.")
    assert docs.parameters == {"x": "The x.", "y": "Both.", "z": "Both."}
    assert docs.returns == ["The result."]
    assert docs.raises == [RaisedException("KeyError", "If gone.")]


def test_nothing_of_a_docstring_is_lost() -> None:
    numpy = parse_docstring(DOCSTRINGS["numpy"])
    assert numpy.description == "Do it.\n\nNotes:\n    Some.\n\nExamples:\n    >>> f(1)"
    docs = parse_docstring(
        "Do it.\n\nDeprecated:\n    1.2: Use that.\n\nAttributes:\n    a: An a.\n\nAnd this."
    )
    assert docs.deprecated == {"since": "1.2", "message": "Use that."}
    assert docs.description == "Do it.\n\nAttributes:\n    a: An a.\n\nAnd this."


def test_what_python_can_say_and_json_cannot(shop: Cli) -> None:
    (shop.root / "odd.py").write_text(
        "from typing_extensions import deprecated\n"
        "@deprecated('use g')\n"
        "def f(x: float = float('inf'), y: float = float('nan'), **more: int) -> None:\n"
        "    'F. \\x00 \\u2028 {{ 7 * 7 }} \\'\\'\\' \\\"\\\"\\\"'\n"
        "def g(x: str = '\\ud800') -> None: 'G.'\n"
    )
    done = shop("import", "python", "odd:f")
    assert done.code == 0, done.err
    assert "f: the default inf is not JSON; the function applies it" in done.err
    found = spec(shop, "f")
    assert list(found["input_schema"]["properties"]["x"]) == ["type"]
    assert list(found["input_schema"]["properties"]["y"]) == ["type"]
    assert found["input_schema"]["additionalProperties"] == {"type": "integer"}
    assert found["deprecated"] == {"message": "use g"}
    assert found["description"] == "F. \x00 \u2028 {{ 7 * 7 }} ''' \"\"\""
    assert shop("generate").code == 0
    done = shop("import", "python", "odd:g", "--into", "more")
    assert done.code == 2
    assert "surrogate" in done.err
    assert not (shop.root / "more").exists()


SERVER = '''\
from mcp.server.mcpserver import MCPServer

mcp = MCPServer("Shop")


@mcp.tool(title="Add")
def add(a: int) -> int:
    """Add."""
    return a


'''


def test_tools_of_a_server_are_refused_unless_they_are_named_with_the_command_that_imports_them(
    project: Cli,
) -> None:
    (project.root / "shop.py").write_text(SERVER)
    advice = "toolgen import fastmcp shop:mcp --implement"
    for target, message in (
        ("shop", "shop: its functions belong to the MCP server shop:mcp"),
        ("shop:mcp", "shop:mcp is an MCP server, not a function"),
    ):
        done = project("import", "python", target, "--into", "specs/new")
        assert (done.code, message in done.err, advice in done.err) == (2, True, True)
    done = project("import", "python", "shop:add", "--into", "specs/new")
    assert done.code == 0, done.err
    assert f"for the tools of shop:mcp: {advice}" in done.err


def test_annotated_texts_are_kept(project: Cli) -> None:
    (project.root / "shop.py").write_text(
        """\
from typing import Annotated

from typing_extensions import Doc


def place(number: Annotated[int, "The number."], kind: Annotated[str, Doc("The kind.")]) -> int:
    return number
"""
    )
    done = project("import", "python", "shop", "--into", "specs/new")
    assert done.code == 0, done.err
    properties = yaml.safe_load((project.root / "specs/new/place.yaml").read_text())["input_schema"][
        "properties"
    ]
    assert properties["number"]["description"] == "The number."
    assert properties["kind"]["description"] == "The kind."
