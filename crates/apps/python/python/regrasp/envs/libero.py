"""LIBERO's tasks with LIBERO's observations and actions."""

from __future__ import annotations

import operator
import os
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from .._regrasp import RawEnvs
from ..errors import SetupError
from .common import options
from .common import reset_options as _reset_options

CAMERAS = ("agentview", "robot0_eye_in_hand")
Seen = dict[str, npt.NDArray[Any]]


class LiberoEnv(gymnasium.Env[Seen, npt.NDArray[np.float32]]):
    """One problem of LIBERO, for policies that were trained on it.

    Make it with ``gymnasium.make("Regrasp/libero-v1", suite="libero_goal",
    task="turn_on_the_stove", libero=LIBERO_DIR)``. An action has 7 numbers from -1 to 1: changes
    of the tool's position (1 is 5 cm) and orientation (1 is 0.5 rad), along and about the axes of
    World, and the gripper (-1 opens, 1 closes, 0 continues). The arm moves as under LIBERO's
    controller; ``reset`` waits ten steps, as LIBERO does.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 20}

    def __init__(
        self,
        task: str,
        suite: str | None = None,
        libero: str | Path | None = None,
        render_mode: str | None = None,
        *,
        camera_heights: int = 128,
        camera_widths: int = 128,
        horizon: int | None = None,
        init_states: str | Path = "auto",
    ) -> None:
        """Args:
        task: A problem's name in its suite, without ``.bddl``; or a problem file.
        suite: The suite's folder below ``bddl_files``.
        libero: The folder with LIBERO's ``bddl_files`` and ``assets``. Default: the environment
            variable ``REGRASP_LIBERO``.
        render_mode: ``rgb_array`` or None.
        camera_heights: Rows of a picture.
        camera_widths: Columns of a picture.
        horizon: Steps until an episode is truncated. Default: the usual limit of the suite.
        init_states: Initial states: ``drawn`` samples them by LIBERO's rules; a folder has files
            ``<suite>/<task>.pruned_init``, of which row ``seed`` modulo the number of rows is used;
            ``auto`` uses the folder ``init_files`` beside ``bddl_files`` if it has the task's file,
            else ``drawn``.
        """
        if render_mode not in (None, "rgb_array"):
            raise SetupError(f"choose the render_mode `{render_mode}` (known: rgb_array)")
        root = libero or os.environ.get("REGRASP_LIBERO")
        file = Path(task)
        if file.suffix != ".bddl":
            if suite is None or root is None:
                raise SetupError("name the `suite` and the folder `libero`, or a problem file")
            file = Path(root) / "bddl_files" / suite / f"{task}.bddl"
        self.render_mode = render_mode
        self._size = (camera_widths, camera_heights)
        asked = options(
            "state_rgb", "osc", "sparse", 20.0, horizon, CAMERAS, self._size,
            None if root is None else str(root), str(init_states),
        )  # fmt: skip
        self._raw = RawEnvs(str(file), asked, 1, "Disabled", 1)
        facts = self._raw.facts()
        self.task: str = facts["task"]
        self.prompt: str = facts["description"]
        self._at = {name: i for i, name in enumerate(facts["names"])}
        self.object_names = [
            name.removesuffix(" from tool x (m)")
            for name in facts["names"]
            if name.endswith(" from tool x (m)")
        ]
        self.action_space = spaces.Box(-1.0, 1.0, (7,), np.float32)
        self.observation_space: spaces.Space[Any] = self._space()

    def _space(self) -> spaces.Dict:
        columns, rows = self._size
        parts: dict[str, spaces.Space[Any]] = {
            f"{name}_image": spaces.Box(0, 255, (rows, columns, 3), np.uint8) for name in CAMERAS
        }
        sizes = {
            "robot0_eef_pos": 3,
            "robot0_eef_quat": 4,
            "robot0_gripper_qpos": 2,
            "robot0_joint_pos": 7,
        }
        for name in self.object_names:
            sizes[f"{name}_pos"], sizes[f"{name}_quat"] = 3, 4
        for name, n in sizes.items():
            parts[name] = spaces.Box(-np.inf, np.inf, (n,), np.float64)
        return spaces.Dict(parts)

    def _seen(self, arrays: list[npt.NDArray[Any]]) -> Seen:
        numbers = arrays[0][0].astype(np.float64)

        def pose(of: str) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
            first = self._at[f"{of} x (m)"]
            return numbers[first : first + 3], numbers[first + 3 : first + 7]

        seen: Seen = {}
        for name, pictures in zip(CAMERAS, arrays[1:], strict=True):
            # Rows from the bottom up, as OpenGL has them.
            seen[f"{name}_image"] = np.ascontiguousarray(pictures[0][::-1])
        seen["robot0_eef_pos"], seen["robot0_eef_quat"] = pose("pulled point")
        half = 0.5 * numbers[self._at["gripper width (m)"]]
        seen["robot0_gripper_qpos"] = np.array([half, -half])
        seen["robot0_joint_pos"] = numbers[:7]
        for name in self.object_names:
            seen[f"{name}_pos"], seen[f"{name}_quat"] = pose(name)
        return seen

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Begins an episode, and waits ten steps with an open gripper.

        Args:
            seed: Seed of the initial state. Default: the next in the sequence that the last seed
                began.
            options: See :meth:`RegraspEnv.reset`.
        """
        seed = None if seed is None else operator.index(seed)
        super().reset(seed=seed)
        arrays, (info,) = self._raw.reset([seed], _reset_options(options), None)
        assert arrays is not None
        return self._seen(arrays), info

    def step(
        self, action: npt.NDArray[np.float32]
    ) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Carries out an action for 1/20 s. The episode ends when LIBERO's goal holds."""
        numbers = np.asarray(action, dtype=np.float64)
        arrays, reward, terminated, truncated, (info,), _ = self._raw.step(numbers[None])
        return self._seen(arrays), float(reward[0]), bool(terminated[0]), bool(truncated[0]), info

    def render(self) -> npt.NDArray[np.uint8] | None:
        """Upright picture of `agentview`; None without a render mode."""
        if self.render_mode is None:
            return None
        return self._raw.render(0, "agentview", list(self._size))
