"""Prints the tables of suites and times in docs/results.md from a folder that results.sh filled.

    python3 scripts/results_tables.py target/results
"""
import json
import math
import pathlib
import sys

# Tasks with their own row in the table of times.
TIMED = (
    "pick_cube_scrambled stack_two unstack_to_plate place_left_of open_drawer shelf_pick over_wall clutter_pick "
    "stand_up maniskill/push_cube maniskill/peg_insertion_side maniskill/plug_charger robosandbox/pour"
).split()


def wilson(k, n, z=1.96):
    """Wilson's interval of k successes in n, in percent."""
    mid, half = (k + z * z / 2) / (n + z * z), z * math.sqrt(k * (n - k) / n + z * z / 4) / (n + z * z)
    return f"{100 * max(0.0, mid - half):.1f} to {100 * min(1.0, mid + half):.1f} %"


def quantile(values, q):
    return sorted(values)[min(len(values) - 1, math.ceil(q * len(values)) - 1)]


def main(folder):
    suites, times, recovery = {}, {}, {}
    for file in sorted(pathlib.Path(folder, "runs").glob("*/results.jsonl")):
        for episode in map(json.loads, file.open()):
            if "class" in episode:
                recovery.setdefault(episode["strategy"], []).append(episode["right_end"])
                continue
            suites.setdefault(file.parent.name, []).append(episode["verdict"])
            times.setdefault((file.parent.name, episode["task"]), []).append(episode["wall_s"])
    print("| suite | success | 95 % interval | false success |\n|---|---|---|---|")
    for suite, verdicts in suites.items():
        judged = [v for v in verdicts if v["verdict"] != "infrastructure"]
        done = sum(v["verdict"] == "success" for v in judged)
        false = sum(v.get("false_success", False) for v in judged)
        print(f"| `{suite}` | {done}/{len(judged)} | {wilson(done, len(judged))} | {false} |")
    print("\n| planner | correct ends |\n|---|---|")
    for planner, ends in recovery.items():
        print(f"| {planner} | {sum(ends)}/{len(ends)} |")
    print("\n| task | median | p95 |\n|---|---|---|")
    for (suite, task), seconds in times.items():
        if suite == "all" and task in TIMED:
            print(f"| `{task}` | {quantile(seconds, 0.5):.2g} | {quantile(seconds, 0.95):.2g} |")


if __name__ == "__main__":
    main(*sys.argv[1:] or ["target/results"])
