"""Tools that are operations of an HTTP API: what `x-openapi` in a spec says is what is sent."""

from __future__ import annotations

from .tool import HttpTool

__all__ = ["HttpTool"]
