"""Python code sets fields by their Python names or by those of the schema; JSON has only the latter."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError
from toolgen.compile.printing.format import format_tree

from tests.models.helpers import classes_of, there_and_back

OBJECT = {"type": "object"}
INNER = {**OBJECT, "properties": {"class": {"type": "integer"}}, "additionalProperties": False}
SCHEMA = {**OBJECT, "required": ["from"], "properties": {"from": {"type": "string"}, "fooBar": INNER}}
CALLER = """
from probe import FooBar, ProbeRequest

request = ProbeRequest(from_="a", foo_bar=FooBar(class_=1))
"""


def dump(model: BaseModel) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


@pytest.mark.parametrize("closed", [True, False])
def test_python_names_and_schema_names_set_the_same_fields(closed: bool) -> None:
    model = classes_of({**SCHEMA, "additionalProperties": not closed}).ProbeRequest
    by_name = model(from_="a", foo_bar={"class_": 1})
    by_alias = model(**{"from": "a", "fooBar": {"class": 1}})
    assert by_name == by_alias
    assert dump(by_name) == {"from": "a", "fooBar": {"class": 1}}


def test_json_with_the_python_name_of_a_field_does_not_set_it() -> None:
    model = classes_of(SCHEMA).ProbeRequest
    value = {"from": "a", "from_": "b", "foo_bar": 1}
    assert there_and_back(model, value) == value
    with pytest.raises(ValidationError):
        there_and_back(model, {"from_": "b"})


@pytest.mark.parametrize("name", ["register", "mro", "copy", "json"])
def test_a_field_shadows_no_attribute_of_a_model(name: str) -> None:
    # warnings are errors in tests, as for users of `-W error`
    model = classes_of({**OBJECT, "properties": {name: {"type": "integer"}}}).ProbeRequest
    assert dump(model(**{f"{name}_": 1})) == {name: 1}


@pytest.mark.parametrize(
    "names",
    [
        ("X", "x_2", "x", "x-2"),
        ("orderId", "order_id", "order-id", "OrderID"),
    ],
)
def test_a_python_name_is_never_the_name_of_another_property(names: tuple[str, ...]) -> None:
    values = {name: number for number, name in enumerate(names)}
    model = classes_of({**OBJECT, "properties": {name: {"type": "integer"} for name in names}}).ProbeRequest
    aliases = {python: field.alias or python for python, field in model.model_fields.items()}
    assert [*aliases.values()] == [*names]
    assert all(python == wire or python not in names for python, wire in aliases.items())
    request = model(**values)
    assert model(**request.model_dump()) == request
    assert dump(request) == values


@pytest.mark.parametrize(
    "words",
    [
        ["mypy", "--strict"],
        pytest.param(["pyright", "--pythonpath", sys.executable], marks=pytest.mark.slow),
    ],
    ids=["mypy", "pyright"],
)
def test_type_checkers_accept_what_works(tmp_path: Path, words: list[str]) -> None:
    code = classes_of({**SCHEMA, "additionalProperties": False}).code
    (tmp_path / "probe.py").write_text(format_tree({"probe.py": code}, sorts_imports=True)["probe.py"])
    (tmp_path / "caller.py").write_text(CALLER)
    command = [sys.executable, "-m", *words, "caller.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    subprocess.run([sys.executable, "caller.py"], cwd=tmp_path, check=True)
