"""Options and spaces that are common to single and vector environments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from ..errors import SetupError

Observation = npt.NDArray[np.float32] | dict[str, npt.NDArray[Any]]


def options(
    obs_mode: str,
    control_mode: str,
    reward_mode: str,
    rate_hz: float,
    max_episode_steps: int | None,
    cameras: Sequence[str],
    picture_size: tuple[int, int],
    libero: str | None = None,
    init_states: str | None = None,
) -> dict[str, Any]:
    """Converts the options of an environment for the extension."""
    if max_episode_steps is not None and max_episode_steps < 1:
        raise SetupError("set `horizon` (or `max_episode_steps`): expected at least 1 step")
    return {
        "obs_mode": obs_mode,
        "control_mode": control_mode,
        "reward_mode": reward_mode,
        "rate_hz": float(rate_hz),
        "max_episode_steps": max_episode_steps,
        "cameras": list(cameras),
        "picture_size": [int(n) for n in picture_size],
        "libero": libero,
        "init_states": init_states,
    }


_RESET_OPTIONS = ("instance", "joints", "objects")


def reset_options(given: dict[str, Any] | None) -> dict[str, Any]:
    """Converts the options of a reset for the extension."""
    given = dict(given or {})
    for name in given:
        if name not in _RESET_OPTIONS:
            known = ", ".join(_RESET_OPTIONS)
            raise SetupError(f"reset with the option `{name}` (known: {known})")
    objects = given.get("objects") or {}
    joints = given.get("joints")
    return {
        "instance": given.get("instance"),
        "joints": None if joints is None else [float(q) for q in joints],
        "objects": [(name, [float(v) for v in at]) for name, at in objects.items()],
    }


def observation_space(
    n_numbers: int, obs_mode: str, cameras: Sequence[str], picture_size: tuple[int, int]
) -> spaces.Space[Any]:
    """Space of observations: a box of numbers, or with pictures a dictionary."""
    numbers = spaces.Box(-np.inf, np.inf, (n_numbers,), np.float32)
    if obs_mode == "state":
        return numbers
    columns, rows = picture_size
    parts: dict[str, spaces.Space[Any]] = {"agent": numbers}
    for camera in cameras:
        parts[f"rgb_{camera}"] = spaces.Box(0, 255, (rows, columns, 3), np.uint8)
        if obs_mode == "rgbd":
            parts[f"depth_{camera}"] = spaces.Box(0, np.inf, (rows, columns, 1), np.float32)
    return spaces.Dict(parts)


def action_space(facts: dict[str, Any]) -> spaces.Space[Any]:
    """Space of actions: a box with the bounds of each number."""
    low = facts["low"].astype(np.float32)
    high = facts["high"].astype(np.float32)
    return spaces.Box(low, high, dtype=np.float32)


def observation(
    arrays: list[npt.NDArray[Any]], obs_mode: str, cameras: Sequence[str]
) -> Observation:
    """Names the arrays of the extension."""
    if obs_mode == "state":
        return arrays[0]
    named = {"agent": arrays[0]}
    rest = iter(arrays[1:])
    for camera in cameras:
        named[f"rgb_{camera}"] = next(rest)
        if obs_mode == "rgbd":
            named[f"depth_{camera}"] = next(rest)
    return named
