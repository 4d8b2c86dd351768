"""Places of values in specs, which lint needs only of what it finds."""

from __future__ import annotations

from toolgen.language.reading.read import read

from tests.test_refused import CASES


def test_places_are_the_same_whether_they_are_computed_at_once_or_later() -> None:
    texts = {str(path): path.read_bytes() for path in sorted(CASES.glob("warned/*/case.yaml"))}
    for now, later in zip(read(texts, located=True), read(texts), strict=True):
        assert (dict(now.marks.keys), dict(now.marks.values)) == (
            dict(later.marks.keys),
            dict(later.marks.values),
        )
