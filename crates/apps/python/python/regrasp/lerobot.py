"""Tasks as an environment of LeRobot: ``lerobot-eval --env.type=regrasp``.

LeRobot looks for plug-ins by the names of installed distributions: ``lerobot_env_regrasp`` (in
``crates/apps/python/lerobot``) imports this module, which registers the type. Without it, add
``--env.discover_packages_path=regrasp.lerobot``.

States and actions are those of the data sets that ``regrasp dataset record`` writes.
"""

# No `from __future__ import annotations`: draccus reads the fields' types at run time.
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.envs.registration import register, registry
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv
from lerobot.configs.types import FeatureType, PolicyFeature
from lerobot.envs.configs import EnvConfig
from lerobot.utils.constants import ACTION, OBS_ENV_STATE, OBS_IMAGES, OBS_STATE

from .envs import RegraspEnv

_ID = "Regrasp/LeRobot-v1"
_PIXELS, _NUMBERS = "pixels_agent_pos", "environment_state_agent_pos"
# Difference from the measured width below which a commanded width does not change whether the
# gripper opens or closes: the fingers of a Panda move by this much in a step of 20 Hz.
_SAME_WIDTH_M = 0.004

_Seen = dict[str, Any]


class LeRobotEnv(gymnasium.Env[_Seen, npt.NDArray[np.float32]]):
    """A task in LeRobot's form: ``agent_pos``, and ``pixels`` or ``environment_state``."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 20}

    def __init__(
        self,
        task: str,
        *,
        episode_length: int,
        obs_type: str = _PIXELS,
        control_mode: str = "joint",
        cameras: tuple[str, ...] = ("scene", "wrist"),
        picture_size: tuple[int, int] = (320, 240),
        rate_hz: float = 20.0,
        render_mode: str | None = "rgb_array",
    ) -> None:
        """See :class:`RegraspEnvConfig`."""
        if obs_type not in (_PIXELS, _NUMBERS):
            raise ValueError(f"obs_type `{obs_type}` (known: {_PIXELS}, {_NUMBERS})")
        self._env = RegraspEnv(
            task,
            obs_mode="rgb" if obs_type == _PIXELS else "state",
            control_mode=control_mode,
            render_mode=render_mode,
            rate_hz=rate_hz,
            horizon=episode_length,
            cameras=cameras,
            picture_size=picture_size,
            render_size=picture_size,
        )
        self.render_mode = render_mode
        # LeRobot's video writer accepts whole numbers only.
        self.metadata = {**self.metadata, "render_fps": round(rate_hz)}
        self.task = task
        self.task_description = ""
        self._max_episode_steps = episode_length
        self._cameras = cameras
        names = self.names = self._env.names
        n_joints = sum(name.endswith("(rad)") for name in names)
        self._width = names.index("gripper width (m)")
        self._agent = [*range(n_joints), self._width]
        self._is_joint = control_mode == "joint"
        self._gripper, self._width_m = 1.0, 0.0
        self.action_space = self._env.action_space
        if self._is_joint:
            box = self._env.action_space
            assert isinstance(box, spaces.Box)
            low, high = box.low.copy(), box.high.copy()
            low[-1] = 0.0
            self.action_space = spaces.Box(low, high, dtype=np.float32)
        self._parts = self._space(picture_size, len(names))
        self.observation_space = self._parts

    @property
    def parts(self) -> dict[str, Any]:
        """The spaces of the parts of an observation."""
        return self._parts.spaces

    def _space(self, picture_size: tuple[int, int], n_numbers: int) -> spaces.Dict:
        def numbers(n: int) -> spaces.Box:
            return spaces.Box(-np.inf, np.inf, (n,), np.float32)

        parts: dict[str, spaces.Space[Any]] = {"agent_pos": numbers(len(self._agent))}
        if self._env._obs_mode == "state":
            parts["environment_state"] = numbers(n_numbers)
        else:
            columns, rows = picture_size
            picture = partial(spaces.Box, 0, 255, (rows, columns, 3), np.uint8)
            parts["pixels"] = spaces.Dict({camera: picture() for camera in self._cameras})
        return spaces.Dict(parts)

    def _seen(self, observation: Any) -> _Seen:
        if isinstance(observation, dict):
            numbers = observation["agent"]
            rest: _Seen = {"pixels": {c: observation[f"rgb_{c}"] for c in self._cameras}}
        else:
            numbers = observation
            rest = {"environment_state": numbers}
        self._width_m = float(numbers[self._width])
        return {"agent_pos": numbers[self._agent], **rest}

    def _wanted(self, action: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """The action with 1 (open) or -1 (close) in the place of the commanded gripper width."""
        if not self._is_joint:
            return action
        more = float(action[-1]) - self._width_m
        if abs(more) > _SAME_WIDTH_M:
            self._gripper = 1.0 if more > 0.0 else -1.0
        return np.append(action[:-1], np.float32(self._gripper))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[_Seen, dict[str, Any]]:
        """Begins an episode. Options whose names begin with ``lerobot_`` are ignored."""
        super().reset(seed=seed)
        own = {k: v for k, v in (options or {}).items() if not k.startswith("lerobot_")}
        observation, info = self._env.reset(seed=seed, options=own)
        self.task_description = info["prompt"]
        self._gripper = 1.0
        return self._seen(observation), info

    def step(
        self, action: npt.NDArray[np.float32]
    ) -> tuple[_Seen, float, bool, bool, dict[str, Any]]:
        """Carries out an action for one control period."""
        told = self._env.step(self._wanted(np.asarray(action, dtype=np.float32)))
        observation, reward, terminated, truncated, info = told
        return self._seen(observation), reward, terminated, truncated, info

    def render(self) -> npt.NDArray[np.uint8] | None:
        """A picture of the camera `scene`, shape (rows, columns, 3)."""
        return self._env.render()


@EnvConfig.register_subclass("regrasp")  # type: ignore[untyped-decorator, unused-ignore]
@dataclass
class RegraspEnvConfig(EnvConfig):  # type: ignore[misc]
    """``--env.type=regrasp`` and its fields.

    Attributes:
        task: A built-in task, a task file, or several with commas between them (LeRobot 0.6; each
            is then a suite of its own in the report).
        fps: Actions per second of simulated time.
        episode_length: Steps after which an episode is truncated.
        obs_type: ``pixels_agent_pos``, or ``environment_state_agent_pos`` for ground truth.
        control_mode: ``joint``: joint positions, rad, and the gripper's width, m, as in data sets;
            or another mode of ``regrasp.envs``, whose last number opens above 0.
        cameras: Names with commas between them.
        observation_height: Rows of pictures.
        observation_width: Columns of pictures.
    """

    task: str | None = "pick_cube"
    fps: int = 20
    episode_length: int = 300
    obs_type: str = _PIXELS
    control_mode: str = "joint"
    cameras: str = "scene,wrist"
    observation_height: int = 240
    observation_width: int = 320
    render_mode: str = "rgb_array"
    features: dict[str, PolicyFeature] = field(default_factory=dict)
    features_map: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Reads the shapes of observations and actions from the first task."""
        env = LeRobotEnv(self._tasks()[0], **self.gym_kwargs_of_one)
        self._feature(ACTION, ACTION, FeatureType.ACTION, env.action_space)
        for name, space in env.parts.items():
            if name == "agent_pos":
                self._feature(name, OBS_STATE, FeatureType.STATE, space)
            elif name == "environment_state":
                self._feature(name, OBS_ENV_STATE, FeatureType.ENV, space)
            else:
                for camera, picture in space.spaces.items():
                    key = f"{OBS_IMAGES}.{camera}"
                    self._feature(f"pixels/{camera}", key, FeatureType.VISUAL, picture)

    def _feature(self, name: str, key: str, kind: Any, space: Any) -> None:
        self.features[name] = PolicyFeature(type=kind, shape=tuple(space.shape))
        self.features_map[name] = key

    def _tasks(self) -> list[str]:
        names = [name.strip() for name in (self.task or "").split(",")]
        if not all(names):
            raise ValueError("--env.task: expected a task, or several with commas between them")
        return names

    @property
    def gym_kwargs_of_one(self) -> dict[str, Any]:
        """Arguments of an environment except the task."""
        return {
            "episode_length": self.episode_length,
            "obs_type": self.obs_type,
            "control_mode": self.control_mode,
            "cameras": tuple(name.strip() for name in self.cameras.split(",")),
            "picture_size": (self.observation_width, self.observation_height),
            "rate_hz": float(self.fps),
            "render_mode": self.render_mode,
        }

    @property
    def package_name(self) -> str:
        """Module that LeRobot has to import."""
        return __name__

    @property
    def gym_id(self) -> str:
        """Name by which LeRobot 0.4 makes the environment."""
        return _ID

    @property
    def gym_kwargs(self) -> dict[str, Any]:
        """Arguments of an environment of the first task."""
        return {"task": self._tasks()[0], **self.gym_kwargs_of_one}

    def create_envs(
        self, n_envs: int, use_async_envs: bool = False
    ) -> dict[str, dict[int, "VectorEnv[Any, Any, Any]"]]:
        """Environments of every task, for LeRobot 0.6."""
        is_async = use_async_envs and n_envs > 1
        envs: dict[str, dict[int, VectorEnv[Any, Any, Any]]] = {}
        for task in self._tasks():
            make: Callable[[], LeRobotEnv] = partial(LeRobotEnv, task, **self.gym_kwargs_of_one)
            made = [make] * n_envs
            mode = AutoresetMode.SAME_STEP
            envs[task] = {
                0: AsyncVectorEnv(made, autoreset_mode=mode, context="forkserver")
                if is_async
                else SyncVectorEnv(made, autoreset_mode=mode)
            }
        return envs


if _ID not in registry:
    register(id=_ID, entry_point="regrasp.lerobot:LeRobotEnv")
