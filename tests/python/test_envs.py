"""Tasks as environments of Gymnasium."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
import regrasp
import regrasp.envs
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

OTHERS = ("Regrasp/Task-v1", "Regrasp/libero-v1")
TASKS = [id for id in gymnasium.registry if id.startswith("Regrasp/") and id not in OTHERS]
CONTROLS = ["joint_delta", "joint", "ee_delta", "ee"]


def make(id: str, **kwargs: Any) -> Any:
    return gymnasium.make(id, disable_env_checker=True, **kwargs).unwrapped


def test_every_built_in_task_is_registered() -> None:
    assert len(TASKS) == len(regrasp.task_names())


def check(id: str, **kwargs: Any) -> None:
    """Runs Gymnasium's own check, without its warnings on bounds of spaces."""
    env = make(id, render_mode="rgb_array", render_size=(64, 48), **kwargs)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*Box observation space m.*")
        warnings.filterwarnings("ignore", message=".*normalized.*")
        check_env(env, skip_render_check=False)


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("id", TASKS)
def test_gymnasiums_own_check_passes(id: str, control: str) -> None:
    check(id, control_mode=control)


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("obs", ["rgb", "rgbd"])
@pytest.mark.parametrize("task", ["pick_cube", "open_drawer", "maniskill.stack_cube"])
def test_gymnasiums_own_check_passes_with_pictures(task: str, obs: str, control: str) -> None:
    check(
        f"Regrasp/{task}-v1",
        obs_mode=obs,
        control_mode=control,
        reward_mode="dense",
        picture_size=(64, 48),
    )


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("obs", ["state", "rgb", "rgbd"])
def test_every_mode_keeps_its_spaces(control: str, obs: str) -> None:
    env = make("Regrasp/pick_cube-v1", obs_mode=obs, control_mode=control, reward_mode="dense")
    env.action_space.seed(1)
    seen, _ = env.reset(seed=2)
    assert env.observation_space.contains(seen)
    for _ in range(5):
        seen, reward, *_ = env.step(env.action_space.sample())
        assert env.observation_space.contains(seen)
        assert 0.0 <= reward <= 1.0


def rollout(seed: int, n: int = 20) -> tuple[list[str], list[bytes]]:
    env = make("Regrasp/stack_two-v1", reward_mode="dense", horizon=8)
    env.action_space.seed(seed)
    digests, seen = [], []
    observation, _ = env.reset(seed=seed)
    for _ in range(n):
        digests.append(env.state_digest)
        seen.append(observation.tobytes())
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            observation, _ = env.reset()
    return digests, seen


def test_seeds_give_the_same_bits_and_others_do_not() -> None:
    assert rollout(5) == rollout(5)
    assert rollout(5)[0] != rollout(6)[0]


def test_info_says_what_the_judge_misses() -> None:
    env = make("Regrasp/pick_cube-v1", horizon=3)
    _, info = env.reset(seed=0)
    assert not info["success"] and any(found for found in info["unmet"].values())
    assert info["prompt"]
    still = np.zeros(env.action_space.shape, dtype=np.float32)
    for _ in range(3):
        _, reward, terminated, truncated, info = env.step(still)
        assert reward == 0.0 and not terminated
    assert truncated and info["reason"] == "timeout"
    with pytest.raises(regrasp.SetupError, match="reset"):
        env.step(still)


def test_reset_options_are_obeyed_and_wrong_ones_told() -> None:
    env = make("Regrasp/pick_cube-v1")
    seen, info = env.reset(seed=1, options={"instance": 9})
    assert info["instance"] == 9
    names = [name for name in env.names if name.endswith(" x (m)") and "tool" not in name]
    object = names[0].removesuffix(" x (m)")
    seen, _ = env.reset(seed=1, options={"objects": {object: (0.45, 0.12, 0.1)}})
    at = env.names.index(f"{object} x (m)")
    assert abs(seen[at] - 0.45) < 0.01 and abs(seen[at + 1] - 0.12) < 0.01
    with pytest.raises(regrasp.SetupError, match="known: instance"):
        env.reset(options={"wind": 3})
    with pytest.raises(regrasp.SetupError, match="movable"):
        env.reset(options={"objects": {"unicorn": (0, 0, 0)}})
    with pytest.raises(regrasp.SetupError, match="joint_delta"):
        make("Regrasp/pick_cube-v1", control_mode="telepathy")
    env.reset(seed=1)
    with pytest.raises(regrasp.SetupError, match="8"):
        env.step(np.zeros(3, dtype=np.float32))
    with pytest.raises(regrasp.SetupError, match="finite"):
        env.step(np.full(8, np.nan, dtype=np.float32))


def test_a_task_file_is_a_task(tmp_path: Any) -> None:
    path = tmp_path / "mine.yaml"
    text = """
name: mine
prompt: pick up the cube
scene:
  objects:
    - {id: table, kind: table, size: [1.0, 1.2], top_z: 0.0, xy: [0.5, 0.0]}
    - {id: cube, kind: cube, size: 0.05, color: green, mass_kg: 0.1, on: table, xy: [0.5, 0.1]}
success: {lifted: {object: cube, min_height_m: 0.05}}
"""
    path.write_text(text)
    env = make("Regrasp/Task-v1", task=str(path))
    seen, info = env.reset(seed=0)
    assert info["prompt"] == "pick up the cube"


def scripted(env: Any, seen: Any) -> np.ndarray[Any, Any]:
    """Returns the action that picks up the cube: move above it, lower, close the hand, lift."""
    names = env.names
    tool = seen[names.index("tool x (m)") :][:3]
    cube = next(n for n in names if n.endswith(" from tool x (m)"))
    offset = seen[names.index(cube) :][:3].astype(float)
    action = np.zeros(7, dtype=np.float32)
    aside = float(np.hypot(offset[0], offset[1]))
    width = seen[names.index("gripper width (m)")]
    near = aside < 0.01 and abs(offset[2]) < 0.012
    env.closing = getattr(env, "closing", 0) + 1 if near or getattr(env, "closing", 0) else 0
    action[6] = -1.0 if env.closing else 1.0
    if env.closing > 15:
        action[2] = 0.5
    elif not env.closing:
        action[:2] = np.clip(offset[:2] / 0.05, -1, 1)
        height = offset[2] if aside < 0.02 else max(offset[2] + 0.1, -1.0)
        action[2] = np.clip(height / 0.05, -0.6, 0.6)
    assert tool.shape == (3,) and width >= 0
    return action


def test_somebody_who_knows_how_gets_the_reward() -> None:
    env = make("Regrasp/pick_cube-v1", control_mode="ee_delta", reward_mode="sparse")
    n_done = 0
    for seed in range(3):
        env.closing = 0
        seen, _ = env.reset(seed=seed)
        for _ in range(150):
            seen, reward, terminated, truncated, info = env.step(scripted(env, seen))
            if terminated:
                assert reward == 1.0 and info["success"]
                assert not any(info["unmet"].values())
                n_done += 1
                break
            if truncated:
                break
    assert n_done >= 2, info


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_many_are_as_one_is(mode: AutoresetMode) -> None:
    n, steps = 3, 12
    envs = gymnasium.make_vec(
        "Regrasp/pick_cube-v1",
        num_envs=n,
        vectorization_mode="vector_entry_point",
        horizon=5,
        reward_mode="dense",
        autoreset_mode=mode,
    )
    assert envs.metadata["autoreset_mode"] is mode
    singles = [make("Regrasp/pick_cube-v1", horizon=5, reward_mode="dense") for _ in range(n)]
    first: Any = np.int64(4)
    seen, infos = envs.reset(seed=first)
    alone = [env.reset(seed=4 + i)[0] for i, env in enumerate(singles)]
    assert np.array_equal(seen, np.stack(alone))
    over = [False] * n
    envs.action_space.seed(3)
    for _ in range(steps):
        if mode is AutoresetMode.DISABLED and any(over):
            seen, _ = envs.reset(options={"reset_mask": np.array(over)})
            for i in range(n):
                if over[i]:
                    alone[i] = singles[i].reset()[0]
            assert np.array_equal(seen, np.stack(alone))
            over = [False] * n
        actions = envs.action_space.sample()
        seen, rewards, terminated, truncated, infos = envs.step(actions)
        assert envs.observation_space.contains(seen)
        for i, env in enumerate(singles):
            if over[i] and mode is AutoresetMode.NEXT_STEP:
                alone[i], _ = env.reset()
                assert rewards[i] == 0.0 and not truncated[i]
                over[i] = False
                continue
            alone[i], reward, done, cut, info = env.step(actions[i])
            assert rewards[i] == reward and terminated[i] == done and truncated[i] == cut
            over[i] = done or cut
            if over[i] and mode is AutoresetMode.SAME_STEP:
                assert np.array_equal(infos["final_obs"][i], alone[i])
                assert infos["final_info"]["reason"][i] == info["reason"]
                alone[i], _ = env.reset()
                over[i] = False
        assert np.array_equal(seen, np.stack(alone))
    assert [env.state_digest for env in singles] == envs.unwrapped.state_digests()
