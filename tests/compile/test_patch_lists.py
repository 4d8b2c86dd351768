"""`patch_yaml` inside of lists: only the items that differ change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from toolgen.language.yaml12.patch import patch_yaml

TEXT = Path(__file__).with_name("patch_lists.yaml").read_text("utf-8")


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


def test_another_key_in_an_item() -> None:
    wanted = data()
    del wanted["examples"][2]["error"]
    wanted["examples"][2]["output"] = "text"
    assert changed_lines(wanted) == ["    output: text"]


def test_an_item_in_flow_style_is_rewritten_alone() -> None:
    wanted = data()
    wanted["examples"][1]["output"] = 3
    added = changed_lines(wanted)
    assert len(added) <= 3
    assert "# about three" in patch_yaml(TEXT, wanted)


def test_items_are_added_at_the_end() -> None:
    wanted = data()
    wanted["examples"].append({"name": "four", "input": {"x": [{"deep": "value"}]}})
    assert "- name: four" in "\n".join(changed_lines(wanted))
    assert patch_yaml(TEXT, wanted).splitlines()[-1] == "last: 1"
