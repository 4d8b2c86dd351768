"""How changes of a server's tools are judged beyond `toolgen breaking`, because their author is a stranger.

`guard` judges whole servers so, and a gateway single tools at every connection (`judge_tool`).
`feature_drift` judges resources and prompts. Nothing of the generator's dependencies is needed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from toolgen.base.escaping.characters import printable
from toolgen.base.suggestions import quoted
from toolgen.changes.comparing.definitions import compare_definitions, listed_definitions
from toolgen.changes.comparison import compare
from toolgen.changes.contract import REQUEST, Side
from toolgen.changes.edit_space import Direction
from toolgen.changes.finding import Category, Finding, Level, Places
from toolgen.changes.policy import Policy, apply_policy, failing
from toolgen.changes.table import SERVER_RULES
from toolgen.runtime.definition.check import is_valid_field
from toolgen.schema.document import JsonObject, pointer_tokens

_COMPARED: Final = {"inputSchema": "", "outputSchema": "", "_meta": "meta"} | {
    key: key for key in ("name", "title", "description", "annotations", "icons")
}
"""Keys of a tool's definition that `toolgen breaking` compares as fields of a spec, if they are valid."""
_NO_TEXTS: Final = ("_meta", "icons", "execution")
"""Keys that clients do not send to models: any other one may be, also one that MCP does not know."""
_TEXTS: Final = ("description", "title", "$comment")
_VALUES: Final = frozenset(("enum", "const", "default", "examples"))
_MAX_IDENTIFIER: Final = 64  # characters; a longer name or value may be a sentence without blanks
TEXTS_FOR_MODELS: Final = (
    *("description-changed", "instructions-changed", "property-text-changed", "title-changed"),
    *("prompt-changed", "resource-changed", "server-changed", "text-added", "tool-names-other"),
)
"""Rules whose findings fail: whoever approved the server has not read the new text."""
STRICTER: Final = ("idempotent-gained", "idempotent-lost", "open-world-gained", "open-world-lost")
"""Rules that are warnings of `toolgen breaking`, and fail here: the author of a server cannot be asked."""
FOR_CALLERS: Final = frozenset((Category.WIRE, Category.SAFETY))
"""Categories that concern whoever calls tools by their contracts."""
FOR_READERS: Final = frozenset(("text-hidden", "ui-changed"))
"""Rules of these categories about what code does not look at."""
ANY_ARGUMENT: Final = "*"
_OPEN: Final = frozenset(
    ("additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames")
) | {"allOf", "anyOf", "oneOf"}
"""Keywords beside `properties` by which an object may be meant to have names that it does not declare."""
_CLIENTS_ACT_ON: Final = re.compile(r"ui(?:/.*)?|(?:openai|anthropic|io\.modelcontextprotocol)/.*", re.DOTALL)
"""Keys of `_meta` of MCP Apps (SEP-1865), of OpenAI's and Anthropic's clients, and of the protocol itself."""
_DISTINCTIVE: Final = re.compile(r"[^\W_]+(?:[-_.][^\W_]+)+|[a-z]+(?:[A-Z][a-z]+)+")
"""Names that are no words of a language, so that a text that has one means the tool."""
_WORD: Final = re.compile(r"[\w.-]+")
MAX_TEXT: Final = 300  # characters of a new text in a message


@dataclass(frozen=True, slots=True)
class Drift:
    """What changed about a tool, a resource or a prompt since the lock was written."""

    passed: tuple[Finding, ...]
    failed: tuple[Finding, ...]  # for these, it must not be used


def judge_tool(
    pinned: Mapping[str, Any], listed: Mapping[str, Any], *, allow_texts: bool, today: date
) -> Drift:
    """Return what changed between two definitions of `tools/list`.

    Raises UnableError or SpecErrors if one of them is none that toolgen can read.
    """
    was = dict(pinned)
    now = with_old_layout(dict(listed), was)
    policy = Policy(levels=drift_levels(allow_texts=allow_texts))
    old, new = compare_definitions(
        listed_definitions([was], "the lock"), listed_definitions([now], "the server")
    )
    found = tuple(with_drift_level(each, old) for each in compare(old, new, policy=policy, today=today))
    others = drift_findings(was, now, found, Places(None, None))
    return drift_of(found, others, policy, today)


def concerns_call(finding: Finding, given: Collection[str]) -> bool:
    """True if a finding about a tool concerns calls that give some arguments; `ANY_ARGUMENT`: any of them.

    A client checks whole responses, so all of a response counts.
    """
    section, _, rest = finding.pointer.strip("/").partition("/")
    if section != "input_schema" or ANY_ARGUMENT in given:
        return True
    keyword, _, rest = rest.partition("/")
    name = rest.partition("/")[0].replace("~1", "/").replace("~0", "~")
    if keyword != "properties" or not name:
        return True
    # an argument that must be given, or has another default, breaks those who leave it out
    of_argument = {"property-required": "", "default-changed": "default"}.get(finding.code)
    is_left_out = of_argument == rest.partition("/")[2]
    return (name in given) != is_left_out


def drift_of(found: Iterable[Finding], others: Iterable[Finding], policy: Policy, today: date) -> Drift:
    """Return findings as a drift: `found` of a comparison, and `others`, to which no policy was applied."""
    findings = (*found, *apply_policy(others, policy, today))
    failed = tuple(failing(findings, Level.ERROR, frozenset(Category), allow_unanalysed=False))
    return Drift(tuple(each for each in findings if each not in failed), failed)


def drift_levels(*, allow_texts: bool) -> dict[str, Level]:
    """Return the levels of rules for a server. With `allow_texts`, a text for models may change."""
    level = Level.WARNING if allow_texts else Level.ERROR
    return {**dict.fromkeys(TEXTS_FOR_MODELS, level), **dict.fromkeys(STRICTER, Level.ERROR)}


def with_drift_level(finding: Finding, old: Side) -> Finding:
    """Return the finding with the level that it has for a server of strangers."""
    if finding.direction is not Direction.REQUEST:
        return finding
    if finding.code == "default-changed":  # calls without the property do something else
        says_nothing = finding.detail[0] == "added" and finding.detail[2] is None  # Pydantic's `= None`
        return replace(finding, level=Level.INFO if says_nothing else Level.ERROR)
    if finding.code == "property-added" and _is_undeclared(finding, old):
        return replace(finding, level=Level.WARNING)
    return finding


def _is_undeclared(finding: Finding, old: Side) -> bool:
    """True if the object did not mention other properties: most servers' schemas leave them open by default.

    Callers know no other names then. With `additionalProperties` and the like, names are meant to be chosen.
    """
    contract = old.contracts.get(finding.tool)
    if contract is None:  # of several tools, or of one that had another name
        return False
    _, *path = pointer_tokens(finding.pointer)
    document = contract.documents[REQUEST]
    schema: Any = document.schema
    for step in [*path[:-2], None]:  # None: the object itself is looked at, too
        while isinstance(schema, dict) and "$ref" in schema:
            if len(schema) > 1:
                return False
            schema = document.target(schema["$ref"]).value
        if step is not None:
            schema = schema.get(step) if isinstance(schema, dict) else None
    return isinstance(schema, dict) and not _OPEN & schema.keys()


def drift_findings(
    old: JsonObject, new: JsonObject, found: Iterable[Finding], place: Places
) -> Iterator[Finding]:
    """Yield what a comparison of two definitions of `tools/list` does not find.

    Args:
        old: the definition in the lock.
        new: what the server lists, with the layout of the lock (`with_old_layout`).
        found: the findings of the comparison about this tool.
        place: where the tool is.
    """
    name = new["name"]
    was, now = _task_support(old), _task_support(new)
    if was != now and now != "optional":
        message = f"calls as tasks are {quoted(now)}, and were {quoted(was)}"
        yield _finding("task-support-changed", name, message, place, now)
    yield from meta_findings(old, new, place, name)
    details = [each.detail for each in found if each.code in TEXTS_FOR_MODELS]
    shown = {words(each) for each in strings(details)}
    read, known = (_read_by_models(each) for each in (new, old))
    for text in new_texts(read, known):
        if words(text) not in shown:
            yield _finding("text-added", name, f"new text: {quoted(text, MAX_TEXT)}", place, text)
    yield from hidden_text_findings(old, new, place, name)
    both = (old, new)
    judged = {
        key
        for key, field in _COMPARED.items()
        if not field or all(key not in each or is_valid_field(field, each[key]) for each in both)
    }
    yield from key_findings(old, new, place, name, judged=judged)


def key_findings(
    old: JsonObject,
    new: JsonObject,
    place: Places,
    tool: str = "",
    pointer: str = "",
    *,
    judged: Collection[str],
) -> Iterator[Finding]:
    """Yield a finding for each key that differs and is not `judged`, so that nothing passes unseen."""
    for key in {**old, **new}:
        value = _said(new.get(key))
        if key not in judged and value != _said(old.get(key)):
            shown = "gone" if value is None else quoted(json.dumps(value, ensure_ascii=False), MAX_TEXT)
            message = f"{quoted(key)} is now {shown}"
            yield _finding("key-changed", tool, message, place, key, pointer)


def _said(value: Any) -> Any:
    """Return a value without what says nothing: empty objects and lists, and what MCP takes for granted."""
    if isinstance(value, dict):
        value = {key: each for key, each in value.items() if (key, each) != ("taskSupport", "forbidden")}
    return None if value in ({}, [], "") else value


def meta_findings(
    old: JsonObject, new: JsonObject, place: Places, tool: str = "", pointer: str = ""
) -> Iterator[Finding]:
    """Yield a finding for each key of `_meta` that differs: an error if clients act on the key."""
    before, after = _meta(old), _meta(new)
    for key in {**before, **after}:
        if key not in after or key not in before or before[key] != after[key]:
            value = quoted(json.dumps(after[key]), MAX_TEXT) if key in after else "nothing"
            message = f"`_meta` has {value} as {quoted(key)}"
            if _CLIENTS_ACT_ON.fullmatch(key):
                yield _finding("ui-changed", tool, message, place, key, pointer)
            elif not tool:  # of a tool, `toolgen breaking` says `details-changed`
                yield _finding("key-changed", tool, message, place, key, pointer)


def _read_by_models(tool: JsonObject) -> JsonObject:
    return {key: value for key, value in tool.items() if key not in _NO_TEXTS}


def _meta(tool: JsonObject) -> JsonObject:
    """Return the `_meta` of a tool; anything but an object is none."""
    found = tool.get("_meta")
    return found if isinstance(found, dict) else {}


def new_tool_findings(tool: JsonObject, others: Iterable[str], place: Places) -> Iterator[Finding]:
    """Yield a finding for each text of a new tool that names one of the `others`, which were approved."""
    names = {each for each in others if _DISTINCTIVE.fullmatch(each)}
    for text in dict.fromkeys(strings({**_read_by_models(tool), "name": None})):
        said = {word.strip(".-") for word in _WORD.findall(text)}
        if found := sorted(names & said):
            message = f"a new tool names {quoted(found[0])}: {quoted(text, MAX_TEXT)}"
            yield _finding("tool-names-other", tool["name"], message, place, text)


def hidden_text_findings(old: Any, new: Any, place: Places, tool: str = "") -> Iterator[Finding]:
    """Yield a finding for each new string with characters that reviewers do not see."""
    known = frozenset(strings(old))
    for text in dict.fromkeys(strings(new)):
        if text not in known and _hides(text):
            message = f"a new text has invisible characters: {quoted(text, MAX_TEXT)}"
            yield _finding("text-hidden", tool, message, place, text)


def _finding(code: str, tool: str, message: str, place: Places, detail: Any, pointer: str = "") -> Finding:
    return SERVER_RULES[code].finding(tool, pointer, message, place, detail=detail)


def _task_support(tool: JsonObject) -> str:
    """Return what MCP's `ToolExecution` says; a value that it does not know counts as `required`."""
    execution = tool.get("execution")
    found = execution.get("taskSupport", "forbidden") if isinstance(execution, dict) else "forbidden"
    return found if found in ("forbidden", "optional") else "required"


# Texts in what a server lists: new ones, those with invisible characters, those that only wrap elsewhere


def words(text: str) -> str:
    """Return a text without the layout of its lines."""
    return " ".join(text.split())


def with_old_layout(new: Any, old: Any, key: str = "", name: str = "") -> Any:
    """Return `new` with the descriptions of `old` at the same places, where they have the same words.

    Versions of Python and of servers lay docstrings out differently, which changes nothing for models. Nor
    does a new title that repeats `name`, that of a property. Values (`enum`, `default`) are left as they are:
    blanks count in them.
    """
    if isinstance(new, str) and isinstance(old, str) and key in _TEXTS:
        return old if words(new) == words(old) else new
    if isinstance(new, dict) and isinstance(old, dict):
        return {
            each: value
            if each in _VALUES and key != "properties"
            else with_old_layout(value, old.get(each), each, each if key == "properties" else "")
            for each, value in new.items()
            if each != "title" or each in old or not _repeats(value, name)
        }
    if isinstance(new, list) and isinstance(old, list) and len(new) == len(old):
        return [with_old_layout(*pair) for pair in zip(new, old, strict=True)]
    return new


def new_texts(new: Any, old: Any) -> list[str]:
    """Return the texts for models in a definition that the old one has nowhere.

    Texts are descriptions, comments, and any other string or name with a blank or of more than 64 characters:
    a value of an `enum` can hold an instruction, too. Titles that only repeat a property's name are none.
    """
    known = {words(each) for each in _texts(old)}
    return [each for each in dict.fromkeys(_texts(new)) if words(each) not in known]


def _hides(text: str) -> bool:
    # Every kind of blank has become a space: a non-breaking one hides nothing.
    text = words(text)
    return printable(text) != text


def _texts(value: Any, key: str = "", name: str = "") -> Iterator[str]:
    """Yield texts; `key` is that of the value, `name` that of the property whose schema holds it."""
    if isinstance(value, str):
        repeats = key == "title" and _repeats(value, name)
        if not repeats and (key in ("description", "$comment") or _may_be_sentence(value)):
            yield value
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each, key)
    elif isinstance(value, dict):
        for each, part in value.items():
            if _may_be_sentence(each):
                yield each
            yield from _texts(part, each, key if isinstance(part, str) else "")


def _repeats(title: Any, name: str) -> bool:
    return isinstance(title, str) and words(title).replace(" ", "_").lower() == name.lower()


def _may_be_sentence(text: str) -> bool:
    return len(text) > _MAX_IDENTIFIER or len(text.split()) > 1


def strings(value: Any) -> Iterator[str]:
    """Yield every string in a JSON value, names included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield key
            yield from strings(part)
