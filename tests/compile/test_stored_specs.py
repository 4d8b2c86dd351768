"""Compiled specs in a cache: one index, and packs with the code."""

from __future__ import annotations

from toolgen.compile.stored_specs import StoredSpecs


def test_specs_are_found_by_another_run() -> None:
    cache: dict[str, bytes] = {}
    specs = StoredSpecs(cache, "options")
    specs.add({"one": (b"head of one", b"code of one"), "two": (b"head of two", b"\ncode\n")})
    specs.save(["one", "two"])
    again = StoredSpecs(cache, "options")
    found = again.get("two")
    assert found is not None
    assert (found.head, again.code(found)) == (b"head of two", b"\ncode\n")
    assert StoredSpecs(cache, "other options").get("two") is None


def test_a_damaged_pack_has_no_code() -> None:
    cache: dict[str, bytes] = {}
    specs = StoredSpecs(cache, "options")
    specs.add({"one": (b"head", b"code")})
    specs.save(["one"])
    pack = next(key for key in cache if key.startswith("pack"))
    cache[pack] = b"kode"
    again = StoredSpecs(cache, "options")
    found = again.get("one")
    assert found is not None
    assert again.code(found) is None


def test_the_index_forgets_what_specs_were_long_ago() -> None:
    cache: dict[str, bytes] = {}
    for edit in range(1_200):
        specs = StoredSpecs(cache, "options")
        specs.add({f"edit{edit}": (b"head", b"code")})
        specs.save([f"edit{edit}"])
    last = StoredSpecs(cache, "options")
    assert [last.get(f"edit{edit}") is not None for edit in (0, 690, 710, 1_199)] == [
        False,
        False,
        True,
        True,
    ]
