"""Publish a schema in the dialect of a provider. A new dialect is entered here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from toolgen.schema.dialects import anthropic, gemini, openai
from toolgen.schema.dialects.arguments import (
    flatten_root,
    property_names_restorer,
    property_renames,
    rename_properties,
)
from toolgen.schema.dialects.complete import complete
from toolgen.schema.dialects.openai_strict import restorer as strict_restorer
from toolgen.schema.dialects.published import Published
from toolgen.schema.document import SchemaDocument
from toolgen.schema.graph import accepted_types
from toolgen.schema.providers import PROVIDERS


def publish(dialect: str | None, document: SchemaDocument, strict: bool | None = None) -> Published:
    """Return what a schema is in `dialect`.

    `strict` is the spec's `targets.<target>.strict`; None if the author did not say.
    """
    if dialect is None or dialect not in PROVIDERS:
        return Published(document.schema)
    provider, published = PROVIDERS[dialect], _CONVERT[dialect](document, strict)
    if dialect == "openai" and published.strict:
        return replace(published, restore=lambda: strict_restorer(document))
    flat, root_losses = flatten_root(published.schema, provider)
    whole, whole_losses = complete(flat, provider.needs)
    renames = property_renames(whole, provider)
    renamed, name_losses = rename_properties(whole, renames)
    repeated = {(loss.path, loss.keyword) for loss in root_losses}
    losses = (loss for loss in published.losses if (loss.path, loss.keyword) not in repeated)
    return Published(
        renamed,
        published.strict,
        (*losses, *root_losses, *whole_losses, *name_losses),
        lambda: property_names_restorer(renames),
        renames,
    )


def publish_output(dialect: str | None, document: SchemaDocument) -> Published | None:
    """Return what the schema of a tool's results is in `dialect`; None if the provider has no field for it.

    OpenAI's field describes results that are JSON. A result that is a string is sent as it is, so a schema
    that accepts strings is not published there.
    """
    if dialect == "gemini":
        published = gemini.publish(document)
        schema, losses = complete(published.schema, PROVIDERS[dialect].needs)
        return Published(schema, losses=(*published.losses, *losses))
    is_json = dialect == "openai" and "string" not in accepted_types(document)
    return Published(document.schema) if is_json else None


_CONVERT: Final[Mapping[str, Callable[[SchemaDocument, bool | None], Published]]] = {
    "openai": openai.publish,
    "anthropic": anthropic.publish,
    "bedrock": anthropic.publish,
    "gemini": lambda document, _: gemini.publish(document),
}
