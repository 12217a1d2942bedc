"""One task as an environment."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from .._regrasp import RawEnvs
from ..errors import SetupError
from .common import Observation, action_space, observation, observation_space, options
from .common import reset_options as _reset_options


class RegraspEnv(gymnasium.Env[Observation, npt.NDArray[np.float32]]):
    """One task as an environment. Make it with ``gymnasium.make("Regrasp/<task>-v1", ...)``."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 20}

    def __init__(
        self,
        task: str,
        obs_mode: str = "state",
        control_mode: str = "joint_delta",
        reward_mode: str = "sparse",
        render_mode: str | None = None,
        *,
        rate_hz: float = 20.0,
        horizon: int | None = None,
        cameras: Sequence[str] = ("scene", "wrist"),
        picture_size: tuple[int, int] = (128, 128),
        render_camera: str = "scene",
        render_size: tuple[int, int] = (640, 480),
    ) -> None:
        """Args:
        task: A built-in task's name, or a task file.
        obs_mode: ``state``: numbers (:attr:`names`), with the ground truth of every object;
            ``rgb``: a dictionary of ``agent`` (readings of the robot's own sensors) and
            ``rgb_<camera>`` (rows, columns, 3); ``rgbd``: also ``depth_<camera>``
            (rows, columns, 1), m; ``state_rgb``: as ``rgb``, with the numbers of ``state``.
        control_mode: ``joint_delta``: changes of the commanded joint positions, -1 to 1, where 1
            is 0.1 rad; ``joint``: joint positions, rad; ``ee_delta``: changes of the tool's pose in
            World, -1 to 1, where 1 is 0.05 m or 0.2 rad; ``ee``: the tool's pose, m and rotation
            vector, rad. In all of them the last number is the gripper: above 0 opens, else closes.
        reward_mode: ``sparse``: 1 when the task is done; ``dense``: 0 to 1; ``none``: 0.
        render_mode: ``rgb_array`` or None.
        rate_hz: Actions per second of simulated time.
        horizon: Steps until an episode is truncated. Default: the task's own time limit.
        cameras: Cameras of the modes with pictures.
        picture_size: Columns and rows of their pictures.
        render_camera: The camera of :meth:`render`.
        render_size: Columns and rows of the picture that :meth:`render` returns.
        """
        if render_mode not in (None, "rgb_array"):
            raise SetupError(f"choose the render_mode `{render_mode}` (known: rgb_array)")
        self.render_mode = render_mode
        self._obs_mode = obs_mode
        self._cameras = tuple(cameras)
        self._render = (render_camera, [int(n) for n in render_size])
        asked = options(
            obs_mode, control_mode, reward_mode, rate_hz, horizon, cameras, picture_size
        )
        self._raw = RawEnvs(task, asked, 1, "Disabled", 1)
        facts = self._raw.facts()
        self.metadata = {**self.metadata, "render_fps": rate_hz}
        self.task: str = facts["task"]
        self.names: list[str] = facts["names"]
        """Names of the numbers of the state (or of ``agent``), with units."""
        self.action_names: list[str] = facts["action_names"]
        """Names of the numbers of an action, with units."""
        self.observation_space = observation_space(
            len(self.names), obs_mode, self._cameras, picture_size
        )
        self.action_space = action_space(facts)

    def _seen(self, arrays: list[npt.NDArray[Any]]) -> Observation:
        return observation([array[0] for array in arrays], self._obs_mode, self._cameras)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins an episode.

        Args:
            seed: Seed of the task's instance. Default: the next in the sequence that the last seed
                began.
            options: ``instance``: number of the instance; ``joints``: start configuration of the
                arm, rad; ``objects``: ``{name: (x, y, z)}``, start positions in World, m.
        """
        seed = None if seed is None else operator.index(seed)
        super().reset(seed=seed)
        arrays, (info,) = self._raw.reset([seed], _reset_options(options), None)
        assert arrays is not None
        return self._seen(arrays), info

    def step(
        self, action: npt.NDArray[np.float32]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carries out an action for one control period.

        ``info`` has ``success``, ``unmet`` (every condition of the judge, with the observed state
        if it does not hold, else an empty text), ``reason`` and ``detail`` (why the robot was
        stopped or the episode truncated), ``instance``, ``prompt``, ``time_s``.
        """
        numbers = np.asarray(action, dtype=np.float64)
        arrays, reward, terminated, truncated, (info,), _ = self._raw.step(numbers[None])
        return self._seen(arrays), float(reward[0]), bool(terminated[0]), bool(truncated[0]), info

    def render(self) -> npt.NDArray[np.uint8] | None:
        """A picture, shape (rows, columns, 3); None without a render mode."""
        if self.render_mode is None:
            return None
        camera, size = self._render
        return self._raw.render(0, camera, size)

    @property
    def state_digest(self) -> str:
        """A hash over the exact bits of the world's state."""
        return self._raw.digests()[0]
