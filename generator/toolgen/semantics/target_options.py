"""Check the options of targets: some are not taken together by the provider."""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.data.diagnostic import Diagnostic
from toolgen.data.source import Source
from toolgen.data.spec import Spec
from toolgen.targets.options import AnthropicOptions


def check_target_options(spec: Spec, source: Source) -> Iterator[Diagnostic]:
    """Yield a fault for each option that its provider refuses beside another field."""
    anthropic = spec.options_of("anthropic")
    if (
        spec.load == "deferred"
        and isinstance(anthropic, AnthropicOptions)
        and anthropic.cache_control is not None
    ):
        # the API's error: github.com/Wei-Shaw/sub2api/issues/4990; 2026-07
        yield Diagnostic(
            source.key(("targets", "anthropic", "cache_control")),
            "conflicting-options",
            "Anthropic refuses cache_control for a tool with `load: deferred`",
            "set it for the last tool that is always loaded",
        )
