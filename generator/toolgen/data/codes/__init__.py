"""The catalogue of diagnostic codes: every word that a diagnostic can carry, and what it means."""

from __future__ import annotations

from toolgen.data.codes.advice import ADVICE
from toolgen.data.codes.code import Code
from toolgen.data.codes.implementations import IMPLEMENTATIONS
from toolgen.data.codes.language import LANGUAGE
from toolgen.data.codes.output import OUTPUT
from toolgen.data.codes.project import PROJECT
from toolgen.data.codes.promises import PROMISES
from toolgen.data.codes.references import REFERENCES
from toolgen.data.codes.schemas import SCHEMAS
from toolgen.data.codes.text import TEXT

__all__ = ["CODES", "Code"]

CODES: dict[str, Code] = {
    **TEXT,
    **LANGUAGE,
    **SCHEMAS,
    **REFERENCES,
    **PROMISES,
    **OUTPUT,
    **PROJECT,
    **IMPLEMENTATIONS,
    **ADVICE,
}
