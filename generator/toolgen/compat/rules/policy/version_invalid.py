"""version-invalid: a version is not a semantic version.

With `versions = "semver"`, versions are written as 1.2.3 (https://semver.org).
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import OtherRule

RULE: Final = OtherRule(
    code="version-invalid",
    advice="write it as 1.2.3",
    category=Category.WIRE,
    level=Level.ERROR,
)
