#!/usr/bin/env python3
"""Lets a model interpret reworded instructions that the grammar does not, and compares the goals.

    pip install pyyaml
    python scripts/check_reader.py REGRASP LIBERO_DIR URL [N]

The expected goal of an instruction is the grammar's goal of the task's plain sentence. With N, only
N random instructions go to the model. Nothing moves, because every step waits for an approval that
nobody gives.
"""

import collections
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

import yaml

SENTENCES = "crates/models/llm-planner/tests/vlm/reworded.yaml"


def regrasp(binary, libero, entry, text, *more):
    name = entry["task"]
    if name.startswith("libero"):
        name = f"{libero}/bddl_files/{name}.bddl"
    line = [binary, "run", "--libero", libero, "--task", name, text, *more]
    run = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return run.stdout + run.stderr


def facts(said):
    """Returns the set of facts of the printed goal, or None if no goal was printed."""
    goal = re.search(r"^GOAL: (.*)$", said, re.M)
    return goal and frozenset(re.split(r" and | then ", goal[1]))


def outcome(said, gold):
    if goal := facts(said):
        return "same" if goal == gold else "wrong"
    is_asked = "ambiguous" in said or said.startswith("which ")
    return "asked" if is_asked else "refused"


def main():
    binary, libero, url, *n = sys.argv[1:]
    entries = yaml.safe_load(pathlib.Path(SENTENCES).read_text())
    grammar, left = collections.Counter(), []
    for entry in entries:
        gold = facts(regrasp(binary, libero, entry, entry["plain"], "--dry-run"))
        said = outcome(regrasp(binary, libero, entry, entry["text"], "--dry-run"), gold)
        grammar[said] += 1
        if said == "refused":
            left.append((entry, gold))
    print("grammar alone:", dict(grammar))
    random.Random(38).shuffle(left)
    model, seconds = collections.Counter(), []
    for entry, gold in left[: int(n[0]) if n else None]:
        begun = time.monotonic()
        with tempfile.TemporaryDirectory() as runs:
            asked = ["--planner", "custom", "--model", "any", "--base-url", url]
            asked += ["--plan-by", "goal", "--approve", "always", "--runs-dir", runs]
            said = regrasp(binary, libero, entry, entry["text"], "--model-timeout", "3000", *asked)
        seconds.append(time.monotonic() - begun)
        model[outcome(said, gold)] += 1
        detail = re.search(r"^GOAL: .*$|detail: .*$", said, re.M)
        print(f"{outcome(said, gold)}, {seconds[-1]:.0f} s: {entry['text']}")
        print(f"    {detail[0] if detail else said[-200:]}", flush=True)
    mean = sum(seconds) / max(len(seconds), 1)
    print(f"model, of {len(seconds)}: {dict(model)}; {mean:.0f} s each")


if __name__ == "__main__":
    main()
