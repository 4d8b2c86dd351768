"""Decide whether one schema accepts every JSON value that another accepts."""

from __future__ import annotations

from toolgen.schema.containment.check import check_containment
from toolgen.schema.containment.formulas import Effort
from toolgen.schema.containment.results import Contained, Containment, NotContained, Unanalysed

__all__ = ["Contained", "Containment", "Effort", "NotContained", "Unanalysed", "check_containment"]
