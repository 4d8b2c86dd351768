"""What is put into a response arrives: every response model, and every way to put a value there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, RootModel, ValidationError
from toolgen.proof.instances import InstanceGenerator
from toolgen.runtime import Toolkit
from toolgen.runtime.validation.json_value import whole_numbers
from toolgen.schema.validator import compiled

from generated import catalog
from tests.corpora import SAMPLE, at_least, corpus
from tests.models.helpers import same
from tests.runtime.tool_factory import make_tool
from tools.corpus.compiled_tools import compile_tools

Way = Callable[[BaseModel, Any], Any]  # a model, and the value in it

VALUES = 3  # for each model
FILES = {"mcp_tools.public.jsonl": 1_200, "openai_functions.public.jsonl": 1_500}


def set_fields(full: BaseModel) -> dict[str, Any]:
    """Return the fields that are set, by their names in Python."""
    return {name: getattr(full, name) for name in type(full).model_fields if name in full.model_fields_set}


def mapping(full: BaseModel, value: Any) -> Any:
    """A dict with instances of nested models."""
    if isinstance(full, RootModel):
        return full.root
    fields = type(full).model_fields
    return {**value, **{fields[name].alias or name: each for name, each in set_fields(full).items()}}


def constructor(full: BaseModel, value: Any) -> Any:
    return type(full).model_validate(mapping(full, value), by_name=False)


def blank(full: BaseModel) -> BaseModel:
    """Return a model with the undeclared properties of `full` alone, and the defaults."""
    made = full.model_copy()
    vars(made).clear()
    vars(made).update(vars(type(full).model_construct()))
    made.model_fields_set.clear()
    return made


def assignment(full: BaseModel, value: Any) -> Any:
    made = blank(full)
    for name, each in set_fields(full).items():
        setattr(made, name, each)
    return made


def model_copy(full: BaseModel, value: Any) -> Any:
    return blank(full).model_copy(update=set_fields(full))


def model_construct(full: BaseModel, value: Any) -> Any:
    if isinstance(full, RootModel):
        return type(full).model_construct(root=full.root)
    fields = type(full).model_fields
    if any(name in fields and fields[name].alias not in (None, name) for name in value):
        return full  # it would take the undeclared property for the field of that name in Python
    return type(full).model_construct(**mapping(full, value))


def unset(full: BaseModel, value: Any) -> Any:
    """All values are there, and no field whose default can be changed in place counts as set."""
    made = full.model_copy(deep=True)
    made.model_fields_set.difference_update(
        name
        for name, field in type(full).model_fields.items()
        if field.default_factory is not None or isinstance(field.default, list | dict | BaseModel)
    )
    return made


def in_place(full: BaseModel, value: Any) -> Any:
    """Defaults are changed to the values, at every depth; fields without a default are assigned."""
    made = blank(full)
    for name, each in set_fields(full).items():
        here = vars(made).get(name)
        if isinstance(here, list) and isinstance(each, list):
            here[:] = each
        elif isinstance(here, dict) and isinstance(each, dict):
            here.clear()
            here.update(each)
        elif isinstance(here, BaseModel) and type(here) is type(each):
            vars(made)[name] = in_place(each, value)
        else:
            setattr(made, name, each)
    return made


EXACT: tuple[Way, ...] = (mapping, constructor, assignment, model_copy, model_construct)
WITHOUT_DEFAULTS: tuple[Way, ...] = (unset, in_place)  # a value that is its default may be left out


def with_nones(schema: Mapping[str, Any]) -> Way:
    """Return how to set declared, optional properties without a value to None if the schema refuses it."""
    required, declared = schema.get("required", ()), schema.get("properties", {})

    def refuses_null(name: str) -> bool:
        return not compiled({**schema, "properties": {name: declared[name]}, "required": []}).is_valid(
            {name: None}
        )

    def nones(full: BaseModel, value: Any) -> Any:
        made = full.model_copy()
        for name, field in type(full).model_fields.items():
            wire = field.alias or name
            if wire in declared and wire not in (*required, *value) and refuses_null(wire):
                setattr(made, name, None)
        return made

    return nones


def lost(model: type[BaseModel], schema: Mapping[str, Any], seed: str) -> list[str]:
    """Return a line for each value that does not arrive as it was put in."""
    ways = [*EXACT, *WITHOUT_DEFAULTS]
    if schema.get("type") == "object" and not issubclass(model, RootModel):
        ways.append(with_nones(schema))
    given: list[Any] = [None]
    toolkit = Toolkit([make_tool(lambda *_: given[0], response_model=model, output_schema=dict(schema))])

    async def work() -> list[str]:
        wrong = []
        for value in InstanceGenerator(schema).valid_values(seed=seed, count=VALUES):
            try:
                full = model.model_validate(value, by_name=False)
            except ValidationError:  # 1e20 is an integer in JSON Schema, and a float to pydantic
                full = model.model_validate(whole_numbers(value), by_name=False)
            for way in ways:
                given[0] = way(full, value)
                response = await toolkit.call("x", {})
                if response.error is None and way in WITHOUT_DEFAULTS:
                    arrives = model.model_validate(response.content, by_name=False) == full
                else:
                    arrives = response.error is None and same(response.content, value)
                if not arrives:
                    wrong.append(f"{seed}, {way.__name__}: {json.dumps(value)} → {response.as_text()}")
        return wrong

    return asyncio.run(work())


@pytest.mark.parametrize("name", list(catalog.TOOLS))
def test_responses_of_the_gallery_arrive(name: str) -> None:
    tool = catalog.tool_class(name)
    assert tool.response_model is not None
    assert lost(tool.response_model, tool.definition["output_schema"], name) == []


def schemas_of(file: Path) -> dict[str, Any]:
    found = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines()):
        tool = json.loads(line)
        function = tool.get("function") or tool
        for key in ("inputSchema", "outputSchema", "parameters"):
            if isinstance(function.get(key), dict):
                found[f"t{number}_{key.lower()}"] = function[key]
    return found


def lost_of(schemas: Mapping[str, Any]) -> tuple[int, list[str]]:
    """Return for how many schemas there are models, and what their values lose."""
    with compile_tools("arriving", schemas) as (tools, _):
        models = {name: each.response_model for name, each in sorted(tools.items()) if each.response_model}
        return len(models), [
            line for name, each in models.items() for line in lost(each, schemas[name], name)
        ]


@pytest.mark.parametrize("name", FILES)
def test_responses_of_the_sample_arrive(name: str) -> None:
    models, wrong = lost_of(schemas_of(SAMPLE / name))
    assert wrong == []
    assert models


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_responses_of_the_corpora_arrive(name: str) -> None:
    models, wrong = lost_of(schemas_of(corpus(name)))
    assert wrong == []
    assert models >= at_least(name, FILES[name])
