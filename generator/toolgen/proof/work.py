"""A count of work, so that every search ends, and in the same way on every machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


class BudgetSpentError(Exception):
    """More work was done than the budget has."""


@dataclass(slots=True)
class WorkBudget:
    """Work that may still be done: steps of a search, or formulas, values and parts that are looked at.

    What goes beyond the `share` is also taken from the `run`, which several budgets may have together.
    """

    left: int
    run: WorkBudget | None = None
    share: int = 0

    def spend(self, count: int = 1) -> None:
        """Count work. Raises `BudgetSpentError` if there is not so much left."""
        self.left -= count
        if self.left < 0:
            raise BudgetSpentError
        if self.run is not None:
            self.share -= count
            if self.share < 0:
                beyond, self.share = -self.share, 0
                self.run.spend(beyond)

    @property
    def is_spent(self) -> bool:
        """True if nothing is left, here or in the whole run."""
        return self.left < 0 or (self.run is not None and self.run.is_spent)

    @property
    def reason(self) -> str:
        """Return why a comparison was not finished."""
        if self.run is not None and self.run.is_spent:
            return "all comparisons of this run have taken as much work as they may"
        return "the schemas are too complex to compare"


COMPARISON_STEPS: Final = 20_000
"""Goals, branches and parts of values that one comparison looks at."""
COMPARISON_EFFORT: Final = 700_000
"""Parts of the schemas, and formulas that one comparison looks at."""
