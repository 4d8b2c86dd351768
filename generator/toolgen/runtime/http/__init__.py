"""Tools that call an HTTP API, as `x-openapi` in the spec describes."""

from .tool import HttpTool

__all__ = ["HttpTool"]
