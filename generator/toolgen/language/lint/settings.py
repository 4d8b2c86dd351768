"""The levels of lint rules: of a whole project, and of its folders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from toolgen.language.codes import CODES

LEVELS: Final = ("error", "warning", "info", "off")


@dataclass(frozen=True, slots=True)
class LintSettings:
    """The section `[lint]` of a project's configuration.

    Args:
        rules: Level of each rule that has another one than its default.
        folders: The same for the specs below a folder, by its path in the project; the innermost one counts.
        baseline: File with the findings that do not fail, relative to the project.
    """

    rules: Mapping[str, str] = field(default_factory=dict)
    folders: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    baseline: str = "lint-baseline.json"

    def level(self, code: str, file: str) -> str:
        """Return the level of a finding: one of `LEVELS`."""
        around = [folder for folder, rules in self.folders.items() if code in rules and _is_in(file, folder)]
        if around:
            return self.folders[max(around, key=len)][code]
        return self.rules.get(code, CODES[code].severity)


def _is_in(file: str, folder: str) -> bool:
    return file == folder or file.startswith(f"{folder.rstrip('/')}/")
