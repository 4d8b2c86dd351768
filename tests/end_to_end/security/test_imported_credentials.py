"""An imported document cannot choose which secrets of the environment are sent, or to which host."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml

from tests.end_to_end.project import Project


def document(title: str, scheme: str, server: str = "https://api.example.com", **more: Any) -> str:
    """Return an OpenAPI document with one operation and one bearer token or API key."""
    return json.dumps(
        {
            "openapi": "3.1.0",
            "info": {"title": title, "version": "1"},
            "servers": [{"url": server}] if server else [],
            "paths": {
                "/things": {"get": {"operationId": "list_things", "responses": {"200": {"description": "x"}}}}
            },
            "security": [{}, {scheme: []}],
            "components": {"securitySchemes": {scheme: {"type": "apiKey", "in": "header", "name": "X-Key"}}},
            **more,
        }
    )


def imported(project: Project, text: str, *words: str) -> Any:
    (project.root / "api.json").write_text(text)
    return project.toolgen("import", "openapi", "api.json", *words)


def call_of(project: Project, name: str = "list_things") -> dict[str, Any]:
    spec: dict[str, Any] = yaml.safe_load((project.root / f"specs/{name}.yaml").read_text())
    return dict(spec["x-openapi"])


@pytest.mark.parametrize(
    ("title", "scheme"),
    [("AWS API", "SecretAccessKey"), ("", "aws_secret_access_key"), ("TOOLGEN", "confirmation_key")],
)
def test_variables_begin_with_the_projects_name(project: Project, title: str, scheme: str) -> None:
    project.write("pyproject.toml", "[project]\nname = 'my-shop'\n")
    done = imported(project, document(title, scheme))
    assert done.returncode == 0, done.stderr
    call = call_of(project)
    assert call["base_url"].startswith("MY_SHOP_")
    assert [each["secret"].startswith("MY_SHOP_") for each in call["security"]] == [True]


def test_every_variable_and_its_host_is_printed_and_written(project: Project) -> None:
    done = imported(project, document("Pets", "key"), "--env-prefix", "SHOP")
    assert (
        "secret SHOP_PETS_KEY: sent to https://api.example.com, or to the URL in SHOP_PETS_BASE_URL"
        in done.stderr
    )
    assert call_of(project)["security"][0]["sent_to"] == "https://api.example.com"
    done = imported(
        project, document("Elsewhere", "key", server=""), "--env-prefix", "SHOP", "--into", "specs/more"
    )
    assert "secret SHOP_ELSEWHERE_KEY: sent to the URL in SHOP_ELSEWHERE_BASE_URL" in done.stderr


def test_an_operation_with_a_server_of_its_own_is_printed_too(project: Project) -> None:
    given = json.loads(document("Pets", "key"))
    given["paths"]["/other"] = {
        "get": {"servers": [{"url": "https://evil.example"}], "responses": {"200": {"description": "x"}}}
    }
    done = imported(project, json.dumps(given), "--env-prefix", "SHOP")
    assert re.findall(r"SHOP_PETS_KEY: sent to (\S+),", done.stderr) == [
        "https://api.example.com",
        "https://evil.example",
    ]


def test_an_unencrypted_host_is_named(project: Project) -> None:
    done = imported(project, document("Pets", "key", server="http://api.example.com"))
    assert "http://api.example.com is not encrypted" in done.stderr


@pytest.mark.parametrize(
    "prefix", ["AWS", "GITHUB", "OPENAI", "ANTHROPIC", "GOOGLE", "AZURE", "GH", "TOOLGEN"]
)
def test_well_known_credentials_are_refused(project: Project, prefix: str) -> None:
    done = imported(project, document("Pets", "token"), "--env-prefix", prefix)
    assert done.returncode == 2
    name = f"{prefix}_PETS_TOKEN"
    assert f"--allow-variable {name}" in done.stderr
    assert not (project.root / "specs/list_things.yaml").exists()
    done = imported(project, document("Pets", "token"), "--env-prefix", prefix, "--allow-variable", name)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["aws", "github-tools", "9lives", "...", "é"])
def test_a_project_name_that_cannot_be_a_prefix_is_replaced(project: Project, name: str) -> None:
    project.write("pyproject.toml", f"[project]\nname = '{name}'\n")
    done = imported(project, document("Pets", "token"))
    assert done.returncode == 0, done.stderr
    assert call_of(project)["base_url"].startswith("APP")


@pytest.mark.parametrize("server", ["https://evil.example", "", "https://api.example.com:8443"])
def test_a_second_document_does_not_get_the_secret_of_the_first(project: Project, server: str) -> None:
    assert imported(project, document("Pets", "key")).returncode == 0
    second = document("Pets", "key", server=server).replace("list_things", "steal")
    done = imported(project, second)
    assert done.returncode == 2
    assert "choose another --env-prefix, or allow it with --allow-variable" in done.stderr
    assert not (project.root / "specs/steal.yaml").exists()
    name = call_of(project)["security"][0]["secret"]
    assert imported(project, second, "--allow-variable", name).returncode == 0


def test_sync_does_not_take_a_secret_to_another_host(project: Project) -> None:
    assert imported(project, document("Pets", "key")).returncode == 0
    before = call_of(project)
    assert imported(project, document("Pets", "key", server="https://evil.example"), "--sync").returncode == 2
    assert call_of(project) == before


def test_sync_keeps_the_names_of_variables(project: Project) -> None:
    """This includes the names of earlier versions, which began with the document's title only."""
    assert imported(project, document("Pets", "key")).returncode == 0
    spec = project.root / "specs/list_things.yaml"
    prefix = call_of(project)["base_url"].removesuffix("_PETS_BASE_URL")
    old = re.sub(r"\n *sent_to: .*", "", spec.read_text().replace(f"{prefix}_PETS", "PETS"))
    spec.write_text(old)
    renamed = document("Pets of today", "key").replace("list_things", "list_things")
    done = imported(project, renamed, "--sync")
    assert done.returncode == 0, done.stderr
    assert call_of(project)["base_url"] == "PETS_BASE_URL"
    assert call_of(project)["security"][0]["secret"] == "PETS_KEY"
