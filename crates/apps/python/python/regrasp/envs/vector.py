"""Many environments of one task on threads of Rust: no processes, no copies between them."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from .._regrasp import RawEnvs
from ..errors import SetupError
from .common import Observation, action_space, observation, observation_space, options
from .common import reset_options as _reset_options


class RegraspVectorEnv(VectorEnv[Observation, npt.NDArray[np.float32], npt.NDArray[Any]]):
    """Many environments of one task, stepped together.

    Make it with ``gymnasium.make_vec("Regrasp/<task>-v1", num_envs=8,
    vectorization_mode="vector_entry_point", ...)``.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 20}

    def __init__(
        self,
        task: str,
        num_envs: int = 1,
        obs_mode: str = "state",
        control_mode: str = "joint_delta",
        reward_mode: str = "sparse",
        render_mode: str | None = None,
        *,
        rate_hz: float = 20.0,
        horizon: int | None = None,
        max_episode_steps: int | None = None,
        cameras: Sequence[str] = ("scene", "wrist"),
        picture_size: tuple[int, int] = (128, 128),
        render_camera: str = "scene",
        render_size: tuple[int, int] = (640, 480),
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int | None = None,
    ) -> None:
        """As :class:`RegraspEnv`, and:

        Args:
            num_envs: Number of environments.
            max_episode_steps: Gymnasium's name for ``horizon``, which has precedence.
            autoreset_mode: Treatment of an environment whose episode has ended.
            threads: Number of threads. Default: the number of processors. The results do not
                depend on it.
        """
        if render_mode not in (None, "rgb_array"):
            raise SetupError(f"choose the render_mode `{render_mode}` (known: rgb_array)")
        mode = AutoresetMode(autoreset_mode)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self._obs_mode = obs_mode
        self._cameras = tuple(cameras)
        self._render = (render_camera, [int(n) for n in render_size])
        n_steps = horizon if horizon is not None else max_episode_steps
        asked = options(
            obs_mode, control_mode, reward_mode, rate_hz, n_steps, cameras, picture_size
        )
        self._raw = RawEnvs(task, asked, num_envs, mode.value, threads)
        facts = self._raw.facts()
        self.metadata = {**self.metadata, "render_fps": rate_hz, "autoreset_mode": mode}
        self.task: str = facts["task"]
        self.names: list[str] = facts["names"]
        self.action_names: list[str] = facts["action_names"]
        self.single_observation_space = observation_space(
            len(self.names), obs_mode, self._cameras, picture_size
        )
        self.single_action_space = action_space(facts)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._last: list[npt.NDArray[Any]] | None = None

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins episodes; see :meth:`RegraspEnv.reset`.

        Args:
            seed: A number for ``seed, seed + 1, …``, or a list with a seed for each environment.
            options: See :meth:`RegraspEnv.reset`; also ``reset_mask``: an array with True for each
                environment that is reset.
        """
        # Accepts NumPy's integers, too.
        if seed is not None and not np.iterable(seed):
            seed = operator.index(seed)
        if isinstance(seed, int):
            super().reset(seed=seed)
        seeds: list[int | None]
        if seed is None:
            # Each environment continues its own sequence; the first seeds differ, too.
            fresh = self._last is None
            seeds = list(range(self.num_envs)) if fresh else [None] * self.num_envs
        elif isinstance(seed, int):
            seeds = [seed + i for i in range(self.num_envs)]
        else:
            seeds = [None if one is None else operator.index(one) for one in seed]
        given = dict(options or {})
        mask = given.pop("reset_mask", None)
        chosen = None
        if mask is not None:
            mask = np.asarray(mask)
            if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
                raise SetupError(
                    f"reset with `reset_mask`: expected {self.num_envs} booleans, one of them True"
                )
            chosen = [bool(one) for one in mask]
        arrays, told = self._raw.reset(seeds, _reset_options(given), chosen)
        assert arrays is not None
        if mask is not None:
            if self._last is None:
                raise SetupError("reset with `reset_mask`: reset all environments once before")
            whole = [array.copy() for array in self._last]
            for array, part in zip(whole, arrays, strict=True):
                array[mask] = part
            arrays = whole
        self._last = arrays
        chosen_ones = np.ones(self.num_envs, bool) if mask is None else mask
        indices = [int(i) for i in np.flatnonzero(chosen_ones)]
        infos: dict[str, Any] = {}
        for index, info in zip(indices, told, strict=True):
            self._note(infos, info, index)
        return self._seen(arrays), infos

    def step(
        self, actions: npt.NDArray[np.float32]
    ) -> tuple[
        Observation,
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Carries out one action in each environment, shape (num_envs, …)."""
        numbers = np.ascontiguousarray(actions, dtype=np.float64)
        arrays, rewards, terminated, truncated, told, finals = self._raw.step(numbers)
        self._last = arrays
        infos: dict[str, Any] = {}
        for index, info in enumerate(told):
            final = finals[index]
            if final is not None:
                last, last_info = final
                seen = self._seen([array[0] for array in last])
                final_infos = infos.setdefault("final_info", {})
                self._note(final_infos, last_info, index)
                final_obs = infos.setdefault(
                    "final_obs", np.full(self.num_envs, None, dtype=object)
                )
                final_obs[index] = seen
                for name in ("_final_obs", "_final_info"):
                    infos.setdefault(name, np.zeros(self.num_envs, dtype=np.bool_))[index] = True
            self._note(infos, info, index)
        return self._seen(arrays), rewards, terminated, truncated, infos

    def _seen(self, arrays: list[npt.NDArray[Any]]) -> Observation:
        return observation(arrays, self._obs_mode, self._cameras)

    def _note(self, infos: dict[str, Any], info: dict[str, Any], index: int) -> None:
        """Adds one environment's information: an array and a mask for each key."""
        for key, value in info.items():
            if key not in infos:
                plain = isinstance(value, (bool, int, float))
                kind: Any = type(value) if plain else object
                infos[key] = np.zeros(self.num_envs, dtype=kind)
                if not plain:
                    infos[key][:] = None
                infos[f"_{key}"] = np.zeros(self.num_envs, dtype=np.bool_)
            infos[key][index] = value
            infos[f"_{key}"][index] = True

    def render(self) -> tuple[npt.NDArray[np.uint8], ...] | None:
        """A picture of each environment, shape (rows, columns, 3); None without a render mode."""
        if self.render_mode is None:
            return None
        camera, size = self._render
        return tuple(self._raw.render(i, camera, size) for i in range(self.num_envs))

    def state_digests(self) -> list[str]:
        """A hash over the exact bits of each world's state."""
        return self._raw.digests()
