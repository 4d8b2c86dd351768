"""Find tools whose last day, `deprecated.sunset`, is over."""

from __future__ import annotations

import re
from datetime import date
from typing import Any, Final

from toolgen.data.diagnostic import Diagnostic
from toolgen.project import ReadProject

# `check` does not compile an up-to-date project, so that only specs that may have the key are read. They have
# it as it is, or with the escapes of a quoted text.
_MAY_HAVE_A_SUNSET: Final = re.compile(rb"sunset|\\[xuU]")


def passed_sunsets(read: ReadProject, today: date) -> tuple[Diagnostic, ...]:
    """Return an error for each enabled tool whose sunset is before `today`. The specs must be valid."""
    texts = {path: text for path, text in read.specs.items() if _MAY_HAVE_A_SUNSET.search(text)}
    if not texts:
        return ()
    from toolgen.compile.reading.read import read as read_sources

    found = []
    for source in read_sources(texts, f"{read.project.specs}/"):
        spec: Any = source.data
        sunset = (spec.get("deprecated") or {}).get("sunset")
        if sunset is not None and sunset < today.isoformat() and spec.get("enabled", True):
            found.append(
                Diagnostic(
                    source.value(("deprecated", "sunset")),
                    "sunset-passed",
                    f"{spec['name']} was to stop working after {sunset}, but calls of it still work",
                    "remove the spec or set `enabled: false`; or announce a later day",
                )
            )
    return tuple(found)
