"""Lossless schemas: arguments in strict form are restored exactly."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from random_schemas import Instances, patient, schemas, unions
from strict_subset import faults
from toolgen.schema.dialects.openai import publish, to_strict
from toolgen.schema.dialects.openai_strict import restorer
from toolgen.schema.document import SchemaDocument

PATIENT = patient(120)


@PATIENT
@given(st.one_of(schemas(), unions()))
def test_published_schemas_are_in_the_documented_subset(schema: dict[str, Any]) -> None:
    before = copy.deepcopy(schema)
    made = to_strict(SchemaDocument(schema))
    published = publish(SchemaDocument(schema), None)
    assert (published.schema, published.losses) == (schema if made.losses else made.schema, ())
    assert published.strict != bool(made.losses)
    assert schema == before
    assert made.strict != any(loss.fatal for loss in made.losses)
    if made.strict:
        assert faults(made.schema) == []
        Draft202012Validator.check_schema(made.schema)


@PATIENT
@given(st.one_of(schemas(), unions()), st.data())
def test_strict_arguments_are_accepted_and_restored(schema: dict[str, Any], data: st.DataObject) -> None:
    made = to_strict(SchemaDocument(schema))
    assume(made.strict and not made.losses)
    instances = Instances(schema)
    arguments = instances.draw(data.draw, schema)
    assume(instances.accepts(schema, arguments))
    sent = instances.encode(data.draw, schema, arguments)
    Draft202012Validator(made.schema).validate(sent)
    assert restorer(SchemaDocument(schema))(sent) == arguments
    assert restorer(SchemaDocument(schema))(arguments) == arguments


@PATIENT
@given(st.one_of(schemas(), unions()), st.data())
def test_restored_strict_values_are_valid_for_the_authors_schema(
    schema: dict[str, Any], data: st.DataObject
) -> None:
    made = to_strict(SchemaDocument(schema))
    assume(made.strict and not made.losses)
    arguments = Instances({"$defs": {}, **made.schema}).draw(data.draw, made.schema)
    assume(Draft202012Validator(made.schema).is_valid(arguments))
    Draft202012Validator(schema).validate(restorer(SchemaDocument(schema))(arguments))
