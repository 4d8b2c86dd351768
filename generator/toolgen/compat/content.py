"""What the `content` of a spec allows, compared entry by entry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolgen.compat.contract import Contract
from toolgen.data.spec import ContentSpec


def entries(contract: Contract) -> list[ContentSpec] | None:
    """Return the entries of `content`; None if any content is allowed."""
    content = contract.spec.content
    return None if isinstance(content, str) else content


def covers(wide: ContentSpec, narrow: ContentSpec) -> bool:
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


def not_covered(wide: Contract, narrow: Contract) -> Iterator[tuple[int, ContentSpec]]:
    """Yield the index and the entry of `content` in `narrow` for all that no entry of `wide` allows.

    A contract that allows any content covers everything, and has no entries.
    """
    allowed = entries(wide)
    if allowed is not None:
        for index, entry in enumerate(entries(narrow) or ()):
            if not any(covers(each, entry) for each in allowed):
                yield index, entry


def described(entry: ContentSpec) -> str:
    """Return an entry as messages name it: `image (image/png)`."""
    return f"{entry.type} ({', '.join(entry.media_types)})" if entry.media_types else entry.type


def identity(entry: ContentSpec) -> Any:
    """Return what tells an entry apart from others: all but its texts."""
    return entry.model_dump(mode="json", exclude={"description", "audience", "priority"})
