"""Every dialect by its name: what a tool publishes in it, and the way back for arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.schema.dialects import anthropic, gemini, openai
from toolgen.schema.dialects.arguments import allowed_names, plain_root, renamed, restorer
from toolgen.schema.loss import Loss
from toolgen.schema.providers import PROVIDERS
from toolgen.schema.strict.restore import restorer as strict_restorer

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Published:
    """What a dialect makes of an author's schema."""

    schema: Schema  # the author's own object where nothing has to change
    strict: bool  # the provider is asked to hold the model to it
    losses: tuple[Loss, ...]
    restore: Callable[[], Callable[[Any], Any] | None]  # what undoes the dialect on arguments, if anything


def publish(dialect: str | None, schema: Schema, strict: bool | None = None) -> Published:
    """`schema` in `dialect`. `strict` is what the author says of the strict mode; None, nothing."""
    provider = PROVIDERS.get(dialect or "")
    if provider is None:
        return Published(schema, False, (), _nothing)
    made, held, losses = _dialect(dialect, schema, strict)
    if dialect == "openai" and held:
        return Published(made, True, losses, lambda: strict_restorer(schema))
    rooted, more = plain_root(made, provider)
    names = renamed(rooted, provider)
    named, told = allowed_names(rooted, provider)
    gone = {(loss.path, loss.keyword) for loss in more}
    left = (loss for loss in losses if (loss.path, loss.keyword) not in gone)
    return Published(named, held, (*left, *more, *told), lambda: restorer(names))


def _dialect(
    dialect: str | None, schema: Schema, strict: bool | None
) -> tuple[Schema, bool, tuple[Loss, ...]]:
    match dialect:
        case "openai":
            return openai.publish(schema, strict)
        case "anthropic" | "bedrock":
            return anthropic.publish(schema, bool(strict))
        case "gemini":
            made, losses = gemini.to_gemini(schema)
            return made, False, losses
        case _:
            return schema, False, ()


def _nothing() -> None:
    return None
