"""published-name-changed: a target publishes the tool under another name.

`targets.<target>.name` replaces the name for one target. Prompts, allow-lists and recorded calls of that
provider have the former one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.contract import Contract
from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.suggestions import quoted


def published_names(contract: Contract) -> dict[str, str]:
    """Return the names of the targets that publish the tool under a name of their own."""
    targets = contract.spec.targets
    names = [*type(targets).model_fields, *(targets.model_extra or {})]
    options = {name: contract.spec.options_of(name) for name in names}
    return {name: found.name for name, found in options.items() if found is not None and found.name}


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each target whose callers find the tool under another name than before."""
    old, new = published_names(pair.old), published_names(pair.new)
    answered = {pair.new.name, *pair.new.spec.aliases}
    for target in sorted({*old, *new}):
        before, after = old.get(target, pair.old.name), new.get(target, pair.new.name)
        is_tools_own = before == pair.old.name and after == pair.new.name
        if before != after and not is_tools_own and before not in answered:
            message = f"{target} publishes it as {quoted(after)}, and before as {quoted(before)}"
            yield ToolEdit(("targets", target, "name"), message, [before, after])


RULE: Final = ToolRule(
    code="published-name-changed",
    fields=frozenset({"targets"}),
    check=check,
    advice="keep the published name, or add the former one to `aliases`",
    category=Category.WIRE,
    level=Level.ERROR,
)
