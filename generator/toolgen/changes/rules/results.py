"""Rules about results: how they arrive, which errors and blocks of content they may hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolgen.base.suggestions import quoted
from toolgen.changes.contract import RESPONSE, Contract, ProjectSettings
from toolgen.changes.rule import FieldEdit, ToolPair, applies
from toolgen.language.spec import ContentSpec
from toolgen.runtime.definition.tool_definition import LOGGED, answers_of
from toolgen.schema.graph import is_object_schema


def final_answer_changed(pair: ToolPair) -> Iterator[FieldEdit]:
    if pair.old.spec.final_answer != pair.new.spec.final_answer:
        is_final = pair.new.spec.final_answer
        what = "now ends the agent's turn" if is_final else "no longer ends the agent's turn"
        yield FieldEdit(("final_answer",), f"the result {what}", is_final)


def page_changed(pair: ToolPair) -> Iterator[FieldEdit]:
    old, new = pair.old.spec.page, pair.new.spec.page
    if old is not None and old != new:
        message = "large responses are no longer paged" if new is None else "pages have other places"
        yield FieldEdit(("page",), message, new and new.model_dump(mode="json"))


def response_schema_hidden(pair: ToolPair) -> Iterator[FieldEdit]:
    if pair.old.spec.output_schema is None or pair.new.spec.output_schema is None:
        return  # response-schema-removed is about these
    was, now = _written(pair.old), _written(pair.new)
    if was is None and now is None:
        return  # response-schema-default-hidden is about these
    if applies(was, pair.old_settings, "output_schema") and not applies(
        now, pair.new_settings, "output_schema"
    ):
        why = ": the configuration has `output_schema = false`" if now is None else ""
        path = ("targets", "mcp", "output_schema")
        yield FieldEdit(path, f"the output schema is no longer published over MCP{why}")


def response_form_changed(pair: ToolPair) -> Iterator[FieldEdit]:
    old, new = pair.old.documents.get(RESPONSE), pair.new.documents.get(RESPONSE)
    if old is None or new is None or not pair.knows("targets"):
        return
    if not (
        _has_older_clients(pair.old, pair.old_settings) and _has_older_clients(pair.new, pair.new_settings)
    ):
        return
    # the MCP server decides by the same function (`output_for_handshake_era`)
    was_object, is_object = is_object_schema(old), is_object_schema(new)
    if is_object and not was_object:
        message = 'responses are no longer wrapped for MCP clients up to 2025-11-25: `{"result": …}` before'
        yield FieldEdit(("output_schema",), message, "unwrapped")
    elif was_object and not is_object:
        message = 'responses are wrapped for MCP clients up to 2025-11-25: `{"result": …}`'
        yield FieldEdit(("output_schema",), message, "wrapped")


def _has_older_clients(contract: Contract, settings: ProjectSettings | None) -> bool:
    """True if clients of older MCP versions may read the responses by their schema."""
    is_served = settings is None or "mcp" in settings.targets
    return is_served and applies(_written(contract), settings, "output_schema")


def _written(contract: Contract) -> bool | None:
    """Return what a spec says about publishing its output schema; None if it says nothing."""
    written: bool | None = getattr(contract.spec.options_of("mcp"), "output_schema", None)
    return False if written is None and answers_of(contract.spec.extensions) == LOGGED else written


def stream_changed(pair: ToolPair) -> Iterator[FieldEdit]:
    old, new = pair.old.spec.stream, pair.new.spec.stream
    if old is None and new is not None:
        yield FieldEdit(("stream",), "the result now arrives in chunks", "added")
    elif new is None and old is not None:
        yield FieldEdit(("stream",), "the result no longer arrives in chunks", "removed")


# Declared errors


def error_added(pair: ToolPair) -> Iterator[FieldEdit]:
    known = {error.code for error in pair.old.spec.errors}
    for index, error in enumerate(pair.new.spec.errors):
        if error.code not in known:
            yield FieldEdit(("errors", index), f"error {quoted(error.code)} added", error.code)


def error_removed(pair: ToolPair) -> Iterator[FieldEdit]:
    kept = {error.code for error in pair.new.spec.errors}
    for error in pair.old.spec.errors:
        if error.code not in kept:
            yield FieldEdit(("errors",), f"error {quoted(error.code)} removed", error.code)


def error_retry_changed(pair: ToolPair) -> Iterator[FieldEdit]:
    before = {error.code: error.retryable for error in pair.old.spec.errors}
    for index, error in enumerate(pair.new.spec.errors):
        if before.get(error.code, error.retryable) != error.retryable:
            now = "may now be retried" if error.retryable else "may no longer be retried"
            yield FieldEdit(("errors", index, "retryable"), f"error {quoted(error.code)} {now}", error.code)


def error_text_changed(pair: ToolPair) -> Iterator[FieldEdit]:
    before = {error.code: (error.description, error.hint) for error in pair.old.spec.errors}
    for index, error in enumerate(pair.new.spec.errors):
        detail = [error.code, error.description, error.hint]
        if before.get(error.code, (error.description, error.hint)) != (error.description, error.hint):
            yield FieldEdit(("errors", index), f"text of error {quoted(error.code)} changed", detail)


# Blocks of content, compared entry by entry of `content`


def content_lost(pair: ToolPair) -> Iterator[FieldEdit]:
    for entry in pair.old.content_entries or ():
        kept = [each for each in pair.new.content_entries or () if each.type == entry.type]
        types = set(entry.media_types)
        if types:
            kept = [each for each in kept if each.media_types and types.issuperset(each.media_types)]
        if entry.min and sum(each.min for each in kept) < entry.min:
            message = f"a result no longer always holds {entry.min} of {entry.type}"
            yield FieldEdit(("content",), message, [entry.type, *entry.media_types])


def content_narrowed(pair: ToolPair) -> Iterator[FieldEdit]:
    old, new = pair.old.content_entries, pair.new.content_entries
    if old is None and new is not None:
        yield FieldEdit(("content",), "a result may hold declared content only", "any")
    for index, entry in enumerate(new or ()):
        before = sum(each.min for each in old or () if each.type == entry.type)
        if entry.min > before:
            message = f"a result must hold at least {entry.min} of {_described(entry)}"
            yield FieldEdit(("content", index), message, [entry.type, entry.min])
    for _, entry in _not_covered(pair.new, pair.old):
        message = f"a result may not hold all that it could of {_described(entry)}"
        yield FieldEdit(("content",), message, _identity(entry))


def content_widened(pair: ToolPair) -> Iterator[FieldEdit]:
    if pair.new.content_entries is None and pair.old.content_entries is not None:
        yield FieldEdit(("content",), "a result may hold any content now", "any")
    for index, entry in _not_covered(pair.old, pair.new):
        message = f"a result may hold other content: {_described(entry)}"
        yield FieldEdit(("content", index), message, _identity(entry))


def _not_covered(wide: Contract, narrow: Contract) -> Iterator[tuple[int, ContentSpec]]:
    """Yield the index and the entry of `content` in `narrow` for all that no entry of `wide` allows.

    A contract that allows any content covers everything, and has no entries.
    """
    allowed = wide.content_entries
    if allowed is not None:
        for index, entry in enumerate(narrow.content_entries or ()):
            if not any(_covers(each, entry) for each in allowed):
                yield index, entry


def _covers(wide: ContentSpec, narrow: ContentSpec) -> bool:
    """True if `wide` allows all blocks that `narrow` allows."""
    return (
        wide.type == narrow.type
        and _has_all(wide.media_types, narrow.media_types)
        and _is_most(narrow.max, wide.max)
        and _is_most(narrow.max_bytes, wide.max_bytes)
    )


def _has_all(wide: list[str], narrow: list[str]) -> bool:
    if not wide:
        return True  # every media type of the kind
    return bool(narrow) and all(each in wide or f"{each.partition('/')[0]}/*" in wide for each in narrow)


def _is_most(number: int | None, limit: int | None) -> bool:
    return limit is None or (number is not None and number <= limit)


def _described(entry: ContentSpec) -> str:
    """Return an entry as messages name it: `image (image/png)`."""
    return f"{entry.type} ({', '.join(entry.media_types)})" if entry.media_types else entry.type


def _identity(entry: ContentSpec) -> Any:
    """Return what tells an entry apart from others: all but its texts."""
    return entry.model_dump(mode="json", exclude={"description", "audience", "priority"})
