"""Use contracts before they are implemented: toolkits of mock tools, made from specs."""

from toolgen.testing.mock.toolkit import mock_toolkit

__all__ = ["mock_toolkit"]
