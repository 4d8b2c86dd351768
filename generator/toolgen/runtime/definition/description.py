"""The description of a tool that models read: what its author wrote, and what its results hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

_LEAD_INS: Final = (("use_when", "Use when: "), ("avoid_when", "Avoid when: "), ("returns", "Returns: "))


def join_description(
    description: str,
    texts: Mapping[str, str | None],
    content: object,
    *,
    deprecated: Mapping[str, str] | None = None,
) -> str:
    """Return the description that every target publishes, a paragraph for each part.

    Args:
        description: as the author wrote it.
        texts: `use_when`, `avoid_when` and `returns`, as far as there are any.
        content: the field `content` of the definition. No protocol has a field for it.
        deprecated: the field `deprecated`. Its notice comes first, where a model reads it before the rest.
    """
    parts = [lead_in + text.strip() for key, lead_in in _LEAD_INS if (text := texts.get(key))]
    if isinstance(content, Sequence) and not isinstance(content, str) and content:
        parts.append("\n".join(["Content of the result:", *(f"- {each}" for each in _lines(content))]))
    notice = [] if deprecated is None else [deprecation_notice(deprecated)]
    return "\n\n".join([*notice, description.strip(), *parts]) if notice or parts else description


def deprecation_notice(deprecated: Mapping[str, str]) -> str:
    """Return one line about a deprecated tool, and its message as another.

    `Deprecated since 2.0.0; use place_order instead. Stops working after 2026-12-31.`
    """
    since, replaced_by, sunset, message = map(deprecated.get, ("since", "replaced_by", "sunset", "message"))
    line = f"Deprecated since {_on_one_line(since)}" if since else "Deprecated"
    line += f"; use {_on_one_line(replaced_by)} instead." if replaced_by else "."
    line += f" Stops working after {sunset}." if sunset else ""
    return f"{line}\n{_on_one_line(message)}" if message else line


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _lines(content: Sequence[Any]) -> Iterator[str]:
    """Yield a line for each entry: `image (image/png), 1: The chart.`"""
    for entry in content:
        if not isinstance(entry, Mapping):
            continue  # a fault of a hand-written definition, reported by its check
        kind = str(entry.get("type"))
        if types := entry.get("media_types"):
            kind += f" ({', '.join(map(str, types))})"
        about = str(entry.get("description", "")).strip()
        line = f"{kind}, {_count(entry)}"
        yield f"{line}: {about}" if about else line


def _count(entry: Mapping[str, Any]) -> str:
    least, most = entry.get("min", 0), entry.get("max")
    if least == most:
        return str(least)
    if most is None:
        return "any number" if least == 0 else f"{least} or more"
    return f"at most {most}" if least == 0 else f"{least} to {most}"
