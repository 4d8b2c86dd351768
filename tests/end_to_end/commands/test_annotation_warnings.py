"""Warnings about annotations that contradict the rest of a spec."""

from __future__ import annotations

import pytest

from tests.end_to_end.project import Project

SPEC = """
name: wipe
description: Delete everything.
annotations: {%s}
input_schema: {type: object}
%s
"""


@pytest.mark.parametrize(
    ("annotations", "confirm", "code"),
    [
        ("destructiveHint: true", "", "destructive-unconfirmed"),
        (
            "destructiveHint: true",
            "confirm: {message: Sure?, on_unsupported: allow}",
            "destructive-unconfirmed",
        ),
        ("destructiveHint: true, readOnlyHint: true", "", "contradicting-annotations"),
        ("timeout: 5", "", "misplaced-annotation"),
    ],
)
def test_a_contradicting_annotation_is_a_warning(
    project: Project, annotations: str, confirm: str, code: str
) -> None:
    project.add_tool("wipe", SPEC % (annotations, confirm))
    done = project.toolgen("lint")
    assert done.returncode == 0
    assert f"warning[{code}]" in done.stdout
    assert "specs/wipe.yaml:" in done.stdout


@pytest.mark.parametrize("key", ["readonlyHint", "ReadOnlyHint", "readOnly", "read_only_hint"])
def test_a_misspelt_hint_is_an_error_of_check(project: Project, key: str) -> None:
    project.add_tool("wipe", SPEC % (f"{key}: true", ""))
    done = project.toolgen("check")
    assert done.returncode == 2
    assert "error[misspelt-annotation]" in done.stderr
    assert "did you mean 'readOnlyHint'?" in done.stderr


@pytest.mark.parametrize(
    ("annotations", "confirm"),
    [
        ("destructiveHint: true", "confirm: {message: Sure?}"),
        ("destructiveHint: true", "confirm: {message: Sure?, on_unsupported: two_step}"),
        ("destructiveHint: false", ""),
        ("readOnlyHint: true, destructiveHint: false, audience: [user], x-team: shop", ""),
    ],
)
def test_consistent_annotations_have_no_warning(project: Project, annotations: str, confirm: str) -> None:
    project.add_tool("wipe", SPEC % (annotations, confirm))
    done = project.toolgen("generate")
    assert done.returncode == 0
    assert "warning" not in done.stderr
