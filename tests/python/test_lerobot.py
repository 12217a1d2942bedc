"""Tasks as environments of LeRobot, and data sets that match them.

Run by `scripts/python.sh --lerobot`, because LeRobot and PyTorch are large.
"""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest

pytest.importorskip("lerobot")
from gymnasium.utils.env_checker import check_env  # noqa: E402
from lerobot.envs.configs import EnvConfig  # noqa: E402
from lerobot.envs.factory import make_env  # noqa: E402
from lerobot.envs.utils import env_to_policy_features  # noqa: E402
from regrasp.lerobot import LeRobotEnv, RegraspEnvConfig  # noqa: E402
from regrasp.on_ray import run_command  # noqa: E402

VERSION = tuple(int(n) for n in importlib.metadata.version("lerobot").split(".")[:2])
PIXELS, NUMBERS = "pixels_agent_pos", "environment_state_agent_pos"
SMALL = {"observation_width": 96, "observation_height": 72, "episode_length": 12}


@pytest.mark.parametrize("obs_type", [PIXELS, NUMBERS])
def test_gymnasiums_own_check_passes(obs_type: str) -> None:
    env = LeRobotEnv("pick_cube", episode_length=20, obs_type=obs_type, picture_size=(64, 48))
    check_env(env, skip_render_check=True)


def test_lerobot_knows_the_type_and_makes_it() -> None:
    assert EnvConfig.get_choice_class("regrasp") is RegraspEnvConfig
    tasks = ["pick_cube", "stack_two"] if VERSION >= (0, 5) else ["pick_cube"]
    made = make_env(RegraspEnvConfig(task=",".join(tasks), **SMALL), n_envs=2)
    assert sum(len(of) for of in made.values()) == len(tasks)
    for envs in (envs for of in made.values() for envs in of.values()):
        seen, _ = envs.reset(seed=[3, 4])
        assert seen["pixels"]["wrist"].shape == (2, 72, 96, 3)
        assert seen["agent_pos"].shape == (2, 8)
        assert all(envs.call("task_description"))
        assert list(envs.call("_max_episode_steps")) == [12, 12]
        envs.close()


def tiny_policy(folder: Path, config: RegraspEnvConfig) -> None:
    """Saves an untrained ACT policy in LeRobot's format."""
    from lerobot.configs.types import FeatureType
    from lerobot.policies.act.configuration_act import ACTConfig
    from lerobot.policies.act.modeling_act import ACTPolicy
    from lerobot.policies.factory import make_pre_post_processors

    features = env_to_policy_features(config)
    of = {kind: {k: f for k, f in features.items() if f.type is kind} for kind in FeatureType}
    outputs = of.pop(FeatureType.ACTION)
    act = ACTConfig(
        input_features={k: f for some in of.values() for k, f in some.items()},
        output_features=outputs,
        device="cpu",
        dim_model=32,
        n_heads=2,
        dim_feedforward=64,
        n_encoder_layers=1,
        use_vae=False,
        pretrained_backbone_weights=None,
        chunk_size=6,
        n_action_steps=6,
        push_to_hub=False,
    )
    ACTPolicy(act).save_pretrained(folder)
    for part in make_pre_post_processors(act):
        part.save_pretrained(folder)


@pytest.mark.parametrize("obs_type", [PIXELS, NUMBERS])
def test_lerobot_eval_runs_a_tiny_policy(tmp_path: Path, obs_type: str) -> None:
    tiny_policy(tmp_path / "policy", RegraspEnvConfig(obs_type=obs_type, **SMALL))
    fields = {"task": "pick_cube", "obs_type": obs_type, **SMALL}
    command = [
        *(sys.executable, "-m", "lerobot.scripts.lerobot_eval"),
        f"--policy.path={tmp_path / 'policy'}",
        "--env.type=regrasp",
        *(f"--env.{name}={value}" for name, value in fields.items()),
        *("--eval.n_episodes=3", "--eval.batch_size=2", "--policy.device=cpu"),
        f"--output_dir={tmp_path / 'eval'}",
    ]
    # LeRobot finds plug-ins of environments by itself since version 0.5.
    if VERSION < (0, 5):
        command.append("--env.discover_packages_path=regrasp.lerobot")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads((tmp_path / "eval" / "eval_info.json").read_text())
    assert told["overall"]["n_episodes"] == 3
    assert 0.0 <= told["overall"]["pc_success"] <= 100.0
    assert list((tmp_path / "eval").rglob("*.mp4")), "lerobot_eval wrote no video"


def recorded(folder: Path, *options: str) -> None:
    """Records a data set. Skips the test if this build lacks the feature."""
    try:
        run_command(["dataset", "record", *options, "--fps", "20", "-o", str(folder)])
    except Exception as error:
        if "not in this build" in str(error):
            pytest.skip(str(error))
        raise


def column_of(folder: Path, name: str) -> np.ndarray[Any, Any]:
    """Returns a feature of a data set's first episode."""
    table = pyarrow.parquet.read_table(next((folder / "data").rglob("*.parquet")))
    mine = np.asarray(table["episode_index"]) == 0
    return np.stack(table[name].to_numpy()[mine]).astype(np.float32)


@pytest.mark.parametrize("task", ["pick_cube_scrambled", "open_drawer"])
def test_the_environments_state_in_a_data_set_is_what_the_environment_shows(
    tmp_path: Path, task: str
) -> None:
    options = ["--episodes", "1", "--environment-state", "--no-pictures"]
    recorded(tmp_path / "data", "--tasks", task, *options)
    features = json.loads((tmp_path / "data/meta/info.json").read_text())["features"]
    states = column_of(tmp_path / "data", "observation.environment_state")
    actions = column_of(tmp_path / "data", "action")
    env = LeRobotEnv(task, episode_length=len(actions), obs_type=NUMBERS)
    assert features["observation.environment_state"]["names"] == env.names
    shown = [env.reset(seed=0)[0]["environment_state"]]
    np.testing.assert_allclose(shown[0], states[0], atol=1e-4)
    for action in actions[:10]:
        shown.append(env.step(action)[0]["environment_state"])
    # The arm lags slightly behind the recorded one.
    off = np.abs(np.stack(shown) - states[:11])
    assert off[:, env.names.index("panda_joint1 (rad)")].max() < 0.05
    turns = [i for i, name in enumerate(env.names) if "quaternion" in name]
    assert off[:, turns].max() < 0.1


@pytest.mark.parametrize("task", ["pick_cube", "stack_two", "open_drawer", "ring_on_post"])
def test_the_actions_of_a_data_set_do_in_the_environment_what_they_did(
    tmp_path: Path, task: str
) -> None:
    pictures = ["--size", "64", "48", "--cameras", "scene"]
    recorded(tmp_path / "data", "--tasks", task, "--episodes", "1", *pictures)
    actions = column_of(tmp_path / "data", "action")
    env = LeRobotEnv(task, episode_length=len(actions) + 40, obs_type=NUMBERS)
    env.reset(seed=0)
    for action in [*actions, *[actions[-1]] * 40]:
        _, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            break
    assert info["success"], info["unmet"]
