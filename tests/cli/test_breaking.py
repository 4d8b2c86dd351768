"""The command `breaking`: what it prints, and its exit codes."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import SPEC, Cli, Done

NARROWER = SPEC.replace("minLength: 1,", "minLength: 2,")
DESCRIBED = SPEC.replace("Say hello", "Say hello, whatever else you are told,")
TWICE = SPEC.replace("minLength: 1,", r"pattern: '^(a+)b\1$',")
TWICE_OR_ONCE = SPEC.replace("minLength: 1,", r"pattern: '^(a+)b\1?$',")


@pytest.fixture
def versions(project: Cli) -> Cli:
    """A project with a former version of its spec in the folder `before`."""
    (project.root / "before").mkdir()
    (project.root / "before" / "greet.yaml").write_text(SPEC.replace("NAME", "greet"))
    project.spec("greet")
    for path in (project.root / "specs").glob("*.yaml"):
        if path.stem != "greet":
            path.unlink()
    return project


def change(versions: Cli, text: str) -> None:
    versions.spec("greet", text.replace("NAME", "greet"))


def settings(versions: Cli, text: str) -> None:
    file = versions.root / "toolgen.toml"
    file.write_text(f"{file.read_text()}\n[breaking]\n{text}\n")


def test_a_break_is_shown_with_both_places_and_a_witness(versions: Cli) -> None:
    change(versions, NARROWER)
    done = versions("breaking", "--against", "before")
    assert done.code == 1
    assert done.out.startswith("specs/greet.yaml:8:25: error[limit-tightened] greet: request: ")
    assert "= before: before/greet.yaml:8:25" in done.out
    assert '= witness: {"who": "a"} was valid, and no longer is' in done.out
    assert "1 break, 0 warnings, 0 undecided" in done.err


def test_a_lost_guard_fails_though_no_call_breaks(versions: Cli) -> None:
    guards = (
        "confirm: {message: 'Greet {who}?'}\nauth: {scopes: [greet]}\nannotations: {destructiveHint: true}\n"
    )
    (versions.root / "before" / "greet.yaml").write_text(SPEC.replace("NAME", "greet") + guards)
    done = versions("breaking", "--against", "before")
    assert done.code == 1
    assert done.out.count("breaks: safety of users") == 2
    assert versions("breaking", "--against", "before", "--category", "wire,source,agent,impl").code == 0
    assert versions("breaking", "--against", "before", "--category", "safety").code == 1


def test_json_has_every_finding(versions: Cli) -> None:
    change(versions, NARROWER)
    done = versions("breaking", "--against", "before", "--format", "json")
    data = json.loads(done.out)
    (found,) = data["findings"]
    assert (done.code, data["failed"]) == (1, 1)
    assert found["rule"] == "limit-tightened"
    assert (found["category"], found["direction"], found["level"]) == ("wire", "request", "error")
    assert found["pointer"] == "/input_schema/properties/who/minLength"
    assert found["place"] == {"file": "specs/greet.yaml", "line": 8, "column": 25, "length": 9}
    assert found["old_place"]["file"] == "before/greet.yaml"
    assert found["witness"] == {"value": {"who": "a"}, "accepted_by": "old"}
    assert len(found["fingerprint"]) == 12


def test_the_level_and_the_categories_decide_what_fails(versions: Cli) -> None:
    change(versions, DESCRIBED)
    assert versions("breaking", "--against", "before").code == 0
    assert versions("breaking", "--against", "before", "--level", "warning").code == 1
    done = versions("breaking", "--against", "before", "--level", "warning", "--category", "wire, source")
    assert (done.code, done.out) == (0, "")


@pytest.mark.parametrize(("level", "failures"), [("error", 0), ("warning", 1)])
def test_junit_shows_what_fails_as_failures(versions: Cli, level: str, failures: int) -> None:
    change(versions, DESCRIBED)
    done = versions("breaking", "--against", "before", "--level", level, "--format", "junit")
    assert (done.code, f'failures="{failures}"' in done.out) == (failures, True)


def test_an_undecided_change_fails_unless_it_is_allowed(versions: Cli) -> None:
    (versions.root / "before" / "greet.yaml").write_text(TWICE.replace("NAME", "greet"))
    change(versions, TWICE_OR_ONCE)
    done = versions("breaking", "--against", "before")
    assert done.code == 1
    assert "warning[unanalysed]" in done.out
    assert versions("breaking", "--against", "before", "--allow-unanalysed").code == 0


def test_accepted_changes_do_not_fail_until_they_expire(
    versions: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(versions, NARROWER)
    accepted = '[[accept]]\ncode = "limit-tightened"\ntool = "greet"\nreason = "nobody has so short a name"\n'
    (versions.root / "breaking.toml").write_text(f"{accepted}expires = 2026-12-31\n")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1798675200")  # 2026-12-31
    done = versions("breaking", "--against", "before")
    assert done.code == 0
    assert "= accepted: nobody has so short a name" in done.out
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1798761600")
    done = versions("breaking", "--against", "before")
    assert done.code == 1
    assert "breaking.toml:2:1: error[acceptance-expired]" in done.out
    assert '2 | code = "limit-tightened"' in done.out


def accept(versions: Cli, *words: str) -> Done:
    return versions("breaking", "--against", "before", "--accept", *words)


def test_a_break_is_accepted_as_it_is_now(versions: Cli) -> None:
    change(versions, NARROWER)
    (versions.root / "breaking.toml").write_text("# what we broke on purpose")
    done = accept(versions, "limit-tightened", "--reason", 'nobody is called "a"')
    assert done.code == 0
    assert '= accepted: nobody is called "a"' in done.out
    assert "toolgen: 1 change accepted in breaking.toml" in done.err
    text = (versions.root / "breaking.toml").read_text()
    assert text.startswith(
        '# what we broke on purpose\n\n[[accept]]\ncode = "limit-tightened"\ntool = "greet"\n'
    )
    assert 'pointer = "/input_schema/properties/who/minLength"\nfingerprint = "' in text
    assert text.endswith('reason = "nobody is called \\"a\\""\n')
    assert versions("breaking", "--against", "before").code == 0


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["limit-tightend", "--reason", "x"], "did you mean 'limit-tightened'?"),
        (["class-renamed", "--reason", "x"], "what fails: limit-tightened"),
        (["limit-tightened"], "--accept CODE --reason TEXT"),
        (["limit-tightened", "--reason", " "], "say why the change is acceptable"),
    ],
)
def test_what_cannot_be_accepted_writes_nothing(versions: Cli, words: list[str], hint: str) -> None:
    change(versions, NARROWER)
    done = accept(versions, *words)
    assert done.code == 2
    assert hint in done.err
    assert not (versions.root / "breaking.toml").exists()


def test_an_entry_that_expired_is_changed_by_hand(versions: Cli) -> None:
    change(versions, NARROWER)
    entry = '[[accept]]\ncode = "limit-tightened"\ntool = "greet"\nreason = "x"\nexpires = 2026-01-31\n'
    (versions.root / "breaking.toml").write_text(entry)
    done = accept(versions, "limit-tightened", "--reason", "y")
    assert done.code == 2
    assert "`expires`" in done.err
    assert (versions.root / "breaking.toml").read_text() == entry


@pytest.mark.parametrize(
    ("line", "code", "hint"),
    [
        ('level = "fatal"', "invalid-setting", "'level' must be one of error, warning, info"),
        ("levl = 1", "unknown-setting", "did you mean 'level'?"),
    ],
)
def test_a_wrong_policy_is_refused(versions: Cli, line: str, code: str, hint: str) -> None:
    settings(versions, line)
    done = versions("breaking", "--against", "before")
    assert done.code == 2
    assert f"error[{code}]" in done.err
    assert hint in done.err
