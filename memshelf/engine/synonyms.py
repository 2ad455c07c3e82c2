"""Words of one meaning, and words that belong to a tag: whoever asks for one finds the others too.

A shelf adds groups of its own in memshelf.toml:

    [search]
    synonyms = [["k8s", "kubernetes"], ["auth", "login", "oauth"]]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..domain.errors import ShelfUnusable
from ..domain.text import fold

Groups = tuple[tuple[str, ...], ...]

_KNOWN = """
k8s kubernetes / js javascript / ts typescript / py python / db database / repo repository
config configuration settings / env environment / auth authentication authorization login
deps dependency / docs documentation / perf performance / infra infrastructure / dev development
prod production / app application / dir directory folder / func function / lib library
pkg package / cmd command / impl implementation / spec specification / params parameters
msg message / err error / ci pipeline / pr pull-request / mr merge-request / postgres postgresql
llm language-model / ml machine-learning / ui interface / regex regexp / bug defect / deploy rollout
delete remove / picture image photo / price cost / quick fast / big large / begin start / end finish
ошибка баг / база бд / настройка конфиг конфигурация / репозиторий репо / зависимость пакет
удалить убрать / быстро скорость / цена стоимость / выбрать решить / причина почему
fehler bug / einstellung konfiguration / kosten preis / datenbank db / loschen entfernen
数据库 db / 配置 设置 / 错误 bug / 部署 发布 / 仓库 repo / 性能 速度 / 价格 费用
"""
KNOWN: Groups = tuple(
    tuple(group.split()) for line in _KNOWN.strip().splitlines() for group in line.split(" / ")
)


def groups(settings: dict[str, object]) -> Groups:
    """The groups of a shelf's settings behind those that everybody has. Raises ShelfUnusable."""
    table = settings.get("search", {})
    given = table.get("synonyms", []) if isinstance(table, dict) else None
    if not isinstance(given, list) or not all(map(_is_group, given)):
        said = "memshelf.toml has search.synonyms that is no list of lists of words."
        raise ShelfUnusable(said, 'Write: synonyms = [["k8s", "kubernetes"]]')
    return (*KNOWN, *(tuple(group) for group in given))


def _is_group(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def alike(known: Sequence[Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """For each word, folded, the others of its groups.

    >>> alike([("k8s", "Kubernetes")])["k8s"]
    ('kubernetes',)
    """
    out: dict[str, tuple[str, ...]] = {}
    for group in known:
        words = [fold(word) for word in group]
        for word in words:
            more = (*out.get(word, ()), *(other for other in words if other != word))
            out[word] = tuple(dict.fromkeys(more))
    return out
