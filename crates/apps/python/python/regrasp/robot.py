"""A robot in a simulated scene."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._regrasp import RawRobot
from .planning import Planner, PlannerFunction
from .poses import Pose
from .results import Percept, RunResult, SeenObject, SkillResult
from .skills import Skill


@dataclass(frozen=True)
class RobotState:
    """Readings of the robot's own sensors at one instant."""

    time_s: float
    """Simulated time, s."""
    joint_positions: npt.NDArray[np.float64]
    """Shape (7,) for a Panda, rad."""
    joint_velocities: npt.NDArray[np.float64]
    """Shape (7,) for a Panda, rad/s."""
    joint_efforts: npt.NDArray[np.float64]
    """Motor torques, shape (7,) for a Panda, N m."""
    gripper_width_m: float
    """Distance between the finger pads, m."""
    finger_contact: tuple[bool, bool] | None
    """Contact of the left and the right pad; None if they cannot sense contact."""
    tool: Pose
    """Pose of the point between the fingertips in World."""
    held: str | None
    """Object that the robot believes to hold."""


@dataclass(frozen=True)
class Picture:
    """Picture of a camera."""

    rgb: npt.NDArray[np.uint8]
    """Shape (rows, columns, 3): red, green, blue."""
    depth: npt.NDArray[np.float32]
    """Shape (rows, columns): depth along the optical axis, m; 0 where there is nothing."""
    intrinsics: npt.NDArray[np.float64]
    """Shape (3, 3), pixels."""
    world_from_camera: Pose
    """Pose of the camera in World: z forward, x right, y down."""


@dataclass(frozen=True)
class Motion:
    """A planned motion of n instants; positions between them are quintic polynomials of time."""

    times: npt.NDArray[np.float64]
    """Times from the start, shape (n,), s."""
    positions: npt.NDArray[np.float64]
    """Shape (n, joints), rad."""
    velocities: npt.NDArray[np.float64]
    """Shape (n, joints), rad/s."""
    accelerations: npt.NDArray[np.float64]
    """Shape (n, joints), rad/s^2."""

    @property
    def duration_s(self) -> float:
        """Duration, s."""
        return float(self.times[-1] - self.times[0])


def _floats(values: Sequence[float] | npt.NDArray[np.floating[Any]]) -> list[float]:
    return [float(value) for value in values]


def _goal(
    joints: Sequence[float] | npt.NDArray[np.floating[Any]] | None,
    position: Sequence[float] | npt.NDArray[np.floating[Any]] | None,
    quat_xyzw: Sequence[float] | npt.NDArray[np.floating[Any]] | None,
    line: bool,
) -> str:
    if (joints is None) == (position is None):
        raise TypeError("give either `joints` or `position`")
    if joints is not None:
        return json.dumps({"joints": _floats(joints)})
    assert position is not None
    quat = None if quat_xyzw is None else _floats(quat_xyzw)
    placed = {"position": _floats(position), "quat_xyzw": quat}
    return json.dumps({"line" if line else "pose": placed})


class Robot:
    """A robot in a simulated scene, or the one that is lent to your skill.

    Skills return a :class:`SkillResult` whether they succeed or not. Motions that you ask for
    yourself (:meth:`plan`, :meth:`move`, :meth:`ik`, …) raise :class:`regrasp.RobotFailure`.
    """

    _raw: RawRobot

    def __init__(
        self,
        scene: str = "tabletop",
        *,
        task: str | None = None,
        seed: int = 0,
        perception: str = "ground_truth",
        robot_file: str | None = None,
    ) -> None:
        """Puts a robot into a scene and waits until the scene is at rest.

        Args:
            scene: A built-in scene (:func:`regrasp.scene_names`), or a YAML file.
            task: A task in place of a scene, by name (:func:`regrasp.task_names`) or file.
            seed: Seed of the task's instance and of all random values.
            perception: ``ground_truth``, or ``rgbd`` for objects from pixels.
            robot_file: A robot file. Default: a Franka Panda.

        Raises:
            SetupError: if a name or a file is invalid.
        """
        self._raw = RawRobot(scene, task, seed, perception, robot_file)

    @classmethod
    def panda(
        cls,
        scene: str = "tabletop",
        *,
        task: str | None = None,
        seed: int = 0,
        perception: str = "ground_truth",
    ) -> Robot:
        """A Franka Panda in a scene, or in an instance of a task; see :class:`Robot`."""
        return cls(scene, task=task, seed=seed, perception=perception)

    @classmethod
    def _of(cls, raw: RawRobot) -> Robot:
        robot = cls.__new__(cls)
        robot._raw = raw
        return robot

    def call(self, skill: str, **args: Any) -> SkillResult:
        """Calls a skill by name, including your own."""
        result, events = self._raw.call(skill, json.dumps(args))
        return SkillResult.from_json(json.loads(result), json.loads(events))

    def pick(self, object: str) -> SkillResult:
        """Grasps the object that a phrase such as ``red cube`` names, and lifts it."""
        return self.call("pick", object=object)

    def place_on(self, target: str) -> SkillResult:
        """Puts the held object on another one, such as ``plate``."""
        return self.call("place_on", target=target)

    def place_at(self, x: float, y: float) -> SkillResult:
        """Puts the held object down at a point of the table, in World, m."""
        return self.call("place_at", x=x, y=y)

    def home(self) -> SkillResult:
        """Moves the arm to its home configuration."""
        return self.call("home")

    def run(
        self,
        command: str,
        *,
        planner: str | Planner | PlannerFunction = "feedback",
        max_replans: int = 3,
        max_wall_s: float | None = None,
    ) -> RunResult:
        """Plans, acts, verifies and replans until the goal of a command holds.

        Args:
            command: Such as ``put the red cube on the plate``.
            planner: ``feedback``, ``stub``, an object with ``plan(request)``, or a function.
            max_replans: Maximum number of replans after failures.
            max_wall_s: Time limit, real seconds, checked between steps.
        """
        result, events = self._raw.run(command, planner, max_replans, max_wall_s)
        return RunResult.from_json(json.loads(result), json.loads(events))

    def add_skill(self, skill: Skill) -> None:
        """Adds your own skill for :meth:`call` and for planners."""
        self._raw.add_skill(skill)

    def skills(self) -> list[dict[str, Any]]:
        """The skills: ``name``, ``description``, ``args_schema``."""
        skills: list[dict[str, Any]] = json.loads(self._raw.skills())
        return skills

    def observe(self) -> RobotState:
        """Reads the robot's own sensors. Takes no simulated time."""
        told = json.loads(self._raw.observe())
        gripper = told["gripper"]
        contact = gripper.get("finger_contact")
        return RobotState(
            time_s=told["time_secs"],
            joint_positions=np.asarray(told["joint_positions"], dtype=np.float64),
            joint_velocities=np.asarray(told["joint_velocities"], dtype=np.float64),
            joint_efforts=np.asarray(told["joint_efforts"], dtype=np.float64),
            gripper_width_m=gripper["width_m"],
            finger_contact=None if contact is None else (contact[0], contact[1]),
            tool=Pose.from_json(told["world_from_tool"]),
            held=told["held"],
        )

    def perceive(self) -> Percept:
        """The objects that perception reports."""
        return Percept.from_json(json.loads(self._raw.perceive()))

    def find(self, phrase: str) -> SeenObject:
        """The one object that a phrase such as ``the left cube`` names.

        Raises:
            RobotFailure: ``object_not_found`` or ``ambiguous_object``.
        """
        return SeenObject.from_json(json.loads(self._raw.find(phrase)))

    def render(
        self, camera: str = "scene", *, size: tuple[int, int] | None = None, fine: bool = False
    ) -> Picture:
        """A picture of the present scene.

        Args:
            camera: ``scene``, ``top``, ``wrist``, or one that the scene's file declares.
            size: Columns and rows. Default: those of the camera.
            fine: True for smooth edges, which take longer to render.
        """
        pixels = None if size is None else [size[0], size[1]]
        rgb, depth, told = self._raw.render(camera, pixels, fine)
        view = json.loads(told)
        lens = view["intrinsics"]
        intrinsics = np.array(
            [[lens["fx"], 0.0, lens["cx"]], [0.0, lens["fy"], lens["cy"]], [0.0, 0.0, 1.0]]
        )
        return Picture(rgb, depth, intrinsics, Pose.from_json(view["world_from_camera"]))

    def ik(
        self,
        position: Sequence[float] | npt.NDArray[np.floating[Any]],
        quat_xyzw: Sequence[float] | npt.NDArray[np.floating[Any]] | None = None,
        *,
        near: Sequence[float] | npt.NDArray[np.floating[Any]] | None = None,
    ) -> npt.NDArray[np.float64]:
        """Joint positions that bring the tool to a pose, regardless of obstacles.

        Args:
            position: Position in World, shape (3,), m.
            quat_xyzw: Orientation, shape (4,). Default: any orientation.
            near: Joint positions from which the search starts, rad. Default: the present ones.

        Returns:
            Shape (7,) for a Panda, rad.

        Raises:
            RobotFailure: ``unreachable``, with the remaining distance.
        """
        quat = None if quat_xyzw is None else _floats(quat_xyzw)
        return self._raw.ik(_floats(position), quat, None if near is None else _floats(near))

    def fk(self, joints: Sequence[float] | npt.NDArray[np.floating[Any]]) -> Pose:
        """Pose of the tool in World for joint positions, rad."""
        return Pose.from_json(json.loads(self._raw.fk(_floats(joints))))

    def plan(
        self,
        *,
        joints: Sequence[float] | npt.NDArray[np.floating[Any]] | None = None,
        position: Sequence[float] | npt.NDArray[np.floating[Any]] | None = None,
        quat_xyzw: Sequence[float] | npt.NDArray[np.floating[Any]] | None = None,
        line: bool = False,
        speed: float = 0.5,
    ) -> Motion:
        """Plans a jerk-limited motion around all perceived objects; nothing moves.

        Args:
            joints: Final joint positions, rad. Either these or ``position`` must be given.
            position: Final position of the tool in World, shape (3,), m.
            quat_xyzw: Final orientation of the tool. Default: its present orientation.
            line: True to move the tool on a straight line.
            speed: Fraction of the robot's limits, above 0 and at most 1.

        Raises:
            RobotFailure: ``unreachable``, ``goal_in_collision``, ``path_blocked``, …
        """
        goal = _goal(joints, position, quat_xyzw, line)
        return Motion(*self._raw.plan(goal, speed))

    def move(
        self,
        *,
        joints: Sequence[float] | npt.NDArray[np.floating[Any]] | None = None,
        position: Sequence[float] | npt.NDArray[np.floating[Any]] | None = None,
        quat_xyzw: Sequence[float] | npt.NDArray[np.floating[Any]] | None = None,
        line: bool = False,
        speed: float = 0.5,
    ) -> float:
        """Plans a motion as :meth:`plan` does, and executes it under the robot's monitors.

        Returns:
            Duration, simulated s.

        Raises:
            RobotFailure: as :meth:`plan`, or the reason of an early end.
        """
        goal = _goal(joints, position, quat_xyzw, line)
        report = json.loads(self._raw.go(goal, speed))
        return float(report["duration_secs"])

    def grip(self, *, width_m: float | None = None, force_n: float | None = None) -> str:
        """Moves the fingers to a width, or closes them with a force, and waits.

        Returns:
            ``reached``, ``stalled`` (something is between them), or ``timed_out``.
        """
        report = json.loads(self._raw.grip(width_m, force_n))
        return str(report["end"])

    def wait(self, secs: float) -> None:
        """Holds the arm still for a simulated time, s."""
        self._raw.wait(secs)

    def settle(self, max_secs: float = 2.0) -> list[str]:
        """Waits until nothing moves, or for this time; returns the ids of moving objects."""
        return self._raw.settle(max_secs)

    def begin(self, phase: str) -> None:
        """Logs that a phase of a skill begins."""
        self._raw.begin(phase)

    def judge(self) -> dict[str, Any] | None:
        """Judgement of the present scene: ``condition`` and ``unmet``; None without a task."""
        told = self._raw.judge()
        return None if told is None else dict(json.loads(told))

    @property
    def prompt(self) -> str | None:
        """Command of the task; None without a task."""
        return self._raw.prompt()

    @property
    def time_s(self) -> float:
        """Simulated time, s."""
        return self._raw.time()

    @property
    def state_digest(self) -> str:
        """A hash over the exact bits of the world's state."""
        return self._raw.digest()

    @property
    def info(self) -> dict[str, Any]:
        """Fixed facts: ``joint_names``, ``home``, ``gripper``, ``reach_m``, …"""
        info: dict[str, Any] = json.loads(self._raw.info())
        return info
