"""Use contracts before they are implemented, and prove that implementations keep them.

Names are imported on first access: tests of implementations need no compiler.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolgen.testing.mock.toolkit import mock_toolkit

__all__ = ["mock_toolkit"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module("toolgen.testing.mock.toolkit"), name)
    except ModuleNotFoundError as error:
        if error.name != "yaml":
            raise
        message = "specs are read by toolgen[cli]: pip install 'toolgen[cli]'"
        raise ModuleNotFoundError(message, name=error.name) from error
