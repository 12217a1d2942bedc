"""LIBERO's tasks as environments. Most tests need LIBERO's files, in `REGRASP_LIBERO`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import regrasp
import regrasp.envs

ROOT = Path(os.environ.get("REGRASP_LIBERO", Path(__file__).parents[3] / "shared" / "libero"))
needs_files = pytest.mark.skipif(not ROOT.is_dir(), reason="LIBERO's files are missing")


def make(**kwargs: Any) -> Any:
    return gymnasium.make("Regrasp/libero-v1", disable_env_checker=True, **kwargs).unwrapped


def test_without_a_folder_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REGRASP_LIBERO", raising=False)
    with pytest.raises(regrasp.SetupError, match="libero"):
        make(suite="libero_goal", task="turn_on_the_stove")


@needs_files
def test_it_is_seen_and_moved_as_libero_is() -> None:
    env = make(suite="libero_goal", task="turn_on_the_stove", libero=ROOT)
    assert env.prompt == "turn on the stove"
    seen, info = env.reset(seed=1)
    assert env.observation_space.contains(seen)
    assert info["prompt"] == env.prompt
    assert seen["agentview_image"].shape == (128, 128, 3)
    assert seen["robot0_eef_quat"][0] > 0.99
    assert abs(seen["robot0_gripper_qpos"][0] - 0.039) < 0.002
    start = seen["robot0_eef_pos"]
    for _ in range(5):
        seen, reward, terminated, truncated, _ = env.step(np.array([0, 0, 1, 0, 0, 0, -1.0]))
        assert env.observation_space.contains(seen)
        assert reward == 0 and not terminated and not truncated
    # The reference is robosuite's arm, which rises by 54.8 mm.
    assert abs(seen["robot0_eef_pos"][2] - start[2] - 0.055) < 0.004
    for _ in range(12):
        seen, *_ = env.step(np.array([0, 0, 0, 0, 0, 0, 1.0]))
    assert seen["robot0_gripper_qpos"][0] < 0.02


@needs_files
def test_it_ends_after_the_usual_steps() -> None:
    env = make(suite="libero_goal", task="turn_on_the_stove", libero=ROOT, horizon=3)
    env.reset(seed=0)
    ends = [env.step(np.zeros(7))[3] for _ in range(3)]
    assert ends == [False, False, True]
