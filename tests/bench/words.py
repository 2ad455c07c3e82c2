"""The words of generated episodes: three languages, a few areas of life, and a long rare tail."""

from __future__ import annotations

import itertools
import random
from typing import NamedTuple

RARE = "archaeopteryx"
"""Stands in one episode of a thousand, so that a search for it has few hits."""
COMMON = "decision"
"""Stands in nearly every episode that has English in it."""

# An area is what a conversation was about: the same nouns come back all through an episode.
ENGLISH = {
    "storage": "snapshot replica segment journal volume checksum compaction bucket manifest tombstone shard inode",
    "service": "endpoint gateway request handler deadline retry circuit tenant quota session payload cursor",
    "data": "column partition schema migration outlier histogram sample dataset baseline feature pipeline percentile",
    "interface": "layout viewport palette caption sidebar shortcut tooltip contrast animation gesture typeface margin",
    "research": "hypothesis experiment citation appendix replication survey corpus annotation estimate confounder cohort figure",
    "household": "boiler tariff invoice garden insulation plumber shelf ladder recipe freezer thermostat meter",
    "travel": "itinerary ferry visa platform luggage reservation timetable passport detour hostel insurance border",
    "study": "lecture syllabus grammar exercise flashcard deadline essay rubric dictionary examiner tutor pronunciation",
}
RUSSIAN = {
    "storage": "снимок реплика сегмент журнал том сумма сжатие корзина манифест осколок хранилище копия",
    "service": "запрос шлюз обработчик срок повтор арендатор квота сеанс ответ очередь курсор сбой",
    "data": "столбец раздел схема перенос выброс выборка набор основа признак конвейер перцентиль таблица",
    "interface": "макет экран палитра подпись панель подсказка контраст движение жест шрифт поле кнопка",
    "research": "гипотеза опыт ссылка приложение проверка опрос корпус разметка оценка группа рисунок довод",
    "household": "котёл тариф счёт сад утепление полка лестница рецепт морозильник счётчик ремонт мастер",
    "travel": "маршрут паром виза платформа багаж бронь расписание паспорт объезд страховка граница поезд",
    "study": "лекция программа грамматика упражнение карточка эссе словарь наставник произношение зачёт конспект тема",
}
CHINESE = {
    "storage": "快照 副本 分段 日志 卷 校验 压缩 存储桶 清单 分片",
    "service": "接口 网关 请求 处理器 期限 重试 熔断 租户 配额 会话",
    "data": "字段 分区 模式 迁移 离群值 直方图 样本 数据集 基线 特征",
    "interface": "布局 视口 配色 标题 侧栏 快捷键 提示 对比度 动画 字体",
    "research": "假设 实验 引用 附录 复现 问卷 语料 标注 估计 图表",
    "household": "锅炉 电价 账单 花园 保温 书架 梯子 食谱 冰箱 电表",
    "travel": "行程 渡轮 签证 站台 行李 预订 时刻表 护照 绕行 保险",
    "study": "讲座 大纲 语法 练习 卡片 期末 论文 词典 导师 发音",
}
# Words that scanners for secrets look at: in running text only, never before a colon or an equals sign.
LOADED = "token key signature secret certificate bearer authorization access private".split()
AREAS = tuple(ENGLISH)

JOINTS = "after because while unless before although so once".split()
SMALL = "the a of in for with from under between without per along".split()
DOES = (
    "holds moves drops reads writes blocks splits merges keeps hides counts raises lowers shifts "
    "covers replaces delays repeats follows limits feeds checks stores returns"
).split()
LIKE = (
    "quiet narrow stale early plain brittle shared nested sparse warm uneven frozen shallow steady "
    "partial late broad manual"
).split()

RU_SMALL = "в на с по для от до из к при без после перед через между над".split()
RU_JOINTS = "потому что, если, когда, пока, хотя, чтобы, как только, после того как".split(", ")
RU_DOES = (
    "держит двигает теряет читает пишет делит сводит скрывает считает поднимает снижает заменяет "
    "задерживает повторяет ограничивает проверяет хранит возвращает"
).split()
RU_ENDS = ("", "", "", "а", "у", "ом", "е", "ы", "ов")

ZH_DOES = "保留 移动 丢弃 读取 写入 阻塞 拆分 合并 隐藏 统计 提高 降低 替换 推迟 检查 返回".split()
ZH_JOINTS = "因为 如果 之后 但是 所以 虽然 直到".split()

_SYLLABLES = "ba den fo gri hul ja kel lor mun nes pav qui ros sil tov ul vek wim yon zar".split()


class Words(NamedTuple):
    """The nouns to draw from, most common first, with running sums of their Zipf weights."""

    english: list[str]
    english_weights: list[float]
    russian: list[str]
    russian_weights: list[float]
    tags: list[str]
    tag_weights: list[float]


def vocabulary(rng: random.Random) -> Words:
    """The vocabulary of one shelf: 9,000 made-up words make the tail that real text has."""
    tail = {"".join(rng.choices(_SYLLABLES, k=rng.choice((2, 3, 3, 4)))) for _ in range(12_000)}
    rare = sorted(tail)[:9_000]
    rng.shuffle(rare)
    nouns = sorted({word for line in ENGLISH.values() for word in line.split()})
    rng.shuffle(nouns)
    endings = [ru + end for line in RUSSIAN.values() for ru in line.split() for end in RU_ENDS[2:]]
    russian = sorted(set(endings))
    rng.shuffle(russian)
    tags = _tags(rng, nouns)
    english = [*nouns, *LOADED, *rare]
    return Words(english, zipf(english), russian, zipf(russian), tags, zipf(tags))


def zipf(words: list[str]) -> list[float]:
    """Running sums of 1/rank, as `random.choices` takes them."""
    return list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))


def _tags(rng: random.Random, nouns: list[str]) -> list[str]:
    pairs = [f"{rng.choice(LIKE)}-{noun}" for noun in nouns]
    own = ["память", "дом", "учёба", "记忆", "笔记", "c++", "q&a"]
    return [*nouns[:60], *own, *pairs]
