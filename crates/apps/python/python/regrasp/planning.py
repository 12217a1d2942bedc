"""Planners that are written in Python."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from .results import Percept


@dataclass(frozen=True)
class Step:
    """One call of a skill."""

    skill: str
    """Its name."""
    args: dict[str, Any] = field(default_factory=dict)
    """Its arguments; ``regrasp skills --json`` has their schemas."""


@dataclass(frozen=True)
class Plan:
    """What to call next, and what should hold afterwards."""

    steps: list[Step] = field(default_factory=list)
    """Calls in order."""
    goals: list[str | dict[str, Any]] = field(default_factory=list)
    """What must hold when the task is done, such as ``on(red_cube, plate)``."""
    done: bool = True
    """Whether nothing is left to do after these steps."""
    answer: str = "done"
    """What to tell whoever gave the task, once it is done."""
    reasoning: str = ""
    """Why these steps."""
    infeasible: str | None = None
    """Why nothing can bring the goals about, if that is so."""
    question: str | None = None
    """What a person should answer before it goes on."""

    def to_json(self) -> dict[str, Any]:
        """As the agent reads it."""
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
    """Everything that a planner is told."""

    task: str
    """What was asked for."""
    percept: Percept
    """What was perceived."""
    held: str | None
    """What is believed to be in the hand."""
    attempts: list[dict[str, Any]]
    """Failures so far, oldest first: ``skill``, ``args``, ``reason``, ``reason_detail``,
    ``measured``, ``hints``, …"""
    completed: list[dict[str, Any]]
    """Successes so far, oldest first: ``call`` and ``result``. They must not be repeated."""
    skills: list[dict[str, Any]]
    """What can be called: ``name``, ``description``, ``args_schema``."""
    correction: str | None
    """What was wrong with the last answer, if it could not be used."""
    raw: dict[str, Any] = field(repr=False)
    """All of it, as JSON."""

    @staticmethod
    def from_json(told: dict[str, Any]) -> PlanRequest:
        """As the agent tells it."""
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
    """Turns a task into calls of skills. ``plan`` may be ``async``. A function does, too.

    ``name`` and ``version``, both strings, are optional; results of benchmarks have them. What it
    raises ends an episode as ``planner_crashed``, with the traceback: a fault of the machinery.
    """

    def plan(self, request: PlanRequest, /) -> Plan | Awaitable[Plan]:
        """A plan for what is left to do; it is asked again after a failure."""
        ...


PlannerFunction = Callable[[PlanRequest], Plan | Awaitable[Plan]]
"""A function that plans; it may be ``async``."""
