"""Templates of a project run in a sandbox."""

from __future__ import annotations

import pytest

from tests.end_to_end.project import Project

ESCAPES = [
    "{{ cycler.__init__.__globals__.os.popen('touch canary').read() }}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ self._TemplateReference__context.environment }}",
    "{{ ('{0.__init__.__globals__}').format(cycler) }}",
    "{{ model|attr('__class__') }}",
    "{{ model.tools[0].definition.update({'name': 'x'}) }}",
    "{{ literal.__globals__ }}",
    "{% include '/etc/passwd' %}",
]


def template(project: Project, text: str) -> None:
    """Add a target with one template to the project."""
    project.write("mine/own/target.yaml", "tool_name: ^.+$\n")
    (project.root / "mine/own/bad.txt.jinja").write_text(f"first\n{text}\n")
    project.write("toolgen.toml", 'templates = "mine"\n')


@pytest.mark.parametrize(
    "text",
    [pytest.param(text, marks=pytest.mark.slow if number % 2 else ()) for number, text in enumerate(ESCAPES)],
)
def test_a_template_can_only_access_its_data(project: Project, text: str) -> None:
    template(project, text)
    done = project.toolgen("check")
    assert done.returncode == 2, done.stderr
    assert "mine/own/bad.txt.jinja:2:1: error[bad-template]" in done.stderr
    assert not (project.root / "canary").exists()


@pytest.mark.parametrize(
    "text",
    ["{{ 1 / 0 }}", "{{ nothing }}", "{% if %}", "{% for a in range(10**9) %}{% endfor %}"],
)
def test_an_error_in_a_template_is_reported_at_its_line(project: Project, text: str) -> None:
    template(project, text)
    done = project.toolgen("check")
    assert done.returncode == 2
    assert "mine/own/bad.txt.jinja:2:1: error[bad-template]" in done.stderr


def test_templates_outside_the_project_are_not_read_through_links(project: Project) -> None:
    secret = project.root.parent / "secret.txt"
    secret.write_text("hidden words")
    template(project, "fine")
    (project.root / "mine/own/link.txt.jinja").symlink_to(secret)
    done = project.toolgen("generate")
    assert done.returncode == 2
    assert "error[bad-template]" in done.stderr
    assert "hidden words" not in done.stdout + done.stderr
    assert not (project.root / "generated").exists()


def test_a_folder_of_templates_that_contains_itself_is_refused(project: Project) -> None:
    template(project, "fine")
    (project.root / "mine/own/again").symlink_to(project.root / "mine/own")
    done = project.toolgen("check")
    assert done.returncode == 2
    assert "error[bad-template]" in done.stderr
