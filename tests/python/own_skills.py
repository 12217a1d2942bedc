"""Skills for benchmarks, which are run by processes that import them."""

from __future__ import annotations

from typing import Any

from regrasp import Found, Operator, Robot, RobotFailure, Skill


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


class Searched(Skill):
    """Looks at an object from above, and says what it needs and brings about."""

    name = "inspect"
    description = "Looks at an object closely, from right above it."
    args = {"object": {"type": "string", "x-names-object": True}}
    hand = "empty"
    operators = [
        Operator(
            {"object": "movable"},
            needs=["hand_empty", "clear(object)"],
            brings=["inspected(object)"],
        )
    ]

    def precondition(self, robot: Robot, args: dict[str, Any]) -> Any:
        found = robot.find(args["object"])
        return found.pose.position + [0, 0, 0.15]

    def run(self, robot: Robot, args: dict[str, Any], work: Any) -> None:
        robot.move(position=work, quat_xyzw=[1, 0, 0, 0])

    def verify(self, robot: Robot, args: dict[str, Any], work: Any) -> Found:
        off_m = float(abs(robot.observe().tool.position - work).max())
        if off_m > 0.005:
            raise RobotFailure("verification_failed", f"the hand is {off_m:.3f} m off")
        return Found(f"the hand is {off_m:.4f} m off above it")
