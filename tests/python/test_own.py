"""Skills and planners that are written in Python."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import regrasp
from own_skills import OwnPick
from regrasp import Found, Plan, PlanRequest, Robot, RobotFailure, Skill, Step


class Raise(Skill):
    """Raises the tool, and verifies its height."""

    name = "raise_hand"
    description = "Raises the hand by some height."
    args = {"height_m": {"type": "number", "minimum": 0.01, "maximum": 0.2}}

    def precondition(self, robot: Robot, args: dict[str, Any]) -> float:
        return float(robot.observe().tool.position[2])

    def run(self, robot: Robot, args: dict[str, Any], work: float) -> None:
        robot.begin("raise")
        x, y, _ = robot.observe().tool.position
        robot.move(position=[x, y, work + args["height_m"]])

    def verify(self, robot: Robot, args: dict[str, Any], work: float) -> Found:
        rise = float(robot.observe().tool.position[2]) - work
        if abs(rise - args["height_m"]) > 0.005:
            raise RobotFailure(
                "verification_failed", f"the tool rose by {rise:.3f} m", figures={"rise": rise}
            )
        return Found(f"the tool rose by {rise:.3f} m", {"rise": regrasp.Figure(rise, None, "m")})


def test_a_skill_is_called_like_any_other() -> None:
    robot = Robot.panda("tabletop")
    robot.add_skill(Raise())
    assert "raise_hand" in [skill["name"] for skill in robot.skills()]
    result = robot.call("raise_hand", height_m=0.1)
    assert result, result
    assert abs(result.figures["rise"].value - 0.1) < 0.005
    assert result.verified_by == ["joints"]
    assert robot.call("raise_hand", height_m=5).reason == "bad_arguments"
    assert robot.call("raise_hand", hight_m=0.1).reason == "bad_arguments"


def test_a_skill_keeps_the_rules_that_every_skill_keeps() -> None:
    report = regrasp.conformance(Raise(), [{"height_m": 0.05}])
    assert report, str(report)
    assert report.n_calls > 10 and report.n_stopped > 0


class Careless(Raise):
    """Ignores the failures of its motion, and verifies without a detail."""

    name = "careless"

    def run(self, robot: Robot, args: dict[str, Any], work: float) -> None:
        for _ in range(3):
            try:
                super().run(robot, args, work)
            except RobotFailure:
                pass

    def verify(self, robot: Robot, args: dict[str, Any], work: float) -> Found:
        return Found("")


def test_a_careless_skill_is_found_out() -> None:
    report = regrasp.conformance(Careless(), [{"height_m": 0.05}])
    assert not report
    assert {"SaysWhy"} <= {finding["rule"] for finding in report.findings}


class Crashing(Raise):
    name = "crashing"

    def run(self, robot: Robot, args: dict[str, Any], work: float) -> None:
        raise ZeroDivisionError("one over none")


kept: list[Robot] = []


class Keeping(Raise):
    name = "keeping"

    def precondition(self, robot: Robot, args: dict[str, Any]) -> float:
        kept.append(robot)
        return super().precondition(robot, args)


def test_a_crash_is_a_failure_and_a_kept_robot_is_gone() -> None:
    robot = Robot.panda("tabletop")
    robot.add_skill(Crashing())
    robot.add_skill(Keeping())
    crashed = robot.call("crashing", height_m=0.05)
    assert crashed.reason == "skill_crashed" and "one over none" in crashed.detail
    assert robot.call("keeping", height_m=0.05)
    with pytest.raises(regrasp.RegraspError, match="has ended"):
        kept[0].observe()


def test_what_a_skill_lets_others_do_is_part_of_the_run() -> None:
    robot = Robot.panda("tabletop")
    robot.add_skill(OwnPick())
    run = robot.run("pick up the red cube")
    assert run, run
    phases = [event["name"] for event in run.events if event["event"] == "phase_started"]
    alone = Robot.panda("tabletop").run("pick up the red cube")
    expected = [event["name"] for event in alone.events if event["event"] == "phase_started"]
    assert phases == expected, "events of a called skill are missing"


class Greedy(Raise):
    """Uses another robot object than the one that it gets as an argument."""

    name = "greedy"
    robot: Robot | None = None

    def run(self, robot: Robot, args: dict[str, Any], work: float) -> None:
        assert self.robot is not None
        self.robot.observe()


def test_a_skill_that_uses_the_outer_robot_is_told_and_does_not_hang() -> None:
    robot = Robot.panda("tabletop")
    greedy = Greedy()
    greedy.robot = robot
    robot.add_skill(greedy)
    result = robot.call("greedy", height_m=0.05)
    assert result.reason == "skill_crashed" and "busy" in result.detail


class Reading:
    """Planner that uncovers the red cube if the last pick failed because it is covered."""

    name = "reading"

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def plan(self, request: PlanRequest) -> Plan:
        await asyncio.sleep(0)
        self.seen += [attempt["reason"] for attempt in request.attempts]
        fetch = [Step("pick", {"object": "red_cube"}), Step("place_on", {"target": "plate"})]
        if "object_covered" in self.seen:
            fetch = [
                Step("pick", {"object": "blue_cube"}),
                Step("place_at", {"x": 0.37, "y": -0.2}),
                *fetch,
            ]
        return Plan(fetch, goals=["on(red_cube, plate)"], reasoning="as it failed before")


def test_an_asynchronous_planner_reads_why_it_failed() -> None:
    robot = Robot.panda("covered")
    planner = Reading()
    run = robot.run("put the red cube on the plate", planner=planner)
    assert run, run
    assert run.replans == 1 and planner.seen == ["object_covered"]


def test_a_function_is_a_planner_and_nonsense_is_told() -> None:
    def home(request: PlanRequest) -> Plan:
        return Plan([Step("home")])

    assert Robot.panda("tabletop").run("rest", planner=home)

    def nonsense(request: PlanRequest) -> Any:
        return "go left"

    run = Robot.panda("tabletop").run("rest", planner=nonsense, max_replans=0)
    assert not run and "regrasp.Plan" in run.detail
    with pytest.raises(regrasp.SetupError):
        Robot.panda("tabletop").run("rest", planner=object())


OF_TWO = "on in beside against under inserted poured swapped left_of right_of in_front_of behind"


@pytest.mark.parametrize("name", OF_TWO.split())
def test_a_wrong_fact_is_no_goal_of_a_plan(name: str) -> None:
    wrong = {
        f"{name}(red_cube, red_cube)": "itself",
        f"{name}(red_cube)": "2 objects",
        f"{name}(red_cube, plate, table)": "2 objects",
        f"{name}(red_cube, 0.3)": "2 objects",
    }
    for fact, why in wrong.items():
        for goal in (fact, {"goal": "declared", "fact": {"predicate": name, "of": _of(fact)}}):

            def planner(request: PlanRequest, goal: Any = goal) -> Plan:
                return Plan([Step("home")], goals=[goal])

            run = Robot.panda("tabletop").run("rest", planner=planner, max_replans=0)
            assert not run and why in run.detail, (goal, run)


def _of(fact: str) -> list[str]:
    return fact[:-1].split("(")[1].split(", ")
