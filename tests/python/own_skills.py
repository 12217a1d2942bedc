"""Skills for benchmarks, in a module that the processes of a benchmark can import."""

from __future__ import annotations

from typing import Any

from regrasp import Found, Operator, Robot, RobotFailure, Skill


class OwnPick(Skill):
    """Replaces the built-in skill `pick`, and calls it."""

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
        return Found(f"the fingers are {state.gripper_width_m:.3f} m apart")


class Refusing(OwnPick):
    """Replaces the built-in skill `pick`, and always fails."""

    def run(self, robot: Robot, args: dict[str, Any], work: None) -> None:
        raise RobotFailure("too_tired", "this skill always fails")


class Searched(Skill):
    """Moves the tool above an object, and declares its preconditions and effects."""

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
            raise RobotFailure("verification_failed", f"the tool is {off_m:.3f} m from its target")
        return Found(f"the tool is {off_m:.4f} m from its target above the object")
