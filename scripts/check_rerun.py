"""Checks a file for the Rerun viewer with Rerun's own tools and prints its content.

    pip install rerun-sdk==0.36.3
    regrasp export rerun runs/covered-seed0-000 -o run.rrd
    python scripts/check_rerun.py run.rrd

Exits with an assertion if `rerun rrd verify` refuses the file, if entities that every run has are
missing, or if the file has other timelines than the two of a run.
"""

import collections
import subprocess
import sys

from rerun.experimental import RrdReader

NEEDED = ["/world/robot/", "/world/objects/", "/signals/", "/plan", "/story"]
TIMELINES = {"sim_time", "step"}


def tool(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", "rerun", *arguments], capture_output=True, text=True
    )
    assert done.returncode == 0, f"rerun {' '.join(arguments)}: {done.stderr}"
    return done.stdout + done.stderr


def main(path):
    print(tool("rrd", "verify", path).strip())
    rows, timelines = collections.Counter(), set()
    for chunk in RrdReader(path).stream():
        rows[str(chunk.entity_path)] += chunk.num_rows
        timelines.update(str(name) for name in chunk.timeline_names)
    missing = [name for name in NEEDED if not any(e.startswith(name) for e in rows)]
    assert not missing, f"the file lacks the entities {missing}"
    assert timelines == TIMELINES, f"the file has the timelines {timelines}, expected {TIMELINES}"
    for entity, n in sorted(rows.items()):
        print(f"{n:8} {entity}")
    print(f"{sum(rows.values())} rows of {len(rows)} entities")


if __name__ == "__main__":
    main(sys.argv[1])
