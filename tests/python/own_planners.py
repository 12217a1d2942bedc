"""Planners for benchmarks, whose episodes are run by other processes."""

from __future__ import annotations

import time
from pathlib import Path

from regrasp import Plan, PlanRequest, Step

PICK = Plan([Step("pick", {"object": "red_cube"})], goals=["holding(red_cube)"])


def picking(request: PlanRequest) -> Plan:
    """A function that plans."""
    return PICK


class Picking:
    """Plans with `await`, and never twice in the same episode."""

    name = "picking"
    version = "7"

    def __init__(self, says: str = "") -> None:
        self.says = says
        self.n_asked = 0

    async def plan(self, request: PlanRequest) -> Plan:
        self.n_asked += 1
        if self.n_asked > 1:
            raise RuntimeError("asked by a second episode")
        return PICK


class Crashing:
    """Breaks down where the seed moved the cube to the left."""

    def plan(self, request: PlanRequest) -> Plan:
        if request.percept["red_cube"].pose.position[1] > 0:
            raise ZeroDivisionError(self.plan.__name__)
        return PICK


class Careless:
    """Answers with what is no plan."""

    def plan(self, request: PlanRequest) -> Plan:
        return "pick the red cube"  # type: ignore[return-value]


class Sleeping:
    """Says that it was asked, and takes its time."""

    def __init__(self, says: Path) -> None:
        self.says = says

    def plan(self, request: PlanRequest) -> Plan:
        self.says.touch()
        time.sleep(100)
        return PICK
