"""Faults of toolgen itself, never of a spec: the command line answers them with exit code 3."""

from __future__ import annotations


class EngineBug(Exception):  # noqa: N818  a bug is more than an error
    """The model engine printed something that was not asked for."""


class TemplateBug(Exception):  # noqa: N818
    """A template failed, or printed what is no Python."""
