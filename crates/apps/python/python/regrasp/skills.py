"""Skills that are written in Python, and the rules that every skill keeps."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _regrasp
from .results import Figure

if TYPE_CHECKING:
    from .robot import Robot


@dataclass(frozen=True)
class Found:
    """What a verification found: one sentence, and figures."""

    detail: str
    """One sentence with figures."""
    figures: dict[str, Figure] = field(default_factory=dict)
    """The figures by name."""
    entities: list[str] = field(default_factory=list)
    """Objects that are involved."""


@dataclass(frozen=True)
class Operator:
    """What a call of a skill needs and brings about, for planners that search.

    ``Operator({"object": "movable"}, needs=["hand_empty", "clear(object)"],
    brings=["holding(object)"])`` is that of the built-in ``pick``. Facts that planners work out
    themselves are ``hand_empty``, ``holding``, ``clear``, ``room``, ``open``, ``on``, ``in``, ``at``;
    others are yours.
    """

    parameters: dict[str, str]
    """What it is about, and the kind of each: ``movable``, ``thing``, ``opening``, ``setting``,
    ``button``, ``point``. Those that are arguments of the skill are passed to it."""
    needs: list[str] = field(default_factory=list)
    """What has to be so before, of the parameters: ``clear(object)``, ``not holding(object)``."""
    brings: list[str] = field(default_factory=list)
    """What is so afterwards."""


class Skill:
    """Something that the robot can do. Derive from it and define all three functions.

    The first failure ends a call: raise :class:`regrasp.RobotFailure` with a reason and a
    sentence, and let those of the robot pass. The robot is yours only while a function runs.
    """

    name: str
    """Name that planners call it by, in snake_case."""
    description: str
    """One or two sentences for planners: what it does and when to use it."""
    args: dict[str, Any] = {}
    """The properties of a JSON schema: ``{"height_m": {"type": "number", "minimum": 0}}``."""
    optional: list[str] = []
    """Arguments that may be left out."""
    remedies: list[str] = []
    """Reasons of other steps whose cause it can remove, such as ``unreachable``."""
    hand: str = "any"
    """What it needs in the hand and leaves there: ``any``, ``takes`` (needs it empty), ``releases``
    (what is in it), ``keeps``, ``empty``."""
    operators: list[Operator] = []
    """What its calls need and bring about. Without them the task planner does not search with it,
    also where it takes the place of a built-in skill."""

    def precondition(self, robot: Robot, args: dict[str, Any]) -> Any:
        """Whether it may start; moves nothing. Returns what the others need."""
        raise NotImplementedError

    def run(self, robot: Robot, args: dict[str, Any], work: Any) -> None:
        """Does it."""
        raise NotImplementedError

    def verify(self, robot: Robot, args: dict[str, Any], work: Any) -> Found | str:
        """Looks at the world whether it was done, and says what was found."""
        raise NotImplementedError


@dataclass(frozen=True)
class ConformanceReport:
    """What a check of a skill found. True if it keeps every rule."""

    skill: str
    """The skill's name."""
    n_calls: int
    """Calls that were made."""
    n_stopped: int
    """Calls that were stopped half-way."""
    findings: list[dict[str, Any]]
    """Every breach: ``rule``, ``args``, ``detail``."""
    text: str = field(repr=False)
    """The report for people."""

    def __bool__(self) -> bool:
        return not self.findings

    def __str__(self) -> str:
        return self.text


def conformance(
    skill: Skill, calls: list[dict[str, Any]], scene: str = "tabletop"
) -> ConformanceReport:
    """Runs a skill through the rules that every skill owes its callers, on fresh robots.

    Args:
        skill: The skill.
        calls: Arguments that should succeed in the scene; at least one.
        scene: A built-in scene, or a file.
    """
    told = json.loads(_regrasp.conformance(skill, json.dumps(calls), scene))
    return ConformanceReport(
        skill=told["skill"],
        n_calls=told["n_calls"],
        n_stopped=told["n_stopped"],
        findings=told["findings"],
        text=told["text"],
    )
