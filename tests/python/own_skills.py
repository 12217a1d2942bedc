"""Skills for benchmarks, which are run by processes that import them."""

from __future__ import annotations

from typing import Any

from regrasp import Found, Robot, RobotFailure, Skill


class OwnPick(Skill):
    """Takes the place of the built-in skill, and lets it do the work."""

    name = "pick"
    description = "Picks an object."
    args = {"object": {"type": "string"}, "then": {"type": "object"}}
    optional = ["then"]

    def precondition(self, robot: Robot, args: dict[str, Any]) -> None:
        return None

    def run(self, robot: Robot, args: dict[str, Any], work: None) -> None:
        robot.call("pick", **args).check()

    def verify(self, robot: Robot, args: dict[str, Any], work: None) -> Found:
        state = robot.observe()
        return Found(f"the hand is {state.gripper_width_m:.3f} m wide")


class Refusing(OwnPick):
    """Never picks anything."""

    def run(self, robot: Robot, args: dict[str, Any], work: None) -> None:
        raise RobotFailure("too_tired", "it picks nothing today")
