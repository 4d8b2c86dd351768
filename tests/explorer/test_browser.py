"""The page of `toolgen docs` in Chromium: accessible, safe, usable by keyboard, and true to what is typed."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from toolgen.cli.today import today
from toolgen.documents.catalogue import ProjectCatalogue

from tests import npm
from tests.documenting.test_pictures import shown_in_pictures
from tests.end_to_end.calls.test_elicitation import SPEC, TOOL
from tests.end_to_end.project import Project, token_of
from tests.explorer.pages_for_tests import (
    as_shown,
    document_of,
    hostile_document,
    write_page,
)
from tests.samples import load_beside
from tools.fuzz.strings import FIXED

pytestmark = pytest.mark.browser

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
DRIVER = str(HERE / "type_request.js")
PACKAGES = ROOT / ".conformance"
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PICTURES = os.environ.get("TOOLGEN_PICTURES", "")  # a folder: write the pictures of the documentation into it
OF_HTML = [
    "<img src=x onerror=globalThis.toolgen_canary=1>",
    '"><script>globalThis.toolgen_canary=1</script>',
    "javascript:globalThis.toolgen_canary=1",
    "</script><script>globalThis.toolgen_canary=1</script>",
    "<svg onload=globalThis.toolgen_canary=1>",
    "'onfocus=globalThis.toolgen_canary=1 autofocus='",
    "__proto__",
    "constructor",
    "toString",
]

FILES = [
    {
        "type": "resource",
        "resource": {"uri": "file:///notes.txt", "mimeType": "text/plain", "text": "Buy milk."},
    },
    {
        "type": "resource",
        "resource": {"uri": "file:///a.zip", "mimeType": "application/zip", "blob": "UEsDBA=="},
    },
]
TREE = Path(__file__).with_name("browser.yaml").read_text("utf-8")
MONEY = "$defs:\n  Money: {type: string, description: An amount in cents.}\n"


@pytest.fixture(scope="session")
def path() -> str:
    assert BROWSER, "install Chromium first: apt-get install chromium"
    found = npm.node_path(PACKAGES, (20, 0))
    npm.install(PACKAGES, "playwright-core@1.65.1", "axe-core@4.14.0", path=found)
    return found


Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run(path: str, tmp_path: Path) -> Run:
    """Run a scenario of browser.mjs; fail for requests to other servers and for errors of scripts."""

    def run(scenario: str, seconds: int = 300, **asked: Any) -> dict[str, Any]:
        pictures = str(Path(PICTURES).resolve()) if PICTURES else ""
        file = tmp_path / "asked.json"
        file.write_text(json.dumps({"browser": BROWSER, "pictures": pictures, **asked}))
        done = subprocess.run(
            ["node", str(HERE / "browser.mjs"), scenario, str(file)],
            cwd=PACKAGES,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            timeout=seconds,
        )
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        assert found.pop("faults") == []
        return found

    return run


@contextmanager
def served(project: Path, *options: str) -> Iterator[tuple[str, int]]:
    """Serve the page of a project; give its address, with the token, and the process."""
    process = subprocess.Popen(
        [sys.executable, "-m", "toolgen", *options, "--port", "0"],
        cwd=project,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        lines = []
        for line in process.stderr:
            lines.append(line)
            if line.startswith("open "):
                yield line.removeprefix("open ").strip(), process.pid
                break
        else:
            pytest.fail("".join(lines))
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(20)


def typed(run: Run, folder: Path, document: dict[str, Any], requests: Mapping[str, Any]) -> dict[str, Any]:
    """Type requests through the forms of a page."""
    pages = [{"url": write_page(folder / "page", document), "requests": requests}]
    return run("typed", driver=DRIVER, pages=pages)


@pytest.fixture(scope="session")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_page(tmp_path_factory.mktemp("gallery") / "page", ProjectCatalogue(str(ROOT)).read())


def test_every_view_of_the_gallery_is_accessible_in_both_themes_and_on_a_phone(
    run: Run, tmp_path: Path
) -> None:
    changed = tmp_path / "changed"
    shutil.copytree(ROOT / "specs", changed / "specs")
    shutil.copyfile(ROOT / "toolgen.toml", changed / "toolgen.toml")
    spec = changed / "specs/echo.yaml"
    spec.write_text(spec.read_text().replace("maxLength: 100000", "maxLength: 100"))
    catalogue = ProjectCatalogue(str(changed))
    catalogue.compare(str(ROOT / "specs"), today())
    document = catalogue.read()
    assert document["changes"]
    names = ["create_purchase_order", "echo", "stock_chart", "stream_lines"]
    schemas = [each["id"] for file in document["shared"] for each in file["schemas"]]
    views = [
        "#",
        "#changes",
        "#nothing",
        *(f"#tool/{name}" for name in names),
        f"#schema/{quote(schemas[0], safe='')}",
    ]
    found = run("views", url=write_page(tmp_path / "page", document), views=views)
    assert found["found"] == []


def test_tools_are_found_in_the_sidebar_and_beside_it(run: Run, gallery: str) -> None:
    found = run(
        "finds",
        url=gallery,
        queries=["search", "expected_on", "zeppelin", "refnud"],
        tool="create_purchase_order",
    )
    assert "purchasing 4" in found["groups"]
    assert found["groups"][-1].startswith("Shared schemas")
    for each in found["found"].values():
        assert each["sidebar"] == each["content"]
    assert found["found"]["search"]["content"][0] == "search"  # the name as it is written comes first
    assert found["found"]["expected_on"]["content"] == ["create_purchase_order", "sql_query"]
    assert found["found"]["expected_on"]["parameters"] == ["expected_on", ""]
    assert found["found"]["zeppelin"]["content"] == []
    assert found["found"]["refnud"]["content"] == ["refund_order"]
    assert found["tagged"] == found["stays"] == found["back"]
    assert "create_purchase_order" in found["tagged"]
    assert found["before"] == []
    assert len(found["after"]) == 1  # what is still missing is no fault


def test_texts_of_strangers_are_shown_as_text(run: Run, tmp_path: Path) -> None:
    texts = [text for text in (*OF_HTML, *FIXED) if text.strip()]
    url = write_page(tmp_path / "page", hostile_document(texts))
    tools = [
        {
            "name": f"tool{number}",
            "text": as_shown(text).replace("\r", "\\u000d"),
            "raw": text,
            "times": 20,
        }
        for number, text in enumerate(texts)
    ]
    found = run("hostile", url=url, tools=tools, seconds=1200)
    assert found["tried"] == len(texts)
    assert found["wrong"] == []


def test_a_tool_is_found_called_and_confirmed_by_keyboard_alone(run: Run) -> None:
    with served(ROOT, "dev") as (url, _):
        found = run("keyboard", url=url)
    heading, question, safe, answer = found["path"]
    assert heading == "Create purchase order"
    assert question == "Create purchase order asks for your consent"
    assert safe == "No"
    assert answer.startswith("The tool answered.")
    assert found["places"] == [
        "the dialog"
    ]  # the focus stays in it, and returns to the button however it ends
    assert found["after"] == ["Call the mock"] * 3
    assert found["sent"]["note"] == "By keyboard alone."
    assert found["found"] == []


def test_calls_stream_show_pictures_ask_and_fail_in_words(run: Run) -> None:
    with served(ROOT, "dev") as (url, process):
        found = run("calls", url=url, process=process, expected=["ERR_", "Failed to load resource"])
    assert found["stream"] == ["First, take the wheel off.", "Then, the tyre."]
    assert found["pictures"] == [True, True]
    assert "supplier_not_found" in found["error"]
    assert "SELECT id, name FROM suppliers" in found["error"]  # the hint
    assert "declined" in found["declined"]
    assert "cancelled" in found["closed"]
    assert found["preview"].startswith("Preview: nothing was done.")
    assert "went away during the call" in found["gone"]
    assert found["snippets"]["toolgen call"].startswith("toolgen call 'create_purchase_order' --input '{")
    for kind in ("Python", "OpenAI"):
        subprocess.run([sys.executable, "-c", found["snippets"][kind]], cwd=ROOT, check=True)
    assert found["found"] == []


def test_a_tool_asks_for_values_in_the_middle_of_a_call(run: Run, tmp_path: Path) -> None:
    project = Project.create(tmp_path)
    project.add_tool("order", SPEC, TOOL)
    project.generate()
    with served(project.root, "dev", "--implementations") as (url, _):
        found = run("asks", url=url, tool="order")
    assert found["title"] == "order asks for more"
    assert found["refused"]  # a quantity of 0
    assert "3 red" in found["answer"]
    assert '"said": "decline"' in found["declined"]
    assert found["found"] == []


def test_answers_that_no_server_should_give(run: Run) -> None:
    message = '{"jsonrpc": "2.0", "id": "ID", "result": %s}'
    event = "event: message\ndata: %s\n\n"
    evil = {"type": "resource_link", "uri": "javascript:alert(1)", "name": "a link"}
    huge = '{"content": [{"type": "text", "text": "HUGE"}], "isError": false, "structuredContent": {"text": "HUGE"}}'
    answers = {
        "huge": (200, "application/json", message % huge),
        "cut": (200, "text/event-stream", event % '{"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}}'),
        "no json": (502, "text/html", "<h1>Bad gateway</h1>"),
        "files": (200, "application/json", message % json.dumps({"content": [*FILES, {"type": "audio", "mimeType": "audio/wav", "data": "UklGRg=="}]})),
        "script": (200, "application/json", message % json.dumps({"content": [evil]})),
        "refused": (200, "application/json", '{"jsonrpc": "2.0", "id": "ID", "error": {"code": -32602, "message": "<b>no</b>"}}'),
    }  # fmt: skip
    with served(ROOT, "dev") as (url, _):
        found = run("answers", url=url, tool="echo", answers=answers, expected=["Failed to load resource"])
    assert any("of 10,000,000 characters are shown" in note for note in found["huge"]["notes"])
    assert found["huge"]["milliseconds"] < 30_000
    assert "ended the connection before it answered" in found["cut"]["text"]
    assert "HTTP 502" in found["no json"]["text"]
    assert "notes.txt" in found["files"]["text"]
    assert "Buy milk." in found["files"]["text"]
    assert found["files"]["media"] == ["AUDIO blob:"]
    assert [each for each in found["files"]["buttons"] if each.startswith("Save")] == [
        "Save as file-2.zip",
        "Save as audio-3.wav",
    ]
    assert "javascript:alert(1)" in found["script"]["text"]
    assert found["script"]["links"] == []
    assert "<b>no</b>" in found["refused"]["text"]


def test_a_page_shows_recursion_shared_schemas_changes_sizes_and_losses(run: Run, tmp_path: Path) -> None:
    for folder, tree in (("old", TREE.replace("maxLength: 9", "maxLength: 90")), ("new", TREE)):
        (tmp_path / folder / "specs").mkdir(parents=True)
        (tmp_path / folder / "toolgen.toml").write_text('specs = "specs"\noutput = "generated"\n')
        (tmp_path / folder / "specs/tree.yaml").write_text(tree)
        (tmp_path / folder / "specs/shared.yaml").write_text(MONEY)
    catalogue = ProjectCatalogue(str(tmp_path / "new"))
    catalogue.compare(str(tmp_path / "old/specs"), today())
    schema = f"#schema/{quote('shared.yaml#Money', safe='')}"
    found = run(
        "reads",
        url=write_page(tmp_path / "page", catalogue.read()),
        deep="#tool/tree/providers",
        views=[schema, "#changes", "#tool/tree"],
        depth=3,
        roles=[
            ("navigation", "Tools"),
            ("searchbox", "Search the tools"),
            ("combobox", "Colours"),
            ("heading", "tree"),
            ("region", "Parameters"),
            ("button", "Form"),
            ("textbox", "price"),
        ],
    )
    tool = found["texts"]["#tool/tree"]
    assert found["focused"] == "Providers #"
    assert tool["links"].count(schema) == 2  # a link wherever it is used
    assert "An amount in cents." in found["texts"][schema]["all"]
    assert "tree" in found["texts"][schema]["all"]
    assert tool["parameters"].count("A node of a tree.") == 3  # as deep as branches were opened
    (witness,) = re.findall(r'"label": "([^"]*)"', found["texts"]["#changes"]["all"])
    assert 9 < len(witness) <= 90
    assert "breaks" in tool["changes"]
    sizes = catalogue.document()["tools"][0]["published"]
    for provider in sizes.values():
        assert f"{provider['bytes']:,}" in tool["providers"]
    assert "/input_schema/$defs/Node/properties/label/pattern" in tool["providers"]
    assert found["roles"] == dict.fromkeys(found["roles"], 1)


def test_calls_of_a_page_on_another_address_carry_the_token(run: Run, tmp_path: Path) -> None:
    project, token = Project(tmp_path), token_of("ada")
    project.write("toolgen.toml", 'specs = "specs"\noutput = "generated"\n')
    project.write("specs/ping.yaml", "name: ping\ndescription: Ping.\ninput_schema: {type: object}\n")
    tokens = project.write_tokens(ada=[])
    command = ("dev", "--host", "127.0.0.2", "--auth-tokens", tokens)
    with served(tmp_path, *command) as (url, _):
        found = run("token", url=url, token=token, tool="ping")
    assert "127.0.0.2" in url
    assert "token" not in url
    assert found["answer"].startswith("The tool answered.")
    assert {found["sent"][path] for path in ("/catalogue.json", "/events", "/mcp")} == {f"Bearer {token}"}
    assert found["sent"]["/page.js"] == ""
    assert found["address"] == "/#tool/ping"
    assert "Bearer $TOKEN" in found["snippet"]
    assert token not in found["snippet"]


def test_a_schema_that_no_form_can_show_is_written_as_json(run: Run, tmp_path: Path) -> None:
    no_form = {"type": "object", "patternProperties": {"^x": {"type": "string"}}}
    many_values = {
        "type": "object",
        "properties": {"value": {"enum": [f"value {number}" for number in range(100_000)]}},
    }
    document = document_of({"no_form": no_form, "many_values": {"type": "object"}})
    # a spec may not have so many values; a server that is looked at through its lock may
    document["tools"][0]["schemas"]["input_schema"] = many_values
    found = typed(
        run, tmp_path, document, {"no_form": [{"xa": "1"}], "many_values": [{"value": "value 77777"}]}
    )
    assert found["missed"] == []
    assert (found["typed"], found["json"]) == (2, 1)


def test_requests_of_every_shape_are_sent_as_they_are_typed(run: Run, tmp_path: Path) -> None:
    forms = load_beside(__file__, "form_cases.yaml")
    document = document_of({name: form["schema"] for name, form in forms.items()})
    found = typed(run, tmp_path, document, {name: form["requests"] for name, form in forms.items()})
    assert found["missed"] == []
    assert (found["tools"], found["json"]) == (len(forms), 0)


def test_a_saved_spec_reloads_the_page(run: Run, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "specs", tmp_path / "specs")
    shutil.copyfile(ROOT / "toolgen.toml", tmp_path / "toolgen.toml")
    spec = tmp_path / "specs/echo.yaml"
    with served(tmp_path, "dev") as (url, _):
        found = run(
            "reloads",
            url=url,
            tool="echo",
            file=str(spec),
            replaced="Return a text exactly",
            rounds=5,
            pause=1500,
        )
    print("milliseconds from the saved spec to the page:", [round(each) for each in found["times"]])
    assert "specs/echo.yaml:1:" in found["refused"]
    assert found["found"] == []
    assert "Round 5" in found["kept"]  # the last valid spec stays


@pytest.mark.skipif(not PICTURES, reason="only with PICTURES=folder")
def test_pictures(run: Run, gallery: str) -> None:
    run("pictures", url=gallery)
    Path(PICTURES, "page.json").write_text(json.dumps(shown_in_pictures(), indent=2) + "\n")
