"""Checks a file for the Rerun viewer with the makers' own tools and says what is in it.

    pip install rerun-sdk==0.36.3
    regrasp export rerun runs/covered-seed0-000 -o run.rrd
    python scripts/check_rerun.py run.rrd

Ends with 1 if `rerun rrd verify` refuses it, if something that every run has is missing, or
if something is on another timeline than the two of a run.
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
    assert not missing, f"it lacks {missing}"
    assert timelines == TIMELINES, f"its timelines are {timelines}"
    for entity, n in sorted(rows.items()):
        print(f"{n:8} {entity}")
    print(f"{sum(rows.values())} rows of {len(rows)} entities")


if __name__ == "__main__":
    main(sys.argv[1])
