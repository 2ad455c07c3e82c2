"""Where a host shows a repository, and where a branch is offered there for merging."""

from __future__ import annotations

import pytest

from memshelf.domain.hosts import request_address, web_address


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("git@github.com:acme/notes.git", "https://github.com/acme/notes"),
        ("https://ann:pw@github.com/acme/notes.git", "https://github.com/acme/notes"),
        ("ssh://git@ssh.github.com:443/acme/notes", "https://github.com/acme/notes"),
        ("http://git.example.org:3000/acme/notes", "http://git.example.org:3000/acme/notes"),
        ("https://git.example.org/a/b/notes.git/", "https://git.example.org/a/b/notes"),
        ("/srv/git/notes.git", ""),
        ("../notes.git", ""),
        ("C:/notes.git", ""),
        ("file:///srv/git/notes.git", ""),
        ("https://", ""),
    ],
)
def test_the_page_of_a_repository_bears_no_credentials(url: str, address: str) -> None:
    assert web_address(url) == address


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("git@github.com:a/n.git", "https://github.com/a/n/compare/main...shelve/x?expand=1"),
        (
            "https://github.acme.com/a/n",
            "https://github.acme.com/a/n/compare/main...shelve/x?expand=1",
        ),
        (
            "git@gitlab.com:a/b/n.git",
            "https://gitlab.com/a/b/n/-/merge_requests/new"
            "?merge_request[source_branch]=shelve/x&merge_request[target_branch]=main",
        ),
        ("https://codeberg.org/a/n.git", "https://codeberg.org/a/n/compare/main...shelve/x"),
        ("https://gitea.acme.com/a/n.git", "https://gitea.acme.com/a/n/compare/main...shelve/x"),
        (
            "git@bitbucket.org:a/n.git",
            "https://bitbucket.org/a/n/pull-requests/new?source=shelve/x&dest=main&t=1",
        ),
        ("/srv/git/n.git", ""),
    ],
)
def test_each_kind_of_host_has_its_page_for_a_request(url: str, address: str) -> None:
    assert request_address(url, "main", "shelve/x") == address


def test_odd_names_of_branches_are_escaped() -> None:
    found = request_address("git@github.com:a/n", "main", "shelve/заметка#1")
    assert found.endswith("...shelve/%D0%B7%D0%B0%D0%BC%D0%B5%D1%82%D0%BA%D0%B0%231?expand=1")
