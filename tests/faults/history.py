"""A history: steps drawn from a seed, played one after another, each looked at; and made shorter."""

from __future__ import annotations

import os
import random
import shutil
import traceback
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import memshelf

from . import converge, deaths, invariants
from .deaths import FORKS, Doom, Outcome
from .operations import TABLE, Did, Turn, jump, live, shelve_anew
from .world import Fault, World, git, raise_world

WAYS = ("plain", "killed", "full disk", "two at once", "jump") if FORKS else ("plain", "jump")
_WEIGHTS = (66, 14, 8, 6, 6) if FORKS else (90, 10)
_JOINING = ("sync", "sync --push", "shelve --push")
_CLOCK = ("SOURCE_DATE_EPOCH", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE")


class Step(NamedTuple):
    """One step, that says all about itself, so that others may be left out."""

    number: int
    clone: int
    name: str
    way: str
    seed: int

    def __str__(self) -> str:
        return f"{self.number}. clone{self.clone}: {self.name} ({self.way})"


class Plan(NamedTuple):
    """A whole history before it is played."""

    seed: int
    clones: int
    rendered: bool
    draft: bool
    steps: tuple[Step, ...]


def plan(seed: int, longest: int) -> Plan:
    """The history of a seed: two to four clones, and as many steps as `longest` at most."""
    dice = random.Random(seed)
    clones = dice.choice((2, 2, 3, 4))
    weights = [operation.weight for operation in TABLE.values()]
    steps = []
    for number in range(1, dice.randint(max(1, longest // 2), longest) + 1):
        (name,) = dice.choices(list(TABLE), weights)
        (way,) = dice.choices(WAYS, _WEIGHTS)
        way = way if TABLE[name].mortal else "plain"
        steps.append(Step(number, dice.randrange(clones), name, way, dice.getrandbits(32)))
    return Plan(seed, clones, dice.random() < 0.06, dice.random() < 0.3, tuple(steps))


class Ground(NamedTuple):
    """Where histories are played: the templates, and whether the disk is small and ours."""

    folder: Path
    small: bool
    manual: Path
    rendered: Path


class Player:
    """Plays one plan; raises Fault where a promise is broken. `loud` prints each step."""

    loud = False

    def __init__(self, ground: Ground, plan: Plan) -> None:
        self.ground, self.plan = ground, plan
        self.saved: set[str] = set()
        self.gone: set[str] = set()
        self.counts: dict[str, int] = {}

    def play(self) -> dict[str, int]:
        """Play it to its end; how many steps ended in which way."""
        folder = self.ground.folder / f"world-{os.getpid()}"
        template = self.ground.rendered if self.plan.rendered else self.ground.manual
        try:
            world = raise_world(template, folder, self.plan.clones, self.plan.draft)
            for step in self.plan.steps:
                self._step(world, step)
            self._finish(world)
        finally:
            for name in _CLOCK:
                os.environ.pop(name, None)
            shutil.rmtree(folder, ignore_errors=True)
        return self.counts

    def _step(self, world: World, step: Step) -> None:
        try:
            self._taken(world.clones[step.clone], step)
        except Fault as trouble:
            raise Fault(f"after {step}: {trouble}") from trouble

    def _taken(self, root: Path, step: Step) -> None:
        dice = random.Random(step.seed)
        if not live(root):
            return
        before = invariants.held(root) if step.name == "forget" else set()
        outcomes = self._played(root, step, dice)
        for outcome in outcomes:
            self._count(outcome, step)
        if any(outcome.killed for outcome in outcomes) or step.way == "full disk":
            self._next_command(root, step, dice)
        harmed = outcomes[0].killed or step.way == "full disk"
        if harmed and step.name in _JOINING:  # which the next sync goes on with
            self._count(deaths.tried(partial(TABLE["sync --push"].run, Turn(root, dice, 0))), step)
        if step.name == "forget":
            self._forgotten(root, before, outcomes)
        for outcome in outcomes:
            if outcome.did and step.name != "forget":
                invariants.reported_is_committed(root, self._noted(outcome.did))
        invariants.nothing_is_left(root)

    def _forgotten(self, root: Path, before: set[str], outcomes: list[Outcome]) -> None:
        """What is gone, where nobody could say so: of a killed one, or amended a moment before."""
        for outcome in outcomes:
            if outcome.did:
                before |= set(self._noted(outcome.did).words)
        if len(outcomes) > 1 or outcomes[0].killed:
            self.gone |= before - invariants.held(root)

    def _played(self, root: Path, step: Step, dice: random.Random) -> list[Outcome]:
        turn = Turn(root, dice, step.number * 10)
        work = partial(TABLE[step.name].run, turn)
        if step.way == "killed":
            return [deaths.apart(work, deaths.any_death(random.Random(step.seed + 1)))]
        if step.way == "full disk":
            return [self._on_full_disk(step, work, dice)]
        if step.way == "two at once":
            other = Turn(root, random.Random(step.seed + 1), step.number * 10 + 1)
            second = partial(TABLE[dice.choice(("amend", "shelve"))].run, other)
            return deaths.together([(work, deaths.unharmed), (second, deaths.unharmed)])
        if step.way == "jump":
            jump(dice)
        return [deaths.tried(work)]

    def _on_full_disk(self, step: Step, work: deaths.Work, dice: random.Random) -> Outcome:
        """A disk that is really full, or where there is none a limit for each file.

        The limit kills a git that moves the user's files, which a full disk does not.
        """
        if self.ground.small and (step.name in _JOINING or dice.random() < 0.7):
            with deaths.full(self.ground.folder, dice.choice((0, 4096, 8192, 16384, 65536))):
                return deaths.apart(work, deaths.unharmed)
        if step.name in _JOINING:
            return deaths.tried(work)
        limit: Doom = deaths.files_up_to(dice.choice((0, 100, 700, 1500, 4000)))
        return deaths.apart(work, limit)

    def _count(self, outcome: Outcome, step: Step) -> None:
        if self.loud:
            print(step, outcome)
        if outcome.traceback:
            raise Fault(outcome.traceback)
        how = "killed" if outcome.killed else "refused" if outcome.refused else "done"
        code = outcome.refused.partition(":")[0]
        for name in (how, f"{step.way}: {how}", *([f"refused as {code}"] if code else [])):
            self.counts[name] = self.counts.get(name, 0) + 1

    def _next_command(self, root: Path, step: Step, dice: random.Random) -> None:
        """A command that opens the shelf, which mends what was left; a write shows that one can."""
        turn = Turn(root, dice, step.number * 10 + 5)
        if dice.random() < 0.5:
            memshelf.index(turn.store)
        outcome = deaths.tried(partial(shelve_anew, turn))
        if outcome.did is None:
            said = outcome.traceback or outcome.refused
            raise Fault(f"the next command: {said}")
        self._noted(outcome.did)

    def _noted(self, did: Did) -> Did:
        self.saved |= set(did.words)
        self.gone |= set(did.gone)
        return did

    def _finish(self, world: World) -> None:
        for name in _CLOCK:
            os.environ.pop(name, None)
        for clone in world.clones:  # what a killed process saved without saying so counts too
            self.saved |= invariants.held(clone)
        converge.converge(world)
        invariants.are_one(world)
        invariants.all_words(world, self.saved - self.gone)
        for folder in (*world.clones, world.remote):
            invariants.sound(folder)
        for clone in world.clones:
            invariants.nothing_is_left(clone)
        invariants.commits_hold_their_own(world.clones[0])
        invariants.derived_follow_from_episodes(world.clones[-1])
        if self.plan.seed % 4 == 0:
            self._rendered_anew(world)

    def _rendered_anew(self, world: World) -> None:
        """A fresh clone, in which every derived file is deleted and rendered, holds what all hold."""
        fresh = world.folder / "fresh"
        git(world.folder, "clone", "-q", str(world.remote), "fresh")
        for name in ("INDEX.md", "ledger.tsv"):
            (fresh / name).unlink()
        memshelf.rebuild(memshelf.open_shelf(fresh))
        rows = git(fresh, "status", "--porcelain")
        if rows:
            raise Fault(f"derived files that were deleted come back otherwise: {rows}")


def fault_of(ground: Ground, plan: Plan) -> tuple[str, dict[str, int]]:
    """What a plan found wrong, "" for nothing, and its counts."""
    player = Player(ground, plan)
    try:
        return "", player.play()
    except Fault as trouble:
        return str(trouble) or "a fault without a word", player.counts
    except Exception:  # a command that ends in a traceback, wherever it stood
        return traceback.format_exc(), player.counts


def shorter(ground: Ground, whole: Plan, tries: int = 60) -> Plan:
    """A plan with fewer steps that still fails; a fault that hangs on a moment may stay long."""
    best: Sequence[Step] = whole.steps
    size = max(1, len(best) // 2)
    while tries > 0 and len(best) > 1:
        for start in range(0, len(best), size):
            part = (*best[:start], *best[start + size :])
            tries -= 1
            if part and fault_of(ground, whole._replace(steps=part))[0]:
                best = part
                break
        else:
            if size == 1:
                break
            size //= 2
    return whole._replace(steps=tuple(best))
