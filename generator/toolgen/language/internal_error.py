"""Internal errors: bugs of toolgen itself, never errors of a spec. Exit code 3."""

from __future__ import annotations


class TemplateBug(Exception):  # noqa: N818  a bug is more than an error
    """A template failed, or its output is not valid Python."""
