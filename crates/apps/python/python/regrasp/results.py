"""What came of skills and runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .poses import Pose

if TYPE_CHECKING:
    from .errors import RobotFailure


@dataclass(frozen=True)
class Figure:
    """A number with what it was held against."""

    value: float
    """In SI units."""
    limit: float | None = None
    """What it was held against."""
    unit: str = ""
    """Its unit, such as ``m``."""

    @staticmethod
    def from_json(told: dict[str, Any]) -> Figure:
        """As run folders have it."""
        return Figure(told["value"], told.get("limit"), told.get("unit", ""))

    def to_json(self, name: str) -> dict[str, Any]:
        """As run folders have it."""
        return {"name": name, "value": self.value, "limit": self.limit, "unit": self.unit}

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True)
class SkillResult:
    """What came of one call of a skill. True if it succeeded."""

    success: bool
    """Verified by the skill in a world at rest."""
    reason: str | None
    """Why not, as a short word such as ``unreachable``; None on success."""
    detail: str
    """One sentence with figures."""
    phase: str
    """Where it ended: ``precondition``, ``perceive``, ``plan``, ``execute``, ``verify``."""
    figures: dict[str, Figure]
    """The figures behind the answer, by name."""
    entities: list[str]
    """Objects that are involved: the blocker, the candidates."""
    hints: list[str]
    """What could be tried."""
    held: str | None
    """What the robot believes to hold now."""
    verified_by: list[str]
    """The senses that the verification rests on."""
    events: list[dict[str, Any]] = field(repr=False)
    """Everything that happened, as in ``events.jsonl`` of a run folder."""

    @staticmethod
    def from_json(told: dict[str, Any], events: list[dict[str, Any]]) -> SkillResult:
        """As run folders have it."""
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
        """Itself.

        Raises:
            RobotFailure: if the skill failed; with reason and figures.
        """
        failure = self.failure()
        if failure is not None:
            raise failure
        return self


@dataclass(frozen=True)
class RunResult:
    """What came of a command. True if its goal holds."""

    success: bool
    """What the agent claims, after it verified it."""
    reason: str
    """How it ended, as a short word: ``plan_complete``, ``infeasible``, ``max_replans``, …"""
    detail: str
    """One sentence; may be empty on success."""
    answer: str | None
    """What the planner says in the end."""
    replans: int
    """How often it planned anew because of trouble."""
    steps: int
    """Skill calls."""
    sim_s: float
    """Simulated seconds."""
    wall_s: float
    """Real seconds."""
    state_digest: str
    """A hash over the exact bits of the world's state in the end."""
    events: list[dict[str, Any]] = field(repr=False)
    """Everything that happened, as in ``events.jsonl`` of a run folder."""

    @staticmethod
    def from_json(told: dict[str, Any], events: list[dict[str, Any]]) -> RunResult:
        """As run folders have it."""
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
        """Every step that failed on the way: skill, reason, detail."""
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
    """An object as perception reports it."""

    id: str
    """Its name while it stays in view."""
    category: str
    """What kind of thing it is, such as ``cube``."""
    color: str | None
    """Its colour as a word."""
    pose: Pose
    """Where its origin is, in World."""
    movable: bool
    """Whether it could be moved; a table is not."""
    position_std_m: float
    """Standard deviation of its position, m."""
    shape: dict[str, Any] = field(repr=False)
    """Its shape, as run folders have it."""

    @staticmethod
    def from_json(told: dict[str, Any]) -> SeenObject:
        """As run folders have it."""
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
    """Everything that perception reports at one instant."""

    time_s: float
    """When, simulated s."""
    objects: list[SeenObject]
    """In a stable order."""

    @staticmethod
    def from_json(told: dict[str, Any]) -> Percept:
        """As run folders have it."""
        objects = [SeenObject.from_json(one) for one in told["objects"]]
        return Percept(told["time_secs"], objects)

    def __getitem__(self, id: str) -> SeenObject:
        for one in self.objects:
            if one.id == id:
                return one
        known = ", ".join(one.id for one in self.objects)
        raise KeyError(f"there is no `{id}` (known: {known})")
