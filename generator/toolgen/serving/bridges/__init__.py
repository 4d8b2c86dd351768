"""Bridges from a toolkit to agent frameworks: LangChain, pydantic-ai, the OpenAI Agents SDK, FastMCP.

Importing this package imports none of them: each name is loaded, with its framework, when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.base import lazy_names

if TYPE_CHECKING:
    from .fastmcp import fastmcp_provider as fastmcp_provider
    from .langchain import langchain_tools as langchain_tools
    from .openai_agents import openai_agents_tools as openai_agents_tools
    from .openai_agents import stop_on_final_answer as stop_on_final_answer
    from .pydantic_ai import pydantic_ai_toolset as pydantic_ai_toolset
    from .shared import pending_question as pending_question

_HOMES = {
    "fastmcp": ("fastmcp_provider",),
    "langchain": ("langchain_tools",),
    "openai_agents": ("openai_agents_tools", "stop_on_final_answer"),
    "pydantic_ai": ("pydantic_ai_toolset",),
    "shared": ("pending_question",),
}
__all__ = [name for names in _HOMES.values() for name in names]  # pyright: ignore[reportUnsupportedDunderAll]

_FRAMEWORKS: Final = {
    "agents": ("the OpenAI Agents SDK", "openai-agents"),
    "fastmcp": ("FastMCP", "fastmcp"),
    "langchain_core": ("LangChain", "langchain"),
    "mcp": ("FastMCP", "fastmcp"),
    "mcp_types": ("FastMCP", "fastmcp"),
    "pydantic_ai": ("pydantic-ai", "pydantic-ai-slim"),
}
"""Module that may be missing → the framework that has it, and its package."""

_load = lazy_names(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    try:
        return _load(name)
    except ModuleNotFoundError as error:
        framework, package = _FRAMEWORKS.get((error.name or "").partition(".")[0], ("", ""))
        if not framework:
            raise
        message = f"this bridge needs {framework}: pip install {package}"
        raise ModuleNotFoundError(message, name=error.name) from error


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
