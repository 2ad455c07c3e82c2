from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memshelf.capture.clients import json_text, toml_text
from memshelf.capture.clients.draft import Draft, OddConfig
from memshelf.capture.clients.entries import hook_text, is_memshelf, runs_memshelf
from memshelf.capture.clients.launch import launch
from memshelf.capture.clients.scripts import package_of
from memshelf.capture.clients.shadow import shadowed
from memshelf.domain.errors import NotAShelf, ShelfError, UsageError
from memshelf.verbs.setup import Configured, setup


class Place:
    """A home, a project and a shelf of their own."""

    def __init__(self, root: Path) -> None:
        self.home, self.project, self.shelf = root / "home", root / "project", root / "my shelf"
        for folder in (self.home, self.project, self.shelf):
            folder.mkdir()
        (self.shelf / "shelf.yml").write_text("name: tides\n", encoding="utf-8")
        self.claude = self.home / ".claude.json"
        self.settings = self.home / ".claude" / "settings.json"
        self.codex = self.home / ".codex" / "config.toml"

    def put(self, path: Path, text: str) -> bytes:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))
        return path.read_bytes()

    def setup(self, client: str, **given: object) -> Configured:
        return setup(self.shelf, client, **given)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(tmp_path)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(made.home))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "MEMSHELF_WORKSPACE_ROOT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEMSHELF_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.chdir(made.project)
    return made


def load(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8-sig"))


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


CLAUDE_FILES = {
    "none": None,
    "empty": "",
    "bare": "{}",
    "two spaces": json.dumps({"numStartups": 7, "mcpServers": {"git": {"command": "g"}}}, indent=2),
    "tabs and CRLF": '{\r\n\t"theme": "dark",\r\n\t"mcpServers": {\r\n\t}\r\n}\r\n',
    "one line": '{"userID":"é","mcpServers":{"git":{"command":"g","args":[1.50,1e3]}}}',
    "escapes and order": '{\n    "z": "\\u00e9 Мой 😀",\n    "a": [1, 2,\n 3],\n    "cost": 0.10\n}\n',
    "BOM": '\ufeff{\n  "a": 1\n}\n',
    "old entry": json.dumps(
        {"mcpServers": {"memshelf": {"command": "uvx", "args": ["memshelf-mcp"]}}, "k": None},
        indent=3,
    ),
}


@pytest.mark.parametrize("text", CLAUDE_FILES.values(), ids=CLAUDE_FILES.keys())
def test_write_then_undo_gives_the_bytes_from_before(place: Place, text: str | None) -> None:
    if text is not None:
        place.put(place.claude, text)
        place.put(place.settings, text.replace("mcpServers", "permissions"))
    before = tree(place.home)
    place.setup("claude-code", write=True)
    assert load(place.claude)["mcpServers"]["memshelf"]["env"] == {
        "MEMSHELF_SHELF_PATH": str(place.shelf)
    }
    assert load(place.settings)["hooks"]["SessionStart"][0]["matcher"] == (
        "startup|resume|clear|compact"
    )
    place.setup("claude-code", undo=True)
    assert tree(place.home) == before


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_write_twice_is_write_once(place: Place, client: str) -> None:
    place.put(place.claude, CLAUDE_FILES["two spaces"] or "")
    place.put(place.codex, CODEX_FILES["commented"])
    before = tree(place.home)
    place.setup(client, write=True)
    once = tree(place.home)
    again = place.setup(client, write=True)
    assert tree(place.home) == once
    assert "nothing to write" in str(again)
    place.setup(client, undo=True)
    assert tree(place.home) == before


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_what_is_shown_is_what_is_written_and_showing_writes_nothing(
    place: Place, client: str, tmp_path: Path
) -> None:
    place.put(place.claude, CLAUDE_FILES["two spaces"] or "")
    before = tree(tmp_path)
    shown = place.setup(client)
    assert tree(tmp_path) == before
    written = place.setup(client, write=True)
    assert [change.diff for change in shown.files] == [change.diff for change in written.files]
    assert "--write" in str(shown)
    assert "mcp add" in shown.by_hand
    assert "--undo" in str(written)


def test_everything_that_is_not_ours_keeps_its_bytes(place: Place) -> None:
    text = CLAUDE_FILES["escapes and order"] or ""
    place.put(place.claude, text)
    place.setup("claude-code", write=True)
    after = place.claude.read_bytes().decode()
    assert after.startswith(text.removesuffix("\n}\n"))
    assert '\n    "mcpServers": {\n        "memshelf": {\n            "type"' in after


def test_entries_and_start_hooks_of_the_old_system_are_replaced(place: Place) -> None:
    old = {"command": "uvx", "args": ["memshelf-mcp"]}
    work = {"command": "memshelf-mcp", "env": {"MEMSHELF_SHELF_PATH": "/work-shelf", "X": "1"}}
    git = {"command": "uvx", "args": ["mcp-server-git", "--repository", "/src/memshelf-mcp"]}
    servers = {"memory": old, "work": work, "git": git}
    local = {"/p": {"mcpServers": {"memshelf": work, "git": git}, "allowed": []}}
    place.put(place.claude, json.dumps({"mcpServers": servers, "projects": local}))
    script = "bash /src/memshelf-mcp/adapters/claude-code/hooks/session-start-index.sh"
    hooks = {
        "SessionStart": [
            {"hooks": [{"type": "command", "command": script}]},
            {"matcher": "startup", "hooks": [{"type": "command", "command": "date"}]},
            {"hooks": [{"type": "command", "command": c} for c in ("fortune", script)]},
        ],
        "Stop": [{"hooks": [{"type": "command", "command": "memshelf-done.sh"}]}],
    }
    place.put(place.settings, json.dumps({"hooks": hooks}, indent=1))
    before = tree(place.home)

    place.setup("claude-code", write=True)

    made = load(place.claude)
    ours = made["mcpServers"]["memshelf"]
    assert list(made["mcpServers"]) == ["work", "git", "memshelf"]
    assert made["mcpServers"]["git"] == git
    renewed = made["mcpServers"]["work"]
    assert renewed["command"] == ours["command"]
    assert renewed["env"] == work["env"]
    assert made["projects"]["/p"]["mcpServers"] == {"memshelf": renewed, "git": git}
    now = load(place.settings)["hooks"]
    commands = [[hook_text(h) for h in g["hooks"]] for g in now["SessionStart"]]
    assert [len(group) for group in commands] == [1, 1, 1]
    assert "hook SessionStart" in commands[0][0]
    assert commands[1:] == [["date"], ["fortune"]]
    assert now["Stop"] == hooks["Stop"]
    place.setup("claude-code", undo=True)
    assert tree(place.home) == before


def test_settings_beside_the_command_of_an_old_entry_stay(place: Place) -> None:
    old = {
        "command": "memshelf-mcp",
        "timeout": 9,
        "env": {"MEMSHELF_WORKSPACE_ROOT": "/w", "MEMSHELF_SHELF_PATH": "/old"},
    }
    place.put(place.claude, json.dumps({"mcpServers": {"memshelf": old}}))
    place.setup("claude-code", write=True)
    made = load(place.claude)["mcpServers"]["memshelf"]
    assert made["timeout"] == 9
    assert made["env"] == {
        "MEMSHELF_WORKSPACE_ROOT": "/w",
        "MEMSHELF_SHELF_PATH": str(place.shelf),
    }


def test_undo_after_the_client_wrote_its_file_takes_out_ours_and_puts_back_the_old(
    place: Place,
) -> None:
    old = {"command": "uvx", "args": ["memshelf-mcp"]}
    script = "python3 ~/memshelf/hooks/session_start.py"
    hook = {"hooks": [{"type": "command", "command": script}]}
    place.put(place.claude, json.dumps({"mcpServers": {"memshelf": old}}))
    place.put(place.settings, json.dumps({"hooks": {"SessionStart": [hook]}}))
    place.setup("claude-code", write=True)
    for path in (place.claude, place.settings):
        place.put(path, json.dumps(load(path) | {"numStartups": 8}, indent=2))
    place.setup("claude-code", undo=True)
    assert load(place.claude) == {"mcpServers": {"memshelf": old}, "numStartups": 8}
    assert load(place.settings) == {"hooks": {"SessionStart": [hook]}, "numStartups": 8}
    assert "Nothing of memshelf" in str(place.setup("claude-code", undo=True)) or load(place.claude)


def test_undo_without_any_backup_takes_out_ours_alone(place: Place, tmp_path: Path) -> None:
    place.put(place.claude, '{"a": 1, "mcpServers": {"git": {"command": "g"}}}')
    place.setup("claude-code", write=True)
    for backup in (tmp_path / "state").rglob("setup.json"):
        backup.unlink()
    place.setup("claude-code", undo=True)
    assert load(place.claude) == {"a": 1, "mcpServers": {"git": {"command": "g"}}}
    assert load(place.settings) == {}


def test_a_second_write_with_other_tools_is_undone_to_the_very_first(place: Place) -> None:
    place.put(place.claude, CLAUDE_FILES["two spaces"] or "")
    before = tree(place.home)
    place.setup("claude-code", write=True)
    place.setup("claude-code", write=True, tools="core,show")
    assert load(place.claude)["mcpServers"]["memshelf"]["args"][-2:] == ["--tools", "core,show"]
    place.setup("claude-code", undo=True)
    assert tree(place.home) == before


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1,}',
        '{\n  // mine\n  "a": 1\n}',
        "[1]",
        '{"mcpServers": []}',
        '{"mcpServers": {"a": 1}, "mcpServers": {"b": 2}, "hooks": 7}',
    ],
)
def test_a_file_that_is_not_as_it_should_be_is_refused_and_nothing_is_written(
    place: Place, text: str
) -> None:
    place.put(place.settings, "{}")
    place.put(place.claude, text)
    if "hooks" in text:
        place.put(place.settings, text)
    before = tree(place.home)
    with pytest.raises(ShelfError, match=r"json is left as it is: it|`"):
        place.setup("claude-code", write=True)
    assert tree(place.home) == before


def test_a_file_that_is_a_link_stays_a_link(place: Place) -> None:
    real = place.home / "dotfiles" / "settings.json"
    place.put(real, "{}")
    place.settings.parent.mkdir()
    try:
        place.settings.symlink_to(real)
    except OSError:
        pytest.skip("this system makes no links")
    place.setup("claude-code", write=True)
    assert place.settings.is_symlink()
    assert "hooks" in load(real)


def test_the_clients_own_folders_are_respected(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "cc"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "cx"))
    place.setup("claude-code", write=True)
    place.setup("codex", write=True)
    assert sorted(tree(tmp_path / "cc")) == [".claude.json", "settings.json"]
    assert sorted(tree(tmp_path / "cx")) == ["config.toml"]
    assert tree(place.home) == {}


def test_project_scope_writes_into_the_project(place: Place) -> None:
    place.setup("claude-code", write=True, scope="project")
    place.setup("codex", write=True, scope="project")
    made = sorted(Path(name).as_posix() for name in tree(place.project))
    assert made == [".claude/settings.json", ".codex/config.toml", ".mcp.json"]
    assert tree(place.home) == {}
    for client in ("claude-code", "codex"):
        place.setup(client, undo=True, scope="project")
    assert tree(place.project) == {}


def test_a_key_elsewhere_in_the_file_is_neither_shown_nor_kept(
    place: Place, tmp_path: Path
) -> None:
    key = "-".join(["sk", "made", "up"])
    servers = {"other": {"command": "x", "env": {"API_KEY": key, "B": "1"}}}
    place.put(place.claude, json.dumps({"a": key, "mcpServers": servers}, indent=2))
    assert key not in str(place.setup("claude-code", write=True))
    kept = [p.read_text(encoding="utf-8") for p in (tmp_path / "state").rglob("setup.json")]
    assert len(kept) == 2
    assert not any(key in text for text in kept)


def test_a_plugin_of_the_old_system_is_pointed_out(place: Place) -> None:
    place.put(place.settings, '{"enabledPlugins": {"memshelf@adapters": true, "x@y": true}}')
    said = str(place.setup("claude-code"))
    assert "claude plugin disable memshelf@adapters" in said
    assert "disable x@y" not in said


def test_a_file_of_one_line_is_shown_spread_over_lines(place: Place) -> None:
    key = "-".join(["sk", "made", "up"])
    rest = {"key": key, **{f"k{n}": n for n in range(50)}}
    place.put(place.claude, json.dumps(rest))
    said = str(place.setup("claude-code"))
    assert '\n+      "type": "stdio",' in said
    assert key not in said


# --- the shelf -------------------------------------------------------------------------------


def test_without_a_shelf_named_or_here_the_old_entry_says_which(place: Place) -> None:
    entry = {"command": "uvx", "args": ["memshelf-mcp"], "env": {"MEMSHELF_SHELF_PATH": "/mine"}}
    place.put(place.claude, json.dumps({"mcpServers": {"memory": entry}}))
    assert setup(Path.cwd(), "claude-code").shelf == "/mine"


def test_the_shelf_around_the_folder_is_found(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place.shelf / "docs").mkdir()
    monkeypatch.chdir(place.shelf / "docs")
    assert Path(setup(Path.cwd(), "codex").shelf) == place.shelf


def test_without_any_shelf_it_says_what_to_do(place: Place) -> None:
    with pytest.raises(ShelfError, match="--shelf PATH"):
        setup(Path.cwd(), "claude-code")
    with pytest.raises(NotAShelf):
        setup(place.home, "claude-code")
    place.put(place.claude, "{,}")
    with pytest.raises(OddConfig, match=r"\.claude\.json is left as it is: it is not plain JSON"):
        setup(Path.cwd(), "claude-code")


def test_what_is_no_client_and_no_set_is_said(place: Place) -> None:
    with pytest.raises(UsageError, match="claude-code, codex"):
        place.setup("cursor")
    with pytest.raises(UsageError, match="core"):
        place.setup("codex", tools="core,nope")
    with pytest.raises(UsageError):
        place.setup("codex", write=True, undo=True)


def test_the_command_line_shows_and_answers_in_json(place: Place) -> None:
    words = [sys.executable, "-m", "memshelf", "setup", "codex", "--shelf", str(place.shelf)]
    shown = subprocess.run(words, capture_output=True, text=True, encoding="utf-8", check=True)
    assert "[mcp_servers.memshelf]" in shown.stdout
    said = subprocess.run([*words, "--json"], capture_output=True, encoding="utf-8", check=True)
    data = json.loads(said.stdout)
    assert data["status"] == "ok"
    assert data["written"] is False
    assert data["files"][0]["action"] == "created"
    assert not place.codex.exists()


# --- Codex -----------------------------------------------------------------------------------

CODEX_FILES = {
    "empty": "",
    "no newline at the end": 'model = "o9"',
    "commented": (
        "# my settings\nmodel = 'o9'   # the good one\n\n"
        '[mcp_servers.git]   # kept\ncommand = "uvx"\nargs = [\n  "mcp-server-git",  # é\n'
        '  ["x"],\n]\n\n[mcp_servers."with space".env]\nA = """\n[mcp_servers.memshelf]\n"""\n'
    ),
    "CRLF": "[features]\r\nhooks = true\r\n\r\n[tui]\r\nx = 1\r\n",
    "old entry": (
        '# memory\n[mcp_servers.memshelf]\n# where it lives\ncommand = "uvx"\n'
        'args = ["memshelf-mcp"]\nstartup_timeout_sec = 20\n\n'
        "[mcp_servers.memshelf.env]\nMEMSHELF_SHELF_PATH = '/old'\n\n[tui]\nx = 1\n"
    ),
    "dotted": '[mcp_servers]\nmemshelf.command = "memshelf-mcp"\ngit.command = "g"\n[tui]\n',
    "inline": '[mcp_servers]\nmemshelf = { command = "memshelf-mcp" }\n# end\n',
    "hooks": (
        '[[hooks.SessionStart]]\nmatcher = "startup"\n[[hooks.SessionStart.hooks]]\n'
        'type = "command"\ncommand = "date"\n\n[[hooks.SessionStart]]\n'
        "[[hooks.SessionStart.hooks]]\ntype = 'command'\n"
        "command = '~/memshelf-mcp/hooks/session-start-index.sh'\n\n[[hooks.Stop]]\n"
    ),
}


@pytest.mark.parametrize("text", CODEX_FILES.values(), ids=CODEX_FILES.keys())
def test_codex_write_then_undo_gives_the_bytes_from_before(place: Place, text: str) -> None:
    before = place.put(place.codex, text)
    was = tomllib.loads(text)
    place.setup("codex", write=True)
    now = tomllib.loads(place.codex.read_text(encoding="utf-8"))
    entry = now["mcp_servers"].pop("memshelf")
    assert entry["env"] == {"MEMSHELF_SHELF_PATH": str(place.shelf)}
    was.get("mcp_servers", {}).pop("memshelf", None)
    assert now["mcp_servers"] == was.get("mcp_servers", {})
    commands = [h["command"] for g in now["hooks"]["SessionStart"] for h in g["hooks"]]
    assert len([c for c in commands if "hook SessionStart" in c]) == 1
    assert not any("session-start-index" in c for c in commands)
    place.setup("codex", undo=True)
    assert place.codex.read_bytes() == before


@pytest.mark.parametrize("text", CODEX_FILES.values(), ids=CODEX_FILES.keys())
def test_codex_keeps_every_comment_and_every_line_of_others(place: Place, text: str) -> None:
    place.put(place.codex, text)
    place.setup("codex", write=True)
    after = place.codex.read_bytes().decode()
    if "memshelf" not in text.replace('[mcp_servers.memshelf]\n"""', ""):
        assert after.startswith(text)
    for comment in ("# my settings", "# kept", "# é", "# memory", "# where it lives", "# end"):
        assert (comment in after) == (comment in text)
    assert ("\r\n" in after) == ("\r\n" in text)


def test_codex_undo_after_a_change_keeps_the_change_and_puts_back_the_old(place: Place) -> None:
    place.put(place.codex, CODEX_FILES["old entry"] + CODEX_FILES["hooks"])
    was = tomllib.loads(place.codex.read_text(encoding="utf-8"))
    place.setup("codex", write=True)
    place.put(place.codex, place.codex.read_text(encoding="utf-8") + "[later]\ny = 2\n")
    place.setup("codex", undo=True)
    assert tomllib.loads(place.codex.read_text(encoding="utf-8")) == was | {"later": {"y": 2}}


def test_codex_hooks_go_where_its_hooks_are(place: Place) -> None:
    beside = place.codex.with_name("hooks.json")
    place.put(beside, '{"hooks": {"Stop": []}}')
    place.setup("codex", write=True)
    assert "hooks" not in tomllib.loads(place.codex.read_text(encoding="utf-8"))
    assert load(beside)["hooks"]["SessionStart"][0]["hooks"][0]["additionalContextLimit"] == 7500


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { memshelf = { command = "memshelf-mcp" }, git = { command = "g" } }\n',
        "hooks = { SessionStart = [ { hooks = [ { type = 'command', command = 'date' } ] } ] }\n",
        "[mcp_servers\n",
    ],
)
def test_codex_refuses_a_layout_that_it_cannot_edit(place: Place, text: str) -> None:
    before = place.put(place.codex, text)
    with pytest.raises(OddConfig, match=r"config\.toml is left as it is"):
        place.setup("codex", write=True)
    assert place.codex.read_bytes() == before


# --- single functions ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "args", "is_one"),
    [
        ("uvx", ["memshelf-mcp"], True),
        ("uvx", ["--from", "git+https://example.org/x/memshelf-mcp@v0.4", "memshelf-mcp"], True),
        ("/home/me/.local/bin/memshelf-mcp", [], True),
        (r"C:\Tools\memshelf-mcp.exe", [], True),
        ("cmd", ["/c", "uvx memshelf-mcp"], True),
        ("python3.12", ["-m", "memshelf_mcp.server"], True),
        ("uv", ["run", "--directory", "/src/memshelf-mcp", "memshelf-mcp"], True),
        ("/venv/bin/python", ["-m", "memshelf", "serve"], True),
        ("/venv/bin/python", ["-P", "-m", "memshelf", "serve"], True),
        ("uvx", ["memshelf", "serve", "--tools", "core"], True),
        ("npx", ["server-filesystem", "/home/me/memshelf"], False),
        ("uvx", ["mcp-server-git", "--repository", "/src/memshelf-mcp"], False),
        ("python", ["/srv/tides.py", "memshelf"], False),
        ("docker", ["run", "memshelf-mcp-viewer"], False),
    ],
)
def test_a_server_is_known_by_what_it_starts(command: str, args: list[str], is_one: bool) -> None:
    assert runs_memshelf({"command": command, "args": args}) is is_one


@pytest.mark.parametrize(
    ("command", "is_one"),
    [
        ("'/v/bin/python' -m memshelf hook SessionStart --shelf '/my shelf'", True),
        ("bash ~/memshelf-mcp/adapters/claude-code/hooks/session-start-index.sh", True),
        ("python3 ~/.claude/memshelf/session_start.py", True),
        ("memshelf stats --banner", False),
        ("~/bin/session-start.sh", False),
    ],
)
def test_a_hook_is_known_by_what_it_calls(command: str, is_one: bool) -> None:
    assert is_memshelf({"type": "command", "command": command}) is is_one


def script(folder: Path, name: str, module: str) -> str:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/usr/bin/python3\nimport sys\nfrom {module} import main\nmain()\n")
    return str(path)


def test_the_command_is_the_one_that_will_really_start(tmp_path: Path) -> None:
    ours = {
        "memshelf": script(tmp_path / "a", "memshelf", "memshelf.surfaces.cli"),
        "memshelf-mcp": script(tmp_path / "a", "memshelf-mcp", "memshelf.surfaces.mcp"),
    }
    theirs = {"memshelf-mcp": script(tmp_path / "b", "memshelf-mcp", "memshelf_mcp.server")}
    uv = {"uvx": "/opt/uvx"}
    cache = "/home/me/.cache/uv/archive-v0/Zx/bin/python"
    assert launch(ours.get, "/py").server == (ours["memshelf-mcp"],)
    assert launch(ours.get, "/py").command_line == (ours["memshelf"],)
    assert launch({}.get, "/py").server == ("/py", "-P", "-m", "memshelf", "serve")
    assert launch(theirs.get, "/py").server == ("/py", "-P", "-m", "memshelf", "serve")
    assert "old package" in launch(theirs.get, "/py").why
    assert launch((ours | uv).get, cache).server[1:] == ("memshelf", "serve")
    assert launch((ours | uv).get, cache).command_line[1:] == ("memshelf",)


def test_a_windows_launcher_is_read_through_its_zip(tmp_path: Path) -> None:
    import zipfile

    exe = tmp_path / "memshelf.exe"
    exe.write_bytes(b"MZ" + os.urandom(99))
    with zipfile.ZipFile(exe, "a", zipfile.ZIP_DEFLATED) as inside:
        inside.writestr("__main__.py", "from memshelf_mcp.cli import main\n" * 99)
    assert package_of(exe) == "memshelf-mcp"


def test_a_script_of_the_old_package_is_pointed_out(tmp_path: Path) -> None:
    ours = {"memshelf": script(tmp_path, "memshelf", "memshelf.surfaces.cli")}
    theirs = {"memshelf-mcp": script(tmp_path, "memshelf-mcp", "memshelf_mcp.server")}
    assert shadowed(ours.get, lambda: "") is None
    found = shadowed((ours | theirs).get, lambda: "0.4.0")
    assert found is not None
    assert (found.level, found.code, found.where) == (
        "warning",
        "shadowed-script",
        theirs["memshelf-mcp"],
    )
    beside = shadowed(ours.get, lambda: "0.4.0")
    assert beside is not None
    assert beside.code == "old-package-beside"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(
    data=st.dictionaries(st.text(max_size=3), VALUES, max_size=4),
    indent=st.sampled_from([None, 0, 1, 2, "\t"]),
    value=VALUES,
)
def test_json_edits_come_out_right_in_any_layout(data: dict, indent: object, value: object) -> None:
    text = json.dumps(data, indent=indent, ensure_ascii=False)
    draft = Draft(data)
    draft.put(("new key", "deep", 0), {"a": value})
    draft.put(("new key", "other"), value)
    for key in list(data):
        draft.put((key,), value)
        draft.drop((key,))
    after = json_text.edited(text, draft)
    assert json.loads(after) == draft.data
    back = Draft(draft.data)
    back.drop(("new key",))
    assert json.loads(json_text.edited(after, back)) == back.data


@settings(max_examples=60, deadline=None)
@given(
    names=st.lists(st.text(max_size=4), unique=True, max_size=4),
    value=st.text(max_size=6) | st.integers() | st.booleans() | st.lists(st.text(max_size=3)),
)
def test_toml_edits_come_out_right_for_any_name(names: list[str], value: object) -> None:
    text = "# top\n[a]\nb = '[c]' # d\n"
    for name in names:
        draft = Draft(toml_text.read(text))
        draft.put(("servers", name), {"x": value, "env": {name: "v"}})
        text = toml_text.edited(text, draft)
    assert [*tomllib.loads(text).get("servers", {})] == names
    for name in names:
        draft = Draft(toml_text.read(text))
        draft.drop(("servers", name))
        draft.tidy(("servers",))
        text = toml_text.edited(text, draft)
    assert text == "# top\n[a]\nb = '[c]' # d\n"
