"""`import contracts`: specs of an installed package are copied, pinned, and updated without losing changes."""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from pathlib import Path

import pytest
from toolgen.cli import main

ORDER = Path(__file__).with_name("contracts_order.yaml").read_text("utf-8")
SHARED = "$defs:\n  Item: {type: string, maxLength: 40}\n"
FILES = {"order.yaml": ORDER, "shared/shop.yaml": SHARED}
ENTRY = "[toolgen.contracts]\nshop = shop_contracts.specs\n"


class Shop:
    """A project, and a folder of installed packages."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.project, self.site, self._capsys = folder / "project", folder / "site", capsys
        self.project.mkdir()
        (self.project / "toolgen.toml").touch()
        self.vendored = self.project / "specs/vendor/shop"

    def publish(
        self,
        files: dict[str, str] = FILES,
        *,
        version: str = "1.0.0",
        name: str = "shop-contracts",
        entry: str = ENTRY,
        record: str = "",
    ) -> None:
        """Write what `pip install` writes; `record`: additional lines of `RECORD`."""
        info = self.site / f"{name.replace('-', '_')}-1.dist-info"
        info.mkdir(parents=True, exist_ok=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text(entry)
        lines = [record] if record else []
        for below, text in files.items():
            path = f"shop_contracts/specs/{below}"
            (self.site / path).parent.mkdir(parents=True, exist_ok=True)
            (self.site / path).write_text(text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            lines.append(f"{path},sha256={digest},{len(text)}")
        (self.site / "shop_contracts/__init__.py").write_text("raise SystemExit('imported')")
        (info / "RECORD").write_text("\n".join([*lines, "shop_contracts/__init__.py,,", ""]))

    def run(self, *words: str) -> tuple[int, str, str]:
        code = main(["-C", str(self.project), *words])
        shown = self._capsys.readouterr()
        return code, shown.out, shown.err

    def take(self, *flags: str, name: str = "shop-contracts") -> tuple[int, str, str]:
        return self.run("import", "contracts", name, "--into", "specs/vendor/shop", *flags)

    def files(self) -> dict[str, str]:
        found = [each for each in self.project.rglob("*") if each.is_file()]
        return {each.relative_to(self.project).as_posix(): each.read_text() for each in found}


@pytest.fixture
def shop(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shop:
    made = Shop(tmp_path, capsys)
    monkeypatch.syspath_prepend(str(made.site))
    return made


def test_specs_are_copied_and_pinned(shop: Shop) -> None:
    shop.publish()
    code, out, err = shop.take()
    assert (code, out.splitlines()) == (
        0,
        ["specs/vendor/shop/order.yaml", "specs/vendor/shop/shared/shop.yaml"],
    ), err
    assert err == "'shop-contracts 1.0.0': 2 files, 2 written, 0 removed\n"
    assert (shop.vendored / "order.yaml").read_text() == ORDER
    assert json.loads((shop.vendored / "contracts.lock").read_text()) == {
        "contracts_lock": 1,
        "distribution": "shop-contracts",
        "version": "1.0.0",
        "files": {path: hashlib.sha256(text.encode()).hexdigest() for path, text in FILES.items()},
    }
    assert shop.run("generate")[0] == 0
    assert shop.run("check")[0] == 0
    assert "shop_contracts" not in sys.modules


def test_sync_updates_adds_and_removes(shop: Shop) -> None:
    shop.publish({**FILES, "cancel.yaml": ORDER.replace("order", "cancel")})
    shop.take()
    shop.publish({**FILES, "pay.yaml": ORDER.replace("order", "pay")}, version="1.1.0")
    code, out, err = shop.take("--sync")
    assert (code, out.splitlines()) == (
        0,
        ["specs/vendor/shop/pay.yaml", "specs/vendor/shop/cancel.yaml (removed)"],
    )
    assert err == "'shop-contracts 1.1.0': 3 files, 1 written, 1 removed\n"
    assert not (shop.vendored / "cancel.yaml").exists()
    assert shop.take("--sync")[1] == ""
    shop.run("generate")
    assert shop.run("check")[0] == 0


def test_a_change_by_hand_is_told_and_not_lost(shop: Shop) -> None:
    shop.publish()
    shop.take()
    mine = ORDER.replace("Order", "Kindly order")
    (shop.vendored / "order.yaml").write_text(mine)
    shop.run("generate")
    code, _, err = shop.run("check")
    assert code == 1
    assert "specs/vendor/shop/order.yaml:1:1: error[vendored-changed] this file was changed" in err
    assert json.loads(shop.run("check", "--format", "json")[1])["clean"] is False

    before = shop.files()
    code, _, err = shop.take("--sync")
    assert code == 2
    assert "changed by hand: specs/vendor/shop/order.yaml" in err
    assert shop.files() == before


@pytest.mark.parametrize(
    ("published", "message"),
    [
        ({"entry": "[toolgen.contracts]\nshop = ../../etc\n"}, "is not the dotted path of a folder"),
        ({"files": {"readme.md": "No spec."}}, "has no specs in shop_contracts/specs"),
        ({"record": "shop_contracts/specs/../../../etc/x.yaml,,"}, "leaves the folder of its specs"),
        (
            {
                "entry": f"{ENTRY}more = shop_contracts.more\n",
                "record": "shop_contracts/more/order.yaml,,",
            },
            "become one",
        ),
        ({"files": {"order.yaml": ORDER.replace("shared/", "../")}}, "error[escaping-ref]"),
        ({"files": {"order.yaml": "name: order\n"}}, "specs/vendor/shop/order.yaml:1:1: error[missing-field]"),
        ({"files": {"order.yaml": "#" * (4 * 1024 * 1024 + 1)}}, "error[too-complex]"),
    ],
)  # fmt: skip
def test_a_package_that_cannot_be_used_is_refused(
    shop: Shop, published: dict[str, dict[str, str] | str], message: str
) -> None:
    more = shop.site / "shop_contracts/more/order.yaml"
    more.parent.mkdir(parents=True)
    more.write_text(ORDER)
    outside = shop.site.parent / "etc/x.yaml"  # newer versions of Python list no file that is missing
    outside.parent.mkdir()
    outside.write_text(ORDER)
    shop.publish(**published)  # type: ignore[arg-type]
    before = shop.files()
    code, _, err = shop.take()
    assert (code, shop.files()) == (2, before)
    assert message in err


def test_a_package_that_is_not_installed_is_refused(shop: Shop) -> None:
    code, _, err = shop.take(name="no-such-package-here")
    assert code == 2
    assert "no distribution 'no-such-package-here' is installed" in err


def test_a_link_out_of_the_package_is_not_followed(shop: Shop, tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text(ORDER)
    shop.publish(record="shop_contracts/specs/link.yaml,,")
    (shop.site / "shop_contracts/specs/link.yaml").symlink_to(tmp_path / "secret.yaml")
    assert shop.take()[0] == 2
    assert not shop.vendored.exists()


def test_an_existing_folder_is_not_written_to(shop: Shop) -> None:
    shop.publish()
    shop.vendored.mkdir(parents=True)
    (shop.vendored / "mine.yaml").write_text(ORDER.replace("order", "mine").replace("shared/shop.yaml", ""))
    assert "has specs already" in shop.take()[2]
    (shop.vendored / "mine.yaml").unlink()
    assert shop.take()[0] == 0
    assert "has a contracts.lock already" in shop.take()[2]


def test_the_folder_of_another_package_is_not_updated(shop: Shop) -> None:
    shop.publish()
    shop.take()
    shop.publish(name="bank-contracts")
    code, _, err = shop.take("--sync", name="bank-contracts")
    assert code == 2
    assert "specs/vendor/shop has the contracts of 'shop-contracts 1.0.0', not of 'bank-contracts'" in err


@pytest.mark.parametrize("into", ["specs", "elsewhere", "../outside", "specs/.hidden", "specs/../specs"])
def test_a_folder_that_is_not_one_of_its_own_is_refused(shop: Shop, into: str) -> None:
    shop.publish()
    before = shop.files()
    code, _, err = shop.run("import", "contracts", "shop-contracts", "--into", into)
    assert (code, shop.files()) == (2, before)
    assert "is not a folder of its own below specs" in err


@pytest.mark.parametrize(
    "text",
    [
        '{"contracts_lock": 2, "distribution": "a", "version": "1", "files": {}}',
        '{"contracts_lock": 1, "distribution": "shop-contracts", "version": "1", "files": {"../../toolgen.toml": ""}}',
    ],
)
def test_a_lock_that_is_none_is_refused(shop: Shop, text: str) -> None:
    shop.publish()
    shop.take()
    (shop.vendored / "contracts.lock").write_text(text)
    before = shop.files()
    assert shop.take("--sync")[0] == 2
    assert shop.run("check")[0] == 2
    assert shop.files() == before
