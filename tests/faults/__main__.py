"""python -m tests.faults --histories 2000 --seed 1: play random histories and look for faults."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections import Counter

from .history import Ground, Plan, Player, fault_of, plan, shorter
from .world import ground, make, settle_environment


def main() -> int:
    """Play them; 1 where one found a fault."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # the small disk is given back
    totals: Counter[str] = Counter()
    Player.loud = options.verbose
    begun, failed = time.monotonic(), 0
    with ground() as (folder, small):
        settle_environment(folder)
        stage = Ground(folder, small, make(folder, False), make(folder, True))
        seeds = range(options.seed, options.seed + options.histories)
        print(f"seeds {seeds[0]} to {seeds[-1]}, small disk: {small}", flush=True)
        for seed in seeds:
            fault, counts = fault_of(stage, plan(seed, options.steps))
            totals.update(counts)
            if fault:
                failed += 1
                _tell(stage, plan(seed, options.steps), fault, options)
                if options.first:
                    break
            if options.seconds and time.monotonic() - begun > options.seconds:
                print(f"stopped after seed {seed}, as asked")
                break
    _sum_up(totals, seed - options.seed + 1, failed, time.monotonic() - begun)
    return 1 if failed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--histories", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="the first; each history adds one")
    parser.add_argument("--steps", type=int, default=12, help="of the longest history")
    parser.add_argument("--seconds", type=float, default=0, help="begin no other after so long")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--first", action="store_true", help="end with the first fault")
    parser.add_argument("--verbose", action="store_true", help="print each step")
    return parser.parse_args()


def _tell(stage: Ground, found: Plan, fault: str, options: argparse.Namespace) -> None:
    again = f"python -m tests.faults --histories 1 --steps {options.steps} --seed {found.seed}"
    print(f"\nFAULT at seed {found.seed}: {fault}\nagain: {again}", flush=True)
    if options.no_shrink:
        return
    short = shorter(stage, found)
    print(f"clones {short.clones}, rendered after each write: {short.rendered}")
    print("\n".join(f"  {step} [{step.seed}]" for step in short.steps))
    print(f"which says: {fault_of(stage, short)[0] or 'nothing this time'}\n", flush=True)


def _sum_up(totals: Counter[str], histories: int, failed: int, seconds: float) -> None:
    print(f"{histories} histories, {failed} with a fault, {seconds:.0f} s")
    for name, count in sorted(totals.items()):
        print(f"  {name}: {count}")


if __name__ == "__main__":
    sys.exit(main())
