"""`import --sync` recognises files of shared schemas as the compiler does."""

from __future__ import annotations

import json

from tests.end_to_end.project import Project

SHARED = """\
$defs:
  Supplier:
    type: object
    properties:
      name: {type: string}
"""


def _imported(project: Project, *more: str) -> tuple[int, str]:
    function = {"name": "find", "description": "Find it.", "parameters": {"type": "object"}}
    project.write("tools.json", json.dumps([{"type": "function", "function": function}]))
    done = project.toolgen("import", "openai", "tools.json", *more)
    return done.returncode, done.stderr


def test_sync_recognises_a_shared_file_with_a_property_called_name(project: Project) -> None:
    assert _imported(project)[0] == 0
    project.write("specs/shared/suppliers.yaml", SHARED)
    spec = project.root / "specs/find.yaml"
    spec.write_text(spec.read_text() + "output_schema: {$ref: 'shared/suppliers.yaml#/$defs/Supplier'}\n")
    spec.write_text(spec.read_text().replace("Find it.", "Find that."))
    code, said = _imported(project, "--sync")
    assert code == 0, said
    assert "Find that." in spec.read_text()  # a person's words stay
