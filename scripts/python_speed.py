"""Measures steps per second of `pick_cube`, in one environment and in many, with state and with
pictures; and of robosuite's `Lift` and ManiSkill's `PickCube-v1` on the CPU, if these are installed.
Prints a table.

    pip install . gymnasium robosuite==1.5.2 mujoco==3.3.0 mani_skill==3.0.1    # Python 3.11
    MUJOCO_GL=egl VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/lvp_icd.x86_64.json \\
        python scripts/python_speed.py

Actions are random; episodes have 100 steps at 20 Hz. Without a graphics card, ManiSkill's SAPIEN
3.0.3 needs Mesa's lavapipe, even for states only. It refuses that of Mesa 22.3, which has no
descriptor indexing (`ErrorFeatureNotPresent`). Mesa 25.0 works (Debian 12: `mesa-vulkan-drivers`
from its backports).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import gymnasium
import numpy as np
import regrasp.envs  # noqa: F401

SECONDS, HORIZON, SIZE = 10.0, 100, 128


def timed(step: Callable[[], int]) -> tuple[float, float]:
    """Returns the steps per second of wall time and of processor time. The latter depends less on
    the load of the machine."""
    step()
    began, began_cpu, n = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() - began < SECONDS:
        n += step()
    return n / (time.perf_counter() - began), n / (time.process_time() - began_cpu)


def single(obs_mode: str) -> tuple[float, float]:
    env: Any = gymnasium.make(
        "Regrasp/pick_cube-v1", obs_mode=obs_mode, cameras=("scene",),
        picture_size=(SIZE, SIZE), horizon=HORIZON, disable_env_checker=True,
    ).unwrapped
    env.action_space.seed(0)
    env.reset(seed=0)

    def step() -> int:
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()
        return 1

    return timed(step)


def many(obs_mode: str, n: int) -> tuple[float, float]:
    envs = gymnasium.make_vec(
        "Regrasp/pick_cube-v1", num_envs=n, vectorization_mode="vector_entry_point",
        obs_mode=obs_mode, cameras=("scene",), picture_size=(SIZE, SIZE), horizon=HORIZON,
    )
    envs.action_space.seed(0)
    envs.reset(seed=0)

    def step() -> int:
        envs.step(envs.action_space.sample())
        return n

    return timed(step)


def robosuite_lift(pictures: bool) -> tuple[float, float]:
    import robosuite

    env = robosuite.make(
        "Lift", robots="Panda", has_renderer=False, has_offscreen_renderer=pictures,
        use_camera_obs=pictures, camera_names="agentview", camera_heights=SIZE,
        camera_widths=SIZE, horizon=HORIZON, control_freq=20, ignore_done=False,
    )
    rng = np.random.default_rng(0)
    low, high = env.action_spec
    env.reset()

    def step() -> int:
        done = env.step(rng.uniform(low, high))[2]
        if done:
            env.reset()
        return 1

    return timed(step)


def maniskill(obs_mode: str) -> tuple[float, float]:
    import mani_skill.envs  # noqa: F401

    env = gymnasium.make(
        "PickCube-v1", obs_mode=obs_mode, sim_backend="cpu", render_backend="cpu", num_envs=1,
        render_mode=None, max_episode_steps=HORIZON,
        sensor_configs={"width": SIZE, "height": SIZE},
    )
    env.action_space.seed(0)
    env.reset(seed=0)

    def step() -> int:
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if bool(terminated) or bool(truncated):
            env.reset()
        return 1

    return timed(step)


def main() -> None:
    rows: list[tuple[str, Callable[[], tuple[float, float]]]] = [
        ("regrasp, 1, state", lambda: single("state")),
        ("regrasp, 16 on threads, state", lambda: many("state", 16)),
        (f"regrasp, 1, rgb {SIZE}x{SIZE}", lambda: single("rgb")),
        (f"regrasp, 16 on threads, rgb {SIZE}x{SIZE}", lambda: many("rgb", 16)),
        ("robosuite Lift, 1, state", lambda: robosuite_lift(False)),
        (f"robosuite Lift, 1, rgb {SIZE}x{SIZE}", lambda: robosuite_lift(True)),
        ("ManiSkill PickCube-v1, 1, CPU, state", lambda: maniskill("state")),
        (f"ManiSkill PickCube-v1, 1, CPU, rgb {SIZE}x{SIZE}", lambda: maniskill("rgb")),
    ]
    for package in ("regrasp", "gymnasium", "robosuite", "mujoco", "mani_skill", "sapien"):
        try:
            print(package, version(package))
        except PackageNotFoundError:
            print(package, "is not installed")
    for name, measure in rows:
        try:
            wall, cpu = measure()
            print(f"| {name} | {wall:.0f} | {cpu:.0f} |", flush=True)
        except Exception as error:
            print(f"| {name} | none: {type(error).__name__}: {str(error)[:80]} | |", flush=True)


if __name__ == "__main__":
    main()
