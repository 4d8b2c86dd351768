"""Fifty drifts of a server's listing, judged by hand before the code was read, and by `toolgen guard`."""

from __future__ import annotations

import copy
import json
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from toolgen.changes.comparing.guard import judge_server
from toolgen.changes.comparing.lock import lock_text, read_lock
from toolgen.changes.comparing.server_drift import judge_tool
from toolgen.language.diagnostic import SpecErrors
from toolgen.project import UnableError
from toolgen.sources.mcp_client.listing import Listing, announced

from tests.samples import load_beside

FOLDER = Path(__file__).parent / "drifts"
LISTED = json.loads((FOLDER / "listing.json").read_text())
PUBLISHED = load_beside(__file__, "drifts/published.yaml")
DRIFTS = tomllib.loads((FOLDER / "drifts.toml").read_text())["drift"]


def apply(patch: list[dict[str, Any]], document: Any) -> Any:
    """Return a copy of `document` with the edits of a JSON Patch (RFC 6902)."""
    document = copy.deepcopy(document)
    for edit in patch:
        value = edit.get("value")
        if edit["op"] == "move":
            container, key = at(document, edit["from"])
            value = container.pop(key)
        container, key = at(document, edit["path"])
        if edit["op"] == "remove":
            del container[key]
        elif isinstance(container, list) and edit["op"] != "replace":
            container.insert(len(container) if key == "-" else key, value)
        else:
            assert edit["op"] != "replace" or isinstance(container, list) or key in container, edit
            container[key] = value
    return document


def at(document: Any, pointer: str) -> tuple[Any, Any]:
    """Return the object or array that holds the place, and the place's key or index in it."""
    *path, last = (each.replace("~1", "/").replace("~0", "~") for each in pointer[1:].split("/"))
    for each in path:
        document = document[int(each) if isinstance(document, list) else each]
    return document, int(last) if isinstance(document, list) and last != "-" else last


def listing(listed: dict[str, Any]) -> Listing:
    lists = ("tools", "resources", "prompts")
    return Listing(
        **{key: listed["server"][key] for key in ("name", "version")},
        instructions=listed["instructions"],
        **{key: list(listed[key].values()) for key in lists},
        resource_templates=list(listed["resourceTemplates"].values()),
        capabilities=announced(listed.get("capabilities", {})),
        skills=list(listed.get("skills", {}).values()),
        about={key: each for key, each in listed["server"].items() if key not in ("name", "version")},
    )


def fails(drifted: dict[str, Any], before: dict[str, Any], **options: bool) -> bool:
    text = lock_text(listing(before))
    lock, today = read_lock(text.encode(), "toolgen.lock"), date(2026, 11, 24)
    try:
        judged = judge_server(lock, listing(drifted), file="toolgen.lock", text=text, today=today, **options)
    except (UnableError, SpecErrors):  # refused, because it cannot be judged
        return True
    return bool(judged.failed)


def verdict(drifted: dict[str, Any], before: dict[str, Any] = LISTED) -> str:
    """Return what becomes of a server that lists this now."""
    failed = tuple(fails(drifted, before, allow_texts=each) for each in (False, True))
    return {(True, True): "dangerous", (True, False): "text", (False, False): "harmless"}[failed]


def test_an_unchanged_listing_is_harmless() -> None:
    assert verdict(LISTED) == "harmless"


@pytest.mark.parametrize("drift", DRIFTS, ids=lambda drift: drift["title"])
def test_the_guard_judges_as_a_reviewer_does(drift: dict[str, Any]) -> None:
    assert verdict(apply(drift["patch"], LISTED)) == drift["verdict"], drift["because"]


@pytest.mark.parametrize("drift", PUBLISHED["drift"], ids=lambda drift: drift["title"])
def test_published_attacks_fail_if_the_guard_is_strict_and_upgrades_pass_otherwise(
    drift: dict[str, Any],
) -> None:
    is_harmful = drift["verdict"] == "harmful"
    base = apply(PUBLISHED["base"], LISTED)
    assert fails(apply(drift["patch"], base), base, strict=is_harmful) == is_harmful, drift["source"]


def test_a_gateway_judges_tools_as_the_guard_does() -> None:
    judged = 0
    for drift in DRIFTS:
        drifted = apply(drift["patch"], LISTED)
        for name, tool in LISTED["tools"].items():
            now = drifted["tools"].get(name)
            if now in (None, tool) or now.get("name") != tool["name"]:
                continue  # a gateway looks for the name, and finds the tool gone
            judged += 1
            assert tool_verdict(tool, now) == drift["verdict"], drift["because"]
    assert judged > 30


def tool_verdict(pinned: dict[str, Any], listed: dict[str, Any]) -> str:
    failed = []
    for allow_texts in (False, True):
        try:
            drift = judge_tool(pinned, listed, allow_texts=allow_texts, today=date(2026, 11, 24))
        except (UnableError, SpecErrors):
            failed.append(True)
        else:
            failed.append(bool(drift.failed))
    return {(True, True): "dangerous", (True, False): "text", (False, False): "harmless"}[tuple(failed)]


# Beside the fifty: the neighbours of what was judged wrong at first


@pytest.mark.parametrize(("path", "value", "expected"), load_beside(__file__, "drifts.yaml"))
def test_neighbours_of_the_fifty(path: str, value: Any, expected: str) -> None:
    drifted = apply([{"op": "add", "path": path, "value": value}], LISTED)
    assert verdict(drifted) == expected


def test_the_lock_shows_invisible_characters_and_keeps_them() -> None:
    path = "/tools/get_issue/description"
    hidden = listing(apply([{"op": "add", "path": path, "value": "Return\u200b one \U000e0053."}], LISTED))
    text = lock_text(hidden)
    assert r"Return\u200b one \udb40\udc53." in text
    assert hidden.tools[1] in read_lock(text.encode(), "toolgen.lock").tools
