"""The blocks that a tool's results may hold: declared in its spec, checked in every result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toolgen.runtime.content.block import Block
from toolgen.runtime.content.values import BlockType

if TYPE_CHECKING:
    from toolgen.runtime.definition.tool_definition import Fields, ToolDefinition


@dataclass(frozen=True, slots=True)
class ContentContract:
    """The field `content` of a tool, prepared for calls."""

    rules: Sequence[Fields] | None  # the entries of `content`; None: any blocks

    def media_types(self, kind: BlockType) -> tuple[str, ...]:
        """Return the media types that the rules for a type of block name."""
        rules = [rule for rule in self.rules or () if rule["type"] == kind]
        # one rule allows every type: naming those of the others would exclude some
        if any(not rule.get("media_types") for rule in rules):
            return ()
        return tuple(each for rule in rules for each in rule["media_types"])

    def annotated(self, block: Block) -> Block:
        """Return a block with the audience and priority of its rule, where it has none of its own."""
        index = self.rule_of(block)
        if self.rules is None or index is None:
            return block
        rule = self.rules[index]
        audience = block.audience or tuple(rule.get("audience", ()))
        priority = rule.get("priority") if block.priority is None else block.priority
        if (audience, priority) == (block.audience, block.priority):
            return block
        return replace(block, audience=audience, priority=priority)

    def rule_of(self, block: Block) -> int | None:
        """Return the index of the first rule for a block; None if there is none."""
        for index, rule in enumerate(self.rules or ()):
            if rule["type"] == block.type and _allows(rule, block.media_type):
                return index
        return None


class BlockCheck:
    """Checks the blocks of one result, one by one. Faults are sentences without values."""

    def __init__(self, contract: ContentContract) -> None:
        self._contract = contract
        self._blocks = 0
        self._counts: Counter[int] = Counter()  # by the index of a rule

    def add(self, block: Block) -> str | None:
        """Return what breaks the contract about the next block; None if nothing does."""
        subject = f"content[{self._blocks}]"
        self._blocks += 1
        rules = self._contract.rules
        if rules is None:
            return None
        index = self._contract.rule_of(block)
        if index is None:
            return f"{subject}: {_shown(block)} is not declared"
        rule = rules[index]
        self._counts[index] += 1
        # once, at the first block too many
        if "max" in rule and self._counts[index] == rule["max"] + 1:
            return f"{subject}: expected at most {rule['max']} of {_described(rule)}"
        most = rule.get("max_bytes")
        if most is not None and block.type != "link" and len(block.data) > most:
            return f"{subject}: {_shown(block)} has {len(block.data):,} bytes, max_bytes is {most:,}"
        return None

    def missing(self) -> list[str]:
        """Return what a result lacks that has no more blocks."""
        return [
            f"content: expected at least {rule['min']} of {_described(rule)}, got {self._counts[index]}"
            for index, rule in enumerate(self._contract.rules or ())
            if self._counts[index] < rule.get("min", 0)
        ]


def declares_blocks(definition: Mapping[str, object]) -> bool:
    """True if a contract lists the blocks of its results, and does not just allow any."""
    return isinstance(definition.get("content"), list | tuple)


def content_contract(definition: ToolDefinition) -> ContentContract | None:
    """Return the contract for a tool's blocks; None if its results have no blocks."""
    declared = definition.get("content")
    if not declared:
        return None
    return ContentContract(None if isinstance(declared, str) else declared)


def _allows(rule: Fields, media_type: str | None) -> bool:
    """True if the rule is for blocks of this media type. A link may leave it open."""
    allowed = rule.get("media_types")
    if not allowed or media_type is None:
        return True
    return media_type in allowed or f"{media_type.partition('/')[0]}/*" in allowed


def _described(rule: Fields) -> str:
    allowed = rule.get("media_types")
    return f"{rule['type']} ({' or '.join(allowed)})" if allowed else str(rule["type"])


def _shown(block: Block) -> str:
    return block.type if block.media_type is None else f"{block.type} ({block.media_type})"
