"""The answer of a user, made up, to a question that a tool asks in the middle of its work."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from toolgen.proof.instances.generator import example_value


def filled_form(model: type[BaseModel]) -> dict[str, Any]:
    """Return what a user who agrees fills in: the first example of a field, else yes or a realistic value."""
    schema = model.model_json_schema()
    fields = schema.get("properties", {}).items()
    yes = {name: True for name, field in fields if field.get("type") == "boolean"}
    given = {name: field["examples"][0] for name, field in fields if field.get("examples")}
    return {**(example_value(schema, seed=model.__name__) or {}), **yes, **given}
