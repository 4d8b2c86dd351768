"""The settings of a project, as they are compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from toolgen.compat.settings import Settings
from toolgen.data.target import Target
from toolgen.project import Project
from toolgen.targets.builtin import BASE

_PLACES: Final = {
    "targets": ("", "targets"),
    "coerce": ("", "coerce"),
    "package": ("", "output"),
    "server_name": ("server", "name"),
    "instructions": ("server", "instructions"),
}
"""Field of `Settings` → the section and the key that set it."""


def settings_of(project: Project, targets: Iterable[Target], prefix: str = "") -> Settings:
    """Return the settings of a project; its configuration is shown as a file at `prefix`."""
    found = {field: project.place_in(*place) for field, place in _PLACES.items()}
    return Settings(
        targets=frozenset(target.name for target in targets if target.name != BASE.name),
        coerce=project.coerce,
        package=project.package,
        server_name=project.server_name or project.package,
        instructions=project.server_instructions or "",
        places={field: replace(span, file=f"{prefix}{span.file}") for field, span in found.items()},
    )
