"""compare: differences between generated files and files on disk, and who changed them."""

from __future__ import annotations

from toolgen.compile.output_changes import digest, find_changes
from toolgen.language.changes import Change, ChangeKind
from toolgen.language.manifest import GeneratedFile, Manifest


def manifest(**texts: str) -> Manifest:
    return Manifest(outputs={path: GeneratedFile(digest(text)) for path, text in texts.items()})


def test_identical_files_give_no_change() -> None:
    assert find_changes({"a": "1"}, {"a": "1"}, manifest(a="1")) == ()
    assert find_changes({"a": "1"}, {"a": "1"}, Manifest()) == ()


def test_changed_specs_give_a_changed_file() -> None:
    assert find_changes({"a": "2"}, {"a": "1"}, manifest(a="1")) == (
        Change(ChangeKind.CHANGED, "a", "1", "2"),
    )


def test_an_edited_file_is_reported_as_edited() -> None:
    assert find_changes({"a": "1"}, {"a": "x"}, manifest(a="1")) == (
        Change(ChangeKind.EDITED, "a", "x", "1"),
    )


def test_unknown_to_the_manifest_counts_as_edited() -> None:
    assert find_changes({"a": "1"}, {"a": "x"}, Manifest()) == (Change(ChangeKind.EDITED, "a", "x", "1"),)


def test_edited_to_what_the_specs_now_say_is_no_difference() -> None:
    assert find_changes({"a": "2"}, {"a": "2"}, manifest(a="1")) == ()


def test_missing_and_extra() -> None:
    assert find_changes({"a": "1"}, {"b": "2"}, manifest(a="1", b="2")) == (
        Change(ChangeKind.MISSING, "a", None, "1"),
        Change(ChangeKind.EXTRA, "b", "2", None),
    )


def test_edited_and_no_longer_generated() -> None:
    assert find_changes({}, {"b": "mine"}, manifest(b="2")) == (Change(ChangeKind.EDITED, "b", "mine", None),)


def test_gone_and_no_longer_generated_is_no_difference() -> None:
    assert find_changes({}, {}, manifest(b="2")) == ()


def test_bytes_that_are_not_text_are_compared_as_they_are() -> None:
    odd = b"\xff\xfe".decode("utf-8", "surrogateescape")
    assert find_changes({"a": "1"}, {"a": odd}, manifest(a="1"))[0].kind is ChangeKind.EDITED
