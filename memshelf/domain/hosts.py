"""Addresses of remotes: what may be shown of them, and where a host makes a branch public."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote, urlsplit

from .patterns import lazy

_SCP = lazy(r"(?:[^/@:\s]+@)?([\w.-]+):(?!//)(.+)")
_CREDENTIALS = lazy(r"(?<=://)[^/\s'\"]*@")
_PAGES = {
    "github.com": ("github.io", "https://{owner}.github.io/{name}/"),
    "gitlab.com": ("gitlab.io", "https://{owner}.gitlab.io/{name}/"),
    "codeberg.org": ("codeberg.page", "https://{owner}.codeberg.page/{name}/"),
    "bitbucket.org": ("bitbucket.io", "https://{owner}.bitbucket.io/{name}/"),
}
"""Hosts that make pages of a branch, also of a private repository: the domain, the usual address."""


_REQUESTS = (
    (
        "gitlab",
        "{web}/-/merge_requests/new?merge_request[source_branch]={new}"
        "&merge_request[target_branch]={base}",
    ),
    ("bitbucket", "{web}/pull-requests/new?source={new}&dest={base}&t=1"),
    ("github", "{web}/compare/{base}...{new}?expand=1"),
    ("", "{web}/compare/{base}...{new}"),
)
"""Where a branch is offered for merging, by a word in the host's name; Gitea's form for others."""


class Place(NamedTuple):
    """Where a remote is: its host in small letters and its path; both empty for a folder."""

    host: str
    path: str


def shown(text: str) -> str:
    """A text, an address or what git said, without names and passwords in addresses.

    >>> shown("fatal: https://ann:pw@example.org/x.git")
    'fatal: https://example.org/x.git'
    """
    return _CREDENTIALS.sub("", text)


def place(url: str) -> Place:
    """Where the address of a remote leads.

    >>> place("git@github.com:acme/notes.git"), place("../shelf.git")
    (Place(host='github.com', path='acme/notes'), Place(host='', path=''))
    """
    if "://" in url:
        try:
            found = urlsplit(url)
            host, path = found.hostname or "", found.path
        except ValueError:
            return Place("", "")
    else:
        scp = _SCP.fullmatch(url)
        host, path = (scp.group(1), scp.group(2)) if scp else ("", "")
    host = "" if len(host) == 1 else host.lower()  # C:/shelf is a folder
    return Place(host, path.strip("/").removesuffix(".git")) if host else Place("", "")


def pages_address(url: str) -> str:
    """Where a known host shows the pages of a repository to everybody; "" for any other.

    >>> pages_address("https://github.com/acme/notes.git")
    'https://acme.github.io/notes/'
    >>> pages_address("ssh://git@github.com/acme/acme.github.io")
    'https://acme.github.io/'
    """
    where = place(url)
    host = where.host.removeprefix("ssh.").removeprefix("altssh.").removeprefix("www.")
    owner, _, name = where.path.partition("/")
    if host not in _PAGES or not owner or not name:
        return ""
    domain, form = _PAGES[host]
    if name.lower() == f"{owner}.{domain}".lower():
        return f"https://{name.lower()}/"
    return form.format(owner=owner.lower(), name=name)


def web_address(url: str) -> str:
    """The page of a repository at its host; "" for a folder.

    >>> web_address("ssh://git@example.org:2222/acme/notes.git")
    'https://example.org/acme/notes'
    """
    where = place(url)
    if not where.host or not where.path or url.startswith("file:"):
        return ""
    host = where.host.removeprefix("ssh.").removeprefix("altssh.")
    scheme, _, rest = url.partition("://")
    if rest and scheme in ("http", "https"):
        return f"{scheme}://{rest.partition('/')[0].rpartition('@')[2].lower()}/{where.path}"
    return f"https://{host}/{where.path}"


def request_address(url: str, base: str, new: str) -> str:
    """Where one opens a request to merge a branch into another; "" for a folder.

    >>> request_address("git@github.com:acme/notes.git", "main", "shelve/x")
    'https://github.com/acme/notes/compare/main...shelve/x?expand=1'
    """
    web = web_address(url)
    form = next(form for word, form in _REQUESTS if word in place(url).host)
    return web and form.format(web=web, base=quote(base), new=quote(new))


def asking_address(url: str) -> str:
    """Where to ask over HTTP whether everybody may read a remote; "" for a folder, or no address.

    The path ends as it does in the address: some hosts know a repository only without `.git`.

    >>> asking_address("https://ann:pw@example.org:8443/notes.git?token=x")
    'https://example.org:8443/notes.git/info/refs?service=git-upload-pack'
    >>> asking_address("git@git.example.org:~ann/notes")
    'https://git.example.org/~ann/notes/info/refs?service=git-upload-pack'
    >>> asking_address("../notes"), asking_address("file:///srv/notes.git")
    ('', '')
    """
    web = web_address(url)
    ending = ".git" if url.partition("?")[0].rstrip("/").endswith(".git") else ""
    return web and f"{web}{ending}/info/refs?service=git-upload-pack"
