"""Results of skills and runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .poses import Pose

if TYPE_CHECKING:
    from .errors import RobotFailure


@dataclass(frozen=True)
class Figure:
    """A measured number with its limit."""

    value: float
    """Value in SI units."""
    limit: float | None = None
    """Limit of the value."""
    unit: str = ""
    """Its unit, such as ``m``."""

    @staticmethod
    def from_json(told: dict[str, Any]) -> Figure:
        """Parses the JSON form that run folders have."""
        return Figure(told["value"], told.get("limit"), told.get("unit", ""))

    def to_json(self, name: str) -> dict[str, Any]:
        """JSON form, as in run folders."""
        return {"name": name, "value": self.value, "limit": self.limit, "unit": self.unit}

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True)
class SkillResult:
    """Result of one call of a skill. Its truth value is ``success``."""

    success: bool
    """True if the skill verified its effect in a world at rest."""
    reason: str | None
    """Reason of a failure, such as ``unreachable``; None on success."""
    detail: str
    """One sentence with figures."""
    phase: str
    """Phase of the end: ``precondition``, ``perceive``, ``lookahead``, ``plan``, ``execute`` or
    ``verify``."""
    figures: dict[str, Figure]
    """Measured values by name."""
    entities: list[str]
    """Involved objects, such as a blocker or candidates."""
    hints: list[str]
    """Suggested remedies."""
    held: str | None
    """Object that the robot believes to hold now."""
    verified_by: list[str]
    """Senses on which the verification is based."""
    events: list[dict[str, Any]] = field(repr=False)
    """All events, as in ``events.jsonl`` of a run folder."""

    @staticmethod
    def from_json(told: dict[str, Any], events: list[dict[str, Any]]) -> SkillResult:
        """Parses the JSON form that run folders have."""
        return SkillResult(
            success=told["success"],
            reason=told.get("reason"),
            detail=told["reason_detail"],
            phase=told["phase"],
            figures={f["name"]: Figure.from_json(f) for f in told["measured"]},
            entities=list(told["entities"]),
            hints=list(told["hints"]),
            held=told["state_after"]["held"],
            verified_by=list(told.get("verified_by", [])),
            events=events,
        )

    def __bool__(self) -> bool:
        return self.success

    def failure(self) -> RobotFailure | None:
        """The failure as an exception that is not raised; None on success."""
        from .errors import RobotFailure

        if self.success:
            return None
        return RobotFailure(
            self.reason or "verification_failed",
            self.detail,
            figures=dict(self.figures),
            entities=self.entities,
            hints=self.hints,
        )

    def check(self) -> SkillResult:
        """Returns the result itself.

        Raises:
            RobotFailure: if the skill failed; with reason and figures.
        """
        failure = self.failure()
        if failure is not None:
            raise failure
        return self


@dataclass(frozen=True)
class RunResult:
    """Result of a command. Its truth value is ``success``."""

    success: bool
    """True if the agent claims success, after verification."""
    reason: str
    """Reason of the end: ``plan_complete``, ``infeasible``, ``max_replans``, …"""
    detail: str
    """One sentence; may be empty on success."""
    answer: str | None
    """Final answer of the planner."""
    replans: int
    """Number of replans after failures."""
    steps: int
    """Number of skill calls."""
    sim_s: float
    """Simulated time, s."""
    wall_s: float
    """Real time, s."""
    state_digest: str
    """A hash over the exact bits of the world's final state."""
    events: list[dict[str, Any]] = field(repr=False)
    """All events, as in ``events.jsonl`` of a run folder."""

    @staticmethod
    def from_json(told: dict[str, Any], events: list[dict[str, Any]]) -> RunResult:
        """Parses the JSON form that run folders have."""
        return RunResult(
            success=told["success"],
            reason=told["final_reason"],
            detail=told["final_detail"],
            answer=told["final_answer"],
            replans=told["replans"],
            steps=told["steps"],
            sim_s=told["sim_s"],
            wall_s=told["wall_s"],
            state_digest=told["state_digest"],
            events=events,
        )

    def __bool__(self) -> bool:
        return self.success

    def failures(self) -> list[tuple[str, str, str]]:
        """All failed steps: skill, reason, detail."""
        failures: list[tuple[str, str, str]] = []
        skill = ""
        for event in self.events:
            if event["event"] == "step_started":
                skill = event["skill"]
            elif event["event"] == "step_finished" and not event["result"]["success"]:
                result = event["result"]
                failures.append((skill, result["reason"], result["reason_detail"]))
        return failures


@dataclass(frozen=True)
class SeenObject:
    """A perceived object."""

    id: str
    """Id, constant while the object stays in view."""
    category: str
    """Category, such as ``cube``."""
    color: str | None
    """Its colour as a word."""
    pose: Pose
    """Pose in World."""
    movable: bool
    """True if it can be moved; false for a table."""
    position_std_m: float
    """Standard deviation of its position, m."""
    shape: dict[str, Any] = field(repr=False)
    """Its shape, in the JSON form that run folders have."""

    @staticmethod
    def from_json(told: dict[str, Any]) -> SeenObject:
        """Parses the JSON form that run folders have."""
        return SeenObject(
            id=told["id"],
            category=told["category"],
            color=told["color"],
            pose=Pose.from_json(told["world_from_object"]),
            movable=told["movable"],
            position_std_m=told["position_std_m"],
            shape=told["shape"],
        )


@dataclass(frozen=True)
class Percept:
    """All perceived objects at one instant."""

    time_s: float
    """Simulated time, s."""
    objects: list[SeenObject]
    """Objects in a stable order."""

    @staticmethod
    def from_json(told: dict[str, Any]) -> Percept:
        """Parses the JSON form that run folders have."""
        objects = [SeenObject.from_json(one) for one in told["objects"]]
        return Percept(told["time_secs"], objects)

    def __getitem__(self, id: str) -> SeenObject:
        for one in self.objects:
            if one.id == id:
                return one
        known = ", ".join(one.id for one in self.objects)
        raise KeyError(f"there is no object `{id}` (known: {known})")
