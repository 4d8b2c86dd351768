"""Findings about the schemas of one tool: edits, judged by comparison, named by rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from toolgen.changes.contract import CHUNK, REQUEST, RESPONSE, SCHEMA_PATHS, SharedPlace
from toolgen.changes.edit_space import Direction
from toolgen.changes.finding import Cause, Finding, Level, Places, Witness
from toolgen.changes.rule import Rule, SchemaRule, ToolPair
from toolgen.changes.schemas.edits import ABSENT, SchemaEdit
from toolgen.changes.schemas.judging import (
    TOO_MANY,
    JudgedEdit,
    JudgedSchemas,
    judge_schemas,
    work_of_comparison,
)
from toolgen.changes.schemas.wording import describe
from toolgen.changes.table import RULES, SCHEMA_RULES
from toolgen.proof.containment import (
    Contained,
    Containment,
    NotContained,
    Unanalysed,
    check_containment,
)
from toolgen.schema.document import JsonPath, SchemaDocument, plain_pointer, same_value

DIRECTIONS: Final = {REQUEST: Direction.REQUEST, RESPONSE: Direction.RESPONSE, CHUNK: Direction.RESPONSE}
_NOUNS: Final = {REQUEST: "request", RESPONSE: "response", CHUNK: "chunk"}


def schema_findings(pair: ToolPair) -> Iterator[Finding]:
    """Yield the findings about the request, the response and the chunks of a tool."""
    for name in DIRECTIONS:
        if not pair.knows(str(SCHEMA_PATHS[name][0])):
            continue
        old, new = pair.old.documents.get(name), pair.new.documents.get(name)
        schemas = _Schemas(pair, name)
        yield from schemas.repaired()
        if old is None or new is None:
            if name == RESPONSE and old is not new:  # of chunks: `stream-changed`; requests always have one
                yield from schemas.presence(old, new)
        elif not same_value(old.schema, new.schema):
            judged = judge_schemas(old, new, DIRECTIONS[name], pair.work)
            yield from schemas.edits(judged)
            yield from schemas.for_implementation(old, new, judged)


@dataclass(frozen=True, slots=True)
class _Schemas:
    """The versions of one schema of a tool."""

    pair: ToolPair
    name: str

    @property
    def start(self) -> JsonPath:
        return SCHEMA_PATHS[self.name]

    @property
    def direction(self) -> Direction:
        return DIRECTIONS[self.name]

    def edits(self, judged: JudgedSchemas) -> Iterator[Finding]:
        """Yield a finding for each edit that a rule claims, and one for the whole if no edit explains it."""
        for each in judged.edits:
            rule = SCHEMA_RULES.get((each.edit.cell_keyword, each.edit.edit))
            if each.verdict is TOO_MANY:
                continue
            if isinstance(each.verdict, Unanalysed):
                rest = f"; undecided: {each.verdict.reason}"
                yield self._of_edit(each.edit, RULES["unanalysed"], rest=rest)
            elif rule is not None:
                yield self._edit(each, rule)
        if left := sum(each.verdict is TOO_MANY for each in judged.edits):
            message = f"{left:,} more edits of the {_NOUNS[self.name]} are not judged one by one"
            yield self._whole("unanalysed", message, detail="edits", judged=judged)
        if judged.is_explained:
            return
        if isinstance(judged.whole, NotContained):
            message = f"edits of the {_NOUNS[self.name]} break together"
            witness = self._witness(judged.whole)
            yield self._whole("schema-changed", message, witness, judged=judged)
        elif isinstance(judged.whole, Unanalysed):
            message = f"the {_NOUNS[self.name]} could not be compared: {judged.whole.reason}"
            yield self._whole("unanalysed", message, judged=judged)

    def repaired(self) -> Iterator[Finding]:
        """Yield a finding if a schema was not valid: a repair may mean something else than its author did."""
        for contract in (self.pair.old, self.pair.new):
            if repair := contract.repairs.get(self.name):
                message = (
                    f"the schema of {_NOUNS[self.name]}s was not valid, and is compared as repaired: {repair}"
                )
                yield self._whole("unanalysed", message, detail="repaired")
                return

    def _edit(self, each: JudgedEdit, rule: SchemaRule) -> Finding:
        breaks = isinstance(each.verdict, NotContained)
        return self._of_edit(
            each.edit,
            rule,
            level=None if breaks else rule.levels[self.direction],
            witness=self._witness(each.verdict),
        )

    def _of_edit(
        self,
        edit: SchemaEdit,
        rule: Rule,
        *,
        level: Level | None = None,
        witness: Witness | None = None,
        rest: str = "",
    ) -> Finding:
        """Return a finding about one edit; `rest` follows the description of it."""
        return rule.finding(
            self.pair.new.name,
            plain_pointer((*self.start, *edit.at)),
            f"{_NOUNS[self.name]}: {describe(edit)}{rest}",
            self._places(edit),
            level=level,
            direction=self.direction,
            witness=witness,
            detail=_detail(edit),
            cause=self._cause(edit, rest),
        )

    def _whole(
        self,
        code: str,
        message: str,
        witness: Witness | None = None,
        *,
        detail: Any = None,
        judged: JudgedSchemas | None = None,
    ) -> Finding:
        """Return a finding about the whole schema, because of all edits of `judged`, if any."""
        return RULES[code].finding(
            self.pair.new.name,
            plain_pointer(self.start),
            message,
            Places(self.pair.new.place(*self.start), self.pair.old.place(*self.start)),
            direction=self.direction,
            witness=witness,
            detail=detail,
            cause=None if judged is None else self._common_cause(judged, message),
        )

    def _cause(self, edit: SchemaEdit, rest: str) -> Cause | None:
        """Return the edit as one of a shared file, where it was made in one."""
        found = self._shared_place(edit)
        if found is None:
            return None
        # words name the definition as they name a property
        named = replace(edit, at=("properties", *found.path[1:]))
        return Cause(found.pointer, f"{_NOUNS[self.name]}: {describe(named)}{rest}")

    def _shared_place(self, edit: SchemaEdit) -> SharedPlace | None:
        end = (edit.keyword, *edit.entry)
        new = self.pair.new.places.shared((*self.start, *edit.new, *end))
        return new or self.pair.old.places.shared((*self.start, *edit.old, *end))

    def _common_cause(self, judged: JudgedSchemas, message: str) -> Cause | None:
        """Return the cause of a finding about the whole schema, if shared files have all edits that count."""
        places = [self._shared_place(each.edit) for each in judged.edits if each.verdict is not None]
        found = sorted({place.pointer for place in places if place is not None})
        return Cause(" ".join(found), message) if found and None not in places else None

    def _places(self, edit: SchemaEdit) -> Places:
        new, old = self.pair.new.places, self.pair.old.places
        end = (edit.keyword, *edit.entry)
        return Places(new.key((*self.start, *edit.new, *end)), old.key((*self.start, *edit.old, *end)))

    def _witness(self, verdict: Containment | None) -> Witness | None:
        """Return the value that shows a break of callers."""
        if not isinstance(verdict, NotContained):
            return None
        return Witness(verdict.witness, "old" if self.direction is Direction.REQUEST else "new")

    def for_implementation(
        self, old: SchemaDocument, new: SchemaDocument, judged: JudgedSchemas
    ) -> Iterator[Finding]:
        """Yield a finding if implementations may receive new requests, or may not return old responses."""
        if all(each.verdict is None for each in judged.edits):
            return  # only annotations changed
        # The other way round than for callers: an implementation receives requests, and sends responses.
        is_request = self.direction is Direction.REQUEST
        narrow, wide = (new, old) if is_request else (old, new)
        found = check_containment(narrow, wide, effort=work_of_comparison(self.pair.work))
        if not isinstance(found, NotContained):
            return
        code = "request-widened" if is_request else "response-narrowed"
        noun = _NOUNS[self.name]
        what = "accepted that were refused" if is_request else "refused that were allowed"
        witness = Witness(found.witness, "new" if is_request else "old")
        yield self._whole(code, f"{noun}s are {what}", witness, judged=judged)

    def presence(self, old: SchemaDocument | None, new: SchemaDocument | None) -> Iterator[Finding]:
        """Yield a finding if the schema of responses was added or removed: without one, all are valid."""
        if new is None and old is not None:
            found = check_containment(True, old, effort=work_of_comparison(self.pair.work))
            if isinstance(found, Contained):
                return
            message = "responses no longer have a schema"
            yield self._whole("response-schema-removed", message, self._witness(found))
        else:
            yield self._whole("response-schema-added", "responses now have a schema")


def _detail(edit: SchemaEdit) -> Any:
    """Return what tells the edit apart from others at its place."""
    return [edit.edit.value, *(None if value is ABSENT else value for value in (edit.before, edit.after))]
