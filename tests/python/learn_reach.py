"""PPO of Stable-Baselines3 learns to reach a cube at a random position, from the dense reward.

A cube counts as reached if the tool is within 3 cm of it. Prints the learning curve, and fails if
the learnt policy reaches the cube in less than 80 % of new instances.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import gymnasium
import numpy as np
import regrasp.envs
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv

N_ENVS, HORIZON, STEPS = 16, 40, 160_000
REACHED_M = 0.03


class Adapter(VecEnv):
    """Adapter of `RegraspVectorEnv` to the vector environments of Stable-Baselines3."""

    def __init__(self, envs: regrasp.envs.RegraspVectorEnv) -> None:
        self.envs = envs
        self.actions: Any = None
        self.render_mode = None
        at = next(i for i, name in enumerate(envs.names) if name.endswith("from tool x (m)"))
        self.cube = slice(at, at + 3)
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def reset(self) -> Any:
        seen, _ = self.envs.reset(seed=100)
        self.steps = np.zeros(self.num_envs, dtype=int)
        self.total = np.zeros(self.num_envs)
        return seen

    def step_async(self, actions: Any) -> None:
        self.actions = actions

    def step_wait(self) -> Any:
        seen, rewards, terminated, truncated, infos = self.envs.step(self.actions)
        done = terminated | truncated
        told: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self.steps += 1
        self.total += rewards
        for i in np.flatnonzero(done):
            last = infos["final_obs"][i]
            told[i]["terminal_observation"] = last
            told[i]["TimeLimit.truncated"] = bool(truncated[i])
            told[i]["episode"] = {"r": self.total[i], "l": self.steps[i], "t": 0.0}
            told[i]["reached"] = bool(np.linalg.norm(last[self.cube]) < REACHED_M)
            self.steps[i], self.total[i] = 0, 0.0
        return seen, rewards.astype(np.float32), done, told

    def close(self) -> None:
        pass

    def get_attr(self, name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, name, None)] * self.num_envs

    def set_attr(self, name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError

    def env_method(self, name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        raise NotImplementedError

    def env_is_wrapped(self, wrapper: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs


def make(n: int) -> regrasp.envs.RegraspVectorEnv:
    envs = gymnasium.make_vec(
        "Regrasp/maniskill.pick_cube-v1",
        num_envs=n,
        vectorization_mode="vector_entry_point",
        control_mode="ee_delta",
        reward_mode="dense",
        horizon=HORIZON,
        rate_hz=10,
        autoreset_mode="SameStep",
    )
    assert isinstance(envs, regrasp.envs.RegraspVectorEnv)
    return envs


def reached(model: Any) -> float:
    """Returns the fraction of 40 new instances in which the tool ends at the cube."""
    envs = make(40)
    cube = Adapter(envs).cube
    seen, _ = envs.reset(seed=1_000_000)
    at_end = np.zeros(40, dtype=bool)
    for _ in range(HORIZON):
        actions, _ = model.predict(seen, deterministic=True)
        seen, _, terminated, truncated, infos = envs.step(actions)
        for i in np.flatnonzero(terminated | truncated):
            last = infos["final_obs"][i]
            at_end[i] = terminated[i] or np.linalg.norm(last[cube]) < REACHED_M
    return float(at_end.mean())


def main() -> int:
    # The network is so small that more threads would only wait for each other.
    torch.set_num_threads(1)
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else STEPS
    model = PPO(
        "MlpPolicy", Adapter(make(N_ENVS)), n_steps=128, batch_size=512, n_epochs=10,
        learning_rate=1e-3, gamma=0.95, ent_coef=0.0, seed=1, device="cpu",
        policy_kwargs={"net_arch": [64, 64], "log_std_init": -0.5},
    )
    began = time.perf_counter()
    print("steps  seconds  reward/step  reached", flush=True)
    rounds = 8
    for _ in range(rounds):
        model.learn(steps // rounds, reset_num_timesteps=False)
        episodes = list(model.ep_info_buffer)
        mean = np.mean([e["r"] / e["l"] for e in episodes])
        part = reached(model)
        spent = time.perf_counter() - began
        print(f"{model.num_timesteps:6d}  {spent:7.0f}  {mean:11.3f}  {part:.2f}", flush=True)
    return 0 if part >= 0.8 else 1


if __name__ == "__main__":
    sys.exit(main())
