"""`patch_yaml` inside of lists: only the items that differ change."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from toolgen.language.yaml12.patch import patch_yaml

TEXT = """\
name: a  # first
examples:
  # about one
  - name: one
    input: {x: 1}
    output: # a result
      why: 1
      z: [1, 2]  # both

  - {name: two, input: {}, output: 2}  # short
  # about three
  - name: three
    error: gone
last: 1
"""


def data() -> Any:
    return yaml.safe_load(TEXT)


def changed_lines(wanted: Any) -> list[str]:
    patched = patch_yaml(TEXT, wanted)
    assert yaml.safe_load(patched) == wanted
    assert list(yaml.safe_load(patched)["examples"][0]) == list(wanted["examples"][0])
    return [line for line in patched.splitlines() if line not in TEXT.splitlines()]


def test_a_value_inside_of_an_item_changes_its_line_only() -> None:
    wanted = data()
    wanted["examples"][0]["output"]["why"] = 7
    assert changed_lines(wanted) == ["      why: 7"]


def test_the_first_key_of_an_item_rewrites_that_item() -> None:
    wanted = data()
    wanted["examples"][2]["name"] = "third"
    assert changed_lines(wanted) == ["  - name: third"] or changed_lines(wanted) == [
        "  - {name: third, error: gone}"
    ]


def test_items_are_added_at_the_end() -> None:
    wanted = data()
    wanted["examples"].append({"name": "four", "input": {"x": [{"deep": "value"}]}})
    assert "- name: four" in "\n".join(changed_lines(wanted))
    assert patch_yaml(TEXT, wanted).splitlines()[-1] == "last: 1"


@pytest.mark.parametrize("drop", [0, 1, 2])
def test_a_list_that_gets_shorter_still_has_the_right_items(drop: int) -> None:
    wanted = data()
    del wanted["examples"][drop]
    assert yaml.safe_load(patch_yaml(TEXT, wanted)) == wanted
