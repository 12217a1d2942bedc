"""Planners written in Python."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from .results import Percept


@dataclass(frozen=True)
class Step:
    """One call of a skill."""

    skill: str
    """Name of the skill."""
    args: dict[str, Any] = field(default_factory=dict)
    """Arguments; ``regrasp skills --json`` has their schemas."""


@dataclass(frozen=True)
class Plan:
    """The next calls, and the goals that should hold afterwards."""

    steps: list[Step] = field(default_factory=list)
    """Calls in order."""
    goals: list[str | dict[str, Any]] = field(default_factory=list)
    """Goals that must hold when the task is done, such as ``on(red_cube, plate)``."""
    done: bool = True
    """True if the task is done after these steps."""
    answer: str = "done"
    """Final answer to the person who gave the task."""
    reasoning: str = ""
    """Reasoning behind these steps."""
    infeasible: str | None = None
    """Reason for which the goals cannot be achieved, if so."""
    question: str | None = None
    """Question that a person must answer before the run continues."""

    def to_json(self) -> dict[str, Any]:
        """JSON form for the agent."""
        steps = [{"skill": step.skill, "args": step.args} for step in self.steps]
        return {
            "reasoning": self.reasoning,
            "steps": steps,
            "goals": self.goals,
            "done": self.done,
            "final_answer": self.answer if self.done else None,
            "achievable": self.infeasible is None,
            "explanation": self.infeasible,
            "question": self.question,
        }


@dataclass(frozen=True)
class PlanRequest:
    """Input of a planner."""

    task: str
    """The command."""
    percept: Percept
    """The perceived objects."""
    held: str | None
    """Object that is believed to be in the hand."""
    attempts: list[dict[str, Any]]
    """Failures so far, oldest first: ``skill``, ``args``, ``reason``, ``reason_detail``,
    ``measured``, ``hints``, …"""
    completed: list[dict[str, Any]]
    """Successes so far, oldest first: ``call`` and ``result``. They must not be repeated."""
    skills: list[dict[str, Any]]
    """The skills: ``name``, ``description``, ``args_schema``."""
    correction: str | None
    """Error in the last answer, if it could not be used."""
    raw: dict[str, Any] = field(repr=False)
    """The whole input as JSON."""

    @staticmethod
    def from_json(told: dict[str, Any]) -> PlanRequest:
        """Parses the agent's JSON."""
        return PlanRequest(
            task=told["task"],
            percept=Percept.from_json(told["percept"]),
            held=told["held"],
            attempts=told["attempts"],
            completed=told["completed"],
            skills=told["skills"],
            correction=told["correction"],
            raw=told,
        )


class Planner(Protocol):
    """Turns a task into calls of skills. ``plan`` may be ``async``; a function is a planner, too.

    ``name`` and ``version``, both strings, are optional; results of benchmarks contain them. An
    exception ends the episode as ``planner_crashed``, an infrastructure failure, with the
    traceback.
    """

    def plan(self, request: PlanRequest, /) -> Plan | Awaitable[Plan]:
        """Returns a plan for the remaining task; called again after a failure."""
        ...


PlannerFunction = Callable[[PlanRequest], Plan | Awaitable[Plan]]
"""A function that plans; it may be ``async``."""
