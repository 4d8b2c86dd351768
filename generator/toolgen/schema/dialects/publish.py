"""Publish a schema in the dialect of a provider. A new dialect is entered here."""

from __future__ import annotations

from dataclasses import replace

from toolgen.schema.dialects import anthropic, gemini, openai
from toolgen.schema.dialects.arguments import (
    flatten_root,
    property_names_restorer,
    property_renames,
    rename_properties,
)
from toolgen.schema.dialects.published import Published
from toolgen.schema.document import Schema
from toolgen.schema.providers import PROVIDERS
from toolgen.schema.strict.restore import restorer as strict_restorer


def publish(dialect: str | None, schema: Schema, strict: bool | None = None) -> Published:
    """Return what `schema` is in `dialect`.

    `strict` is the spec's `targets.<target>.strict`; None if the author did not say.
    """
    provider = PROVIDERS.get(dialect or "")
    if provider is None:
        return Published(schema)
    published = _convert(dialect, schema, strict)
    if dialect == "openai" and published.strict:
        return replace(published, restore=lambda: strict_restorer(schema))
    flat, root_losses = flatten_root(published.schema, provider)
    renames = property_renames(flat, provider)
    renamed, name_losses = rename_properties(flat, renames)
    repeated = {(loss.path, loss.keyword) for loss in root_losses}
    losses = (loss for loss in published.losses if (loss.path, loss.keyword) not in repeated)
    return Published(
        renamed,
        published.strict,
        (*losses, *root_losses, *name_losses),
        lambda: property_names_restorer(renames),
        renames,
    )


def publish_output(dialect: str | None, schema: Schema) -> Published | None:
    """Return what the schema of a tool's results is in `dialect`; None if the provider has no field for it.

    OpenAI's field describes results that are JSON. A result that is a string is sent as it is, so a schema
    that accepts strings is not published there.
    """
    match dialect:
        case "openai":
            return None if openai.accepts_strings(schema) else Published(schema)
        case "gemini":
            return gemini.publish(schema)
        case _:
            return None


def _convert(dialect: str | None, schema: Schema, strict: bool | None) -> Published:
    match dialect:
        case "openai":
            return openai.publish(schema, strict)
        case "anthropic" | "bedrock":
            return anthropic.publish(schema, bool(strict))
        case "gemini":
            return gemini.publish(schema)
        case _:
            return Published(schema)
