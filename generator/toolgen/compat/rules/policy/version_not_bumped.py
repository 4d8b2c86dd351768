"""version-not-bumped: the version does not say how much changed.

With `versions = "semver"`, a change that breaks callers or importers asks for a new major version, any
other change of the contract for a minor version, and new texts for a patch. Below 1.0.0, a break asks for
a minor version, and everything else for a patch.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import OtherRule

RULE: Final = OtherRule(
    code="version-not-bumped",
    advice="raise `version`",
    category=Category.WIRE,
    level=Level.ERROR,
)
