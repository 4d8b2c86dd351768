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
from toolgen.schema.dialects.strict import restorer as strict_restorer
from toolgen.schema.document import SchemaDocument
from toolgen.schema.graph import accepted_types
from toolgen.schema.providers import PROVIDERS


def publish(dialect: str | None, document: SchemaDocument, strict: bool | None = None) -> Published:
    """Return what a schema is in `dialect`.

    `strict` is the spec's `targets.<target>.strict`; None if the author did not say.
    """
    provider = PROVIDERS.get(dialect or "")
    if provider is None:
        return Published(document.schema)
    published = _convert(dialect, document, strict)
    if dialect == "openai" and published.strict:
        return replace(published, restore=lambda: strict_restorer(document))
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


def publishes_output(dialect: str | None, document: SchemaDocument) -> bool:
    """True if the provider has a field for the schema of a tool's results.

    OpenAI's field describes results that are JSON. A result that is a string is sent as it is, so a schema
    that accepts strings is not published there.
    """
    return dialect == "gemini" or (dialect == "openai" and "string" not in accepted_types(document))


def publish_output(dialect: str | None, document: SchemaDocument) -> Published | None:
    """Return what the schema of a tool's results is in `dialect`; None if it is not published."""
    if not publishes_output(dialect, document):
        return None
    return gemini.publish(document) if dialect == "gemini" else Published(document.schema)


def _convert(dialect: str | None, document: SchemaDocument, strict: bool | None) -> Published:
    match dialect:
        case "openai":
            return openai.publish(document, strict)
        case "anthropic" | "bedrock":
            return anthropic.publish(document, bool(strict))
        case "gemini":
            return gemini.publish(document)
        case _:
            return Published(document.schema)
