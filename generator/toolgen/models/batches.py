"""Which modules the engine may print in one run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toolgen.models.shape import Class
from toolgen.models.unions import named_in

_MOST = 16  # modules; more save nothing


def batches(modules: Sequence[Mapping[str, Class]]) -> Iterator[list[int]]:
    """Every position in `modules` once, in groups.

    A module whose classes refer to one another in a circle is alone: the engine's order of classes is then no
    longer a matter of each module by itself.
    """
    batch: list[int] = []
    for index, module in enumerate(modules):
        if _is_circular(module):
            yield [index]
            continue
        if len(batch) == _MOST:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _is_circular(module: Mapping[str, Class]) -> bool:
    waiting = {name: set(named_in(made.shape)) & module.keys() for name, made in module.items()}
    while waiting:
        free = {name for name, needed in waiting.items() if not needed & waiting.keys()}
        if not free:
            return True
        waiting = {name: needed for name, needed in waiting.items() if name not in free}
    return False
