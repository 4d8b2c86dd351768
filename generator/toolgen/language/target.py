"""A target as it is used: its definition, and the templates whose tree is the output tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toolgen.language.targets.definition import TargetDefinition


@dataclass(frozen=True, slots=True)
class Target:
    """One output flavour: a definition with its folder of templates, built in or the project's own."""

    definition: TargetDefinition
    templates: Mapping[str, str]  # "tools/{tool}.py.jinja" → template text
    asked: bool = False  # named by the author: every loss of its dialect is reported
    own: Mapping[str, str] = field(default_factory=dict)  # the project's templates → their files, as shown

    @property
    def name(self) -> str:
        """The name in the configuration, in specs and of the folder."""
        return self.definition.name

    @property
    def dialect(self) -> str | None:
        """The dialect of the schemas that it publishes; None: the author's schema, unchanged."""
        return self.definition.dialect

    @property
    def tool_name(self) -> str:
        """The pattern of tool names; empty: it publishes no tools."""
        return self.definition.tool_name
