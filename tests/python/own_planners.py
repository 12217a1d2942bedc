"""Planners for benchmarks, in a module that the processes of a benchmark can import."""

from __future__ import annotations

import time
from pathlib import Path

from regrasp import Plan, PlanRequest, Step

PICK = Plan([Step("pick", {"object": "red_cube"})], goals=["holding(red_cube)"])


def picking(request: PlanRequest) -> Plan:
    """Planner that is a function."""
    return PICK


class Picking:
    """Asynchronous planner, each instance of which fails if it plans twice."""

    name = "picking"
    version = "7"

    def __init__(self, says: str = "") -> None:
        self.says = says
        self.n_asked = 0

    async def plan(self, request: PlanRequest) -> Plan:
        self.n_asked += 1
        if self.n_asked > 1:
            raise RuntimeError("the planner was asked for a second plan")
        return PICK


class Crashing:
    """Planner that raises an exception if the cube is on the left."""

    def plan(self, request: PlanRequest) -> Plan:
        if request.percept["red_cube"].pose.position[1] > 0:
            raise ZeroDivisionError(self.plan.__name__)
        return PICK


class Careless:
    """Planner that returns a string instead of a plan."""

    def plan(self, request: PlanRequest) -> Plan:
        return "pick the red cube"  # type: ignore[return-value]


class Sleeping:
    """Planner that creates the file `says` and then takes 100 s."""

    def __init__(self, says: Path) -> None:
        self.says = says

    def plan(self, request: PlanRequest) -> Plan:
        self.says.touch()
        time.sleep(100)
        return PICK
