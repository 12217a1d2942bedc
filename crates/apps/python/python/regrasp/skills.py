"""Skills written in Python, and the rules for skills."""

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
    """Result of a verification: one sentence, and figures."""

    detail: str
    """One sentence with figures."""
    figures: dict[str, Figure] = field(default_factory=dict)
    """The figures by name."""
    entities: list[str] = field(default_factory=list)
    """Involved objects."""


@dataclass(frozen=True)
class Operator:
    """Preconditions and effects of a skill, for planners that search.

    ``Operator({"object": "movable"}, needs=["hand_empty", "clear(object)"],
    brings=["holding(object)"])`` is that of the built-in ``pick``. Planners derive the facts
    ``hand_empty``, ``holding``, ``clear``, ``room``, ``open``, ``on``, ``in`` and ``at`` from the
    percept; you may define others.
    """

    parameters: dict[str, str]
    """Parameters and their kinds: ``movable``, ``thing``, ``opening``, ``setting``,
    ``button``, ``point``. Those that are arguments of the skill are passed to it."""
    needs: list[str] = field(default_factory=list)
    """Preconditions on the parameters: ``clear(object)``, ``not holding(object)``."""
    brings: list[str] = field(default_factory=list)
    """Effects on the parameters."""


class Skill:
    """Base class of skills. Derive from it and define all three functions.

    The first failure ends a call: raise :class:`regrasp.RobotFailure` with a reason and a
    sentence, and do not catch those of the robot. The robot can be used only while a function
    runs.
    """

    name: str
    """Name for planners, in snake_case."""
    description: str
    """Description for planners, one or two sentences: its effect and its use."""
    args: dict[str, Any] = {}
    """The properties of a JSON schema: ``{"height_m": {"type": "number", "minimum": 0}}``."""
    optional: list[str] = []
    """Optional arguments."""
    remedies: list[str] = []
    """Failure reasons whose cause it can remove, such as ``unreachable``."""
    hand: str = "any"
    """Use of the hand: ``any``, ``takes`` (needs it empty), ``releases``
    (what is in it), ``keeps``, ``empty``."""
    operators: list[Operator] = []
    """Preconditions and effects of its calls. Without them the task planner does not use the skill
    in its search, even if it replaces a built-in skill."""

    def precondition(self, robot: Robot, args: dict[str, Any]) -> Any:
        """Checks the preconditions; moves nothing. Returns the state for the other functions."""
        raise NotImplementedError

    def run(self, robot: Robot, args: dict[str, Any], work: Any) -> None:
        """Carries out the skill."""
        raise NotImplementedError

    def verify(self, robot: Robot, args: dict[str, Any], work: Any) -> Found | str:
        """Checks in the world that the skill succeeded, and reports the result."""
        raise NotImplementedError


@dataclass(frozen=True)
class ConformanceReport:
    """Result of a check of a skill. Its truth value is True if the skill follows all rules."""

    skill: str
    """The skill's name."""
    n_calls: int
    """Number of calls."""
    n_stopped: int
    """Number of calls that were cancelled in progress."""
    findings: list[dict[str, Any]]
    """Violations: ``rule``, ``args``, ``detail``."""
    text: str = field(repr=False)
    """The report for people."""

    def __bool__(self) -> bool:
        return not self.findings

    def __str__(self) -> str:
        return self.text


def conformance(
    skill: Skill, calls: list[dict[str, Any]], scene: str = "tabletop"
) -> ConformanceReport:
    """Checks a skill against the rules for all skills, on fresh robots.

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
