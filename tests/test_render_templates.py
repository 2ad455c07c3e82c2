"""Templates are found in a checkout and in a package, and can do no more than lay out."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import TemplateNotFound, UndefinedError
from jinja2.exceptions import SecurityError

from memshelf.domain.errors import ShelfError
from memshelf.render import templates


@pytest.fixture(autouse=True)
def forget() -> None:
    templates.environment.cache_clear()


def test_templates_are_found_and_every_one_compiles() -> None:
    env = templates.environment()
    names = env.list_templates()
    assert "export.html.j2" in names
    for name in names:
        env.get_template(name)


def test_without_templates_the_error_names_both_places(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(templates, "_PACKAGE", tmp_path / "site-packages" / "memshelf")
    with pytest.raises(ShelfError) as caught:
        templates.environment()
    assert caught.value.code == "no-templates"
    assert str(tmp_path / "site-packages" / "site_templates") in caught.value.message
    assert str(tmp_path / "site-packages" / "memshelf" / "site_templates") in caught.value.message


def test_an_installed_package_uses_the_templates_inside_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "memshelf" / "site_templates").mkdir(parents=True)
    (tmp_path / "memshelf" / "site_templates" / "a.j2").write_text("inside {{ x }}")
    monkeypatch.setattr(templates, "_PACKAGE", tmp_path / "memshelf")
    assert templates.environment().get_template("a.j2").render(x="<b>") == "inside &lt;b&gt;"


def test_a_shelfs_own_template_stands_in_front(tmp_path: Path) -> None:
    (tmp_path / "export.css").write_text("body { color: red }")
    env = templates.environment(tmp_path)
    assert env.get_template("export.css").render() == "body { color: red }"
    env.get_template("export.html.j2")


def test_an_undefined_name_is_an_error_and_not_a_gap() -> None:
    with pytest.raises(UndefinedError):
        templates.environment().from_string("{{ nothing }}").render()


def test_a_shelfs_template_reaches_neither_python_nor_other_files(tmp_path: Path) -> None:
    env = templates.environment(tmp_path)
    with pytest.raises(SecurityError):
        env.from_string("{{ ''.__class__.__mro__[1].__subclasses__() }}").render()
    with pytest.raises(TemplateNotFound):
        env.from_string("{% include '../secret' %}").render()
