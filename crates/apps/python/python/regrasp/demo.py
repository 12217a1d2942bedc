"""`python -m regrasp.demo`: a failure, its reason, another plan, a table."""

from __future__ import annotations

import sys
import time

import regrasp


def main() -> int:
    """Runs the demonstration. Returns the exit code."""
    began = time.perf_counter()
    robot = regrasp.Robot.panda("covered")
    print("objects:", ", ".join(one.id for one in robot.perceive().objects if one.movable))

    result = robot.pick("red cube")
    print(f"pick red cube: {result.reason} - {result.detail}")
    for name, figure in result.figures.items():
        limit = "" if figure.limit is None else f" (limit {figure.limit:g})"
        print(f"  {name}: {figure.value:g} {figure.unit}{limit}")

    run = robot.run("put the red cube on the plate")
    for skill, reason, detail in run.failures():
        print(f"  {skill}: {reason} - {detail}")
    print(f"put the red cube on the plate: {run.reason}, {run.replans} replan(s)")

    picture = robot.render("scene", size=(320, 240))
    print("picture:", picture.rgb.shape, picture.rgb.dtype, f"digest {robot.state_digest}")
    print(f"{robot.time_s:.1f} simulated s in {time.perf_counter() - began:.1f} s")
    return 0 if run.success else 1


if __name__ == "__main__":
    sys.exit(main())
