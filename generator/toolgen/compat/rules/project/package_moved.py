"""package-moved: the generated code has another import name.

Code that imports the old package fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import SettingEdit, SettingRule
from toolgen.compat.settings import Settings
from toolgen.suggestions import quoted


def check(old: Settings, new: Settings) -> Iterator[SettingEdit]:
    """Yield an edit if the package moved."""
    if old.package != new.package:
        yield SettingEdit("package", f"package {quoted(old.package)} was renamed to {quoted(new.package)}")


RULE: Final = SettingRule(
    code="package-moved",
    check=check,
    advice="keep `output`, or leave a package of the old name that imports the new one",
    category=Category.SOURCE,
    level=Level.ERROR,
)
