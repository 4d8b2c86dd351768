"""Judge what an MCP server lists today by its lock: what `toolgen guard` finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from typing import Any

from toolgen.base.suggestions import quoted
from toolgen.changes.comparing.definitions import (
    ExportedSide,
    compare_definitions,
    listed_definitions,
    read_export,
)
from toolgen.changes.comparing.feature_drift import feature_findings
from toolgen.changes.comparing.server_drift import (
    MAX_TEXT,
    TEXTS_FOR_MODELS,
    drift_findings,
    drift_levels,
    hidden_text_findings,
    key_findings,
    new_tool_findings,
    with_drift_level,
    with_old_layout,
    words,
)
from toolgen.changes.comparing.sides import Judgement
from toolgen.changes.comparison import compare, in_order
from toolgen.changes.contract import ProjectSettings, Side
from toolgen.changes.finding import Category, Finding, Level, Places
from toolgen.changes.policy import Policy, apply_policy, failing
from toolgen.changes.table import SERVER_RULES
from toolgen.language.source import Span
from toolgen.project import UnableError
from toolgen.sources.mcp_client.listing import LISTS, Listing


def judge_server(
    lock: Listing,
    listing: Listing,
    *,
    file: str,
    text: str,
    today: date,
    allow_texts: bool = False,
    strict: bool = False,
) -> Judgement:
    """Return what changed since the lock was written, each finding at its place in the lock.

    `file` and `text`: the lock's name and content. `allow_texts`: a text for models that changed does not
    fail. `strict`: whatever changed fails. Raises `UnableError` if the lock is that of another server.
    """
    if lock.name != listing.name:
        message = f"{file} is the lock of {quoted(lock.name)}, and this server is {quoted(listing.name)}"
        raise UnableError("bad-source", message, "guard each server with a lock of its own: --lock FILE")
    listing = _with_old_layout(listing, lock)
    policy = Policy(levels=drift_levels(allow_texts=allow_texts))
    label = f"the server {listing.label}"
    pinned = read_export(text.encode(), file) if lock.tools else ExportedSide(file)
    listed = listed_definitions(listing.tools, label) if listing.tools else ExportedSide(label)
    old, new = compare_definitions(pinned, listed)
    found = compare(
        _with_settings(old, lock, file), _with_settings(new, listing, file), policy=policy, today=today
    )
    found = tuple(with_drift_level(each, old) for each in found)
    place = Places(Span(file, 1, 1), None)
    own = (
        *feature_findings(lock, listing, place),
        *_of_server(lock, listing, place),
        *_of_tools(lock, listing, pinned, found),
    )
    others = apply_policy(own, policy, today)
    every = (*found, *others)
    if strict:
        every = tuple(replace(each, level=Level.ERROR) for each in every)
    findings = in_order(_in_lock(each, file) for each in every)
    failed = tuple(failing(findings, Level.ERROR, frozenset(Category), allow_unanalysed=False))
    return Judgement(findings, failed, Level.INFO, (), {file: text})  # all are shown


def _with_settings(side: Side, listing: Listing, file: str) -> Side:
    settings = ProjectSettings(
        targets=frozenset(),
        coerce=False,
        output_schema=True,
        package="",
        server_name=listing.name,
        instructions=listing.instructions,
        places={"instructions": Span(file, 1, 1)},
    )
    return replace(side, settings=settings)


def _with_old_layout(listing: Listing, lock: Listing) -> Listing:
    """Return the listing with the texts of the lock where only the layout of their lines differs."""
    changes: dict[str, Any] = {"instructions": lock.instructions}
    changes["about"] = with_old_layout(listing.about, lock.about)
    if words(lock.instructions) != words(listing.instructions):
        changes["instructions"] = listing.instructions
    for key, by in LISTS.items():
        before = {each[by]: each for each in getattr(lock, key)}
        changes[key] = [with_old_layout(each, before.get(each[by])) for each in getattr(listing, key)]
    return replace(listing, **changes)


def _of_tools(
    lock: Listing, listing: Listing, pinned: ExportedSide, found: Iterable[Finding]
) -> Iterator[Finding]:
    """Yield the findings about what specs do not have, and about texts that no other finding shows."""
    by_tool: dict[str, list[Finding]] = {}
    for each in found:
        by_tool.setdefault(each.tool, []).append(each)
    before = {each["name"]: each for each in lock.tools}
    for tool in listing.tools:
        name = tool["name"]
        if name in before:
            place = Places(None, pinned.places[name].key(("name",)))
            yield from drift_findings(before[name], tool, by_tool.get(name, ()), place)
        else:
            yield from hidden_text_findings((), tool, Places(None, None), name)
            yield from new_tool_findings(tool, before, Places(None, None))


def _in_lock(finding: Finding, file: str) -> Finding:
    """Return the finding with its place in the lock: a server has no lines that could be shown."""
    message = finding.message
    if finding.code in TEXTS_FOR_MODELS and isinstance(finding.detail, str):
        message += f" to {quoted(finding.detail, MAX_TEXT)}"
    return replace(finding, places=Places(finding.places.old or Span(file, 1, 1), None), message=message)


def _of_server(lock: Listing, listing: Listing, place: Places) -> Iterator[Finding]:
    """Yield what the server says of itself in another way, and announces: old locks have neither."""
    before, after = lock.about, listing.about
    if before is not None and after is not None:
        yield from hidden_text_findings(before, after, place)
        for each in key_findings(before, after, place, judged=()):
            rule = SERVER_RULES["key-changed" if each.detail == "icons" else "server-changed"]
            yield rule.finding("", "", f"of the server, {each.message}", place, detail=each.detail)
    if lock.capabilities is None or listing.capabilities is None:
        return
    for gone in sorted(lock.capabilities - listing.capabilities):
        message = f"the capability {quoted(gone)} is gone"
        yield SERVER_RULES["capability-removed"].finding("", "", message, place, detail=gone)
    for new in sorted(listing.capabilities - lock.capabilities):
        message = f"the capability {quoted(new)} is new"
        yield SERVER_RULES["capability-added"].finding("", "", message, place, detail=new)
