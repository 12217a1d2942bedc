"""A robot-manipulation agent with its own simulator.

    >>> import regrasp
    >>> robot = regrasp.Robot.panda("tabletop")
    >>> result = robot.pick("red cube")
    >>> result.success, result.reason

Lengths are metres, angles radians, times simulated seconds, quaternions ``x, y, z, w``. World has z
up, x forward, y left. A failed skill is a result, not an exception: look at ``success``, ``reason``
and ``figures``, or call ``check()`` to raise.
"""

from ._regrasp import scene_names, task_names, version
from .errors import RegraspError, RobotFailure, SetupError
from .planning import Plan, Planner, PlannerFunction, PlanRequest, Step
from .poses import Pose
from .results import Figure, Percept, RunResult, SeenObject, SkillResult
from .robot import Motion, Picture, Robot, RobotState
from .skills import ConformanceReport, Found, Operator, Skill, conformance
from .tables import bench, read_results

__version__ = version()

__all__ = [
    "ConformanceReport",
    "Figure",
    "Found",
    "Motion",
    "Operator",
    "Percept",
    "Picture",
    "Plan",
    "PlanRequest",
    "Planner",
    "PlannerFunction",
    "Pose",
    "RegraspError",
    "Robot",
    "RobotFailure",
    "RobotState",
    "RunResult",
    "SeenObject",
    "SetupError",
    "Skill",
    "SkillResult",
    "Step",
    "__version__",
    "bench",
    "conformance",
    "read_results",
    "scene_names",
    "task_names",
]
