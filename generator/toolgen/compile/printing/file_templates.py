"""Render templates of single files: those in folders of `templates/` whose names begin with an underscore."""

from __future__ import annotations

import json
from functools import partial
from importlib.resources import files
from typing import Any


def render(path: str, **values: Any) -> str:
    """Render `templates/<path>` with `values`. Nothing is escaped: callers quote text that a user typed."""
    from jinja2 import Environment, StrictUndefined

    from toolgen.compile.python_source.literals import docstring

    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters["docstring"] = docstring
    environment.filters["yaml"] = partial(json.dumps, ensure_ascii=False)
    text = files("toolgen.templates").joinpath(path).read_text("utf-8")
    return environment.from_string(text).render(**values)
