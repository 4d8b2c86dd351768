"""A target: a folder of templates whose tree is the output tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Target:
    """One output flavour, as `templates/<name>/target.yaml` and the files beside it say."""

    name: str
    dialect: str | None  # one of `toolgen.schema.dialects`; None: the author's schema goes out as it is
    tool_name: str  # the pattern its protocol demands of tool names
    templates: Mapping[str, str]  # "tools/{tool}.py.jinja" → template text
    asked: bool = False  # named by the author: every loss of its dialect is told
    own: Mapping[str, str] = field(default_factory=dict)  # the project's templates → their files, as shown
