"""Trains a policy on demonstrations by the built-in skills, and evaluates it in three ways.

    pip install "lerobot[dataset,evaluation]==0.6.1" msgpack websockets    # Python 3.12
    pip install --no-deps openpi-client==0.1.2
    MATURIN_PEP517_ARGS="--features full" pip install .
    pip install ./crates/apps/python/lerobot
    python scripts/train_policy.py trained --task pick_cube_scrambled

The policy is a small ACT of LeRobot, with the ground truth instead of pictures as input. All
evaluations use the same weights, seeds and time limit, and an episode ends with the first success:

- `lerobot-eval --env.type=regrasp`: LeRobot's loop with Regrasp's plug-in;
- a loop over Regrasp's Gymnasium environment, without LeRobot's environments;
- `regrasp bench --policy openpi:…`, with this process as a server of openpi's protocol.

A step is skipped if its result is in the folder, and an unfinished step is continued. Exits with 1 if
two evaluations differ in more episodes than chance explains (McNemar's exact test, 1 %).
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import math
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import gymnasium
import numpy as np
import pyarrow.parquet
import regrasp.envs  # noqa: F401
import torch
from lerobot.configs.types import NormalizationMode
from lerobot.datasets.dataset_metadata import LeRobotDatasetMetadata
from lerobot.policies.act.configuration_act import ACTConfig
from lerobot.policies.act.modeling_act import ACTPolicy
from lerobot.policies.factory import make_pre_post_processors
from lerobot.utils.feature_utils import dataset_to_policy_features
from openpi_client import msgpack_numpy
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

RATE_HZ = 20
CHUNK = 16
EXECUTED = 8
FIRST_SEED = 100_000
OPEN_M = 0.08
SAME_WIDTH_M = 0.004
STEPS = 300

MAPPING = """
name: trained
rate_hz: {rate}
horizon: {executed}
state:
  - {{key: state, parts: [joints, gripper_width]}}
  - key: robot
    parts: [joints, joint_velocities, gripper_width, finger_contact, tool_position, tool_quaternion]
objects: [{objects}]
actions:
  key: actions
  arm: joint_position
  gripper: {{open: {open}, closed: 0.0, between: width}}
"""


def run(*command):
    print("$", *command, flush=True)
    subprocess.run([str(word) for word in command], check=True)


def regrasp_command(*words):
    run(sys.executable, "-m", "regrasp", *words)


def record(folder, task, episodes):
    if (folder / "meta/info.json").exists():
        return
    regrasp_command("dataset", "record", "--tasks", task, "--episodes", episodes, "--fps", RATE_HZ,
                    "--environment-state", "--no-pictures", "-o", folder)  # fmt: skip


def chunks_of(data):
    """Returns states, chunks of actions, and a mask of the actions beyond the end of the episode."""
    table = pyarrow.parquet.read_table(next((data / "data").rglob("*.parquet")))
    column = {
        name: torch.tensor(np.stack(table[name].to_numpy()))
        for name in ["observation.state", "observation.environment_state", "action"]
    }
    episode = table["episode_index"].to_numpy()
    last = np.searchsorted(episode, episode, side="right") - 1
    ahead = np.arange(len(episode))[:, None] + np.arange(CHUNK)
    column["action"] = column["action"][np.minimum(ahead, last[:, None])]
    return column, torch.tensor(ahead > last[:, None])


def train(data, folder, steps):
    if (folder / "model.safetensors").exists():
        return
    meta = LeRobotDatasetMetadata("local/demonstrations", root=data)
    features = dataset_to_policy_features(meta.features)
    outputs = {"action": features.pop("action")}
    config = ACTConfig(
        input_features=features, output_features=outputs, device="cpu", push_to_hub=False,
        chunk_size=CHUNK, n_action_steps=EXECUTED, use_vae=False, dropout=0.0,
        dim_model=128, n_heads=4, dim_feedforward=256, n_encoder_layers=1,
        normalization_mapping=dict.fromkeys(["STATE", "ENV", "ACTION"], NormalizationMode.MEAN_STD),
    )  # fmt: skip
    # Some values hardly vary in the demonstrations, such as the quaternion of a cube that rests on its
    # side. Without a minimum deviation, other values would be huge after normalization.
    stats = {name: {k: np.array(v) for k, v in of.items()} for name, of in meta.stats.items()}
    for name in features:
        stats[name]["std"] = np.maximum(stats[name]["std"], 0.01)
    torch.manual_seed(0)
    policy = ACTPolicy(config)
    before, after = make_pre_post_processors(config, dataset_stats=stats)
    column, is_beyond = chunks_of(data)
    seen = before(dict(column))
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-3, total_steps=steps)
    policy.train()
    began = time.monotonic()
    for step in range(1, steps + 1):
        chosen = torch.randint(len(is_beyond), (64,))
        batch = {name: seen[name][chosen] for name in column}
        loss, _ = policy.forward({**batch, "action_is_pad": is_beyond[chosen]})
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 500 == 0:
            print(f"step {step}: loss {loss:.4f}, {time.monotonic() - began:.0f} s", flush=True)
    policy.save_pretrained(folder)
    for part in (before, after):
        part.save_pretrained(folder)


class Trained:
    """Trained policy: converts observations to chunks of actions."""

    def __init__(self, path):
        self._policy = ACTPolicy.from_pretrained(path).eval()
        self._before, self._after = make_pre_post_processors(
            self._policy.config, pretrained_path=str(path)
        )

    def chunk(self, state, environment):
        seen = {
            "observation.state": torch.tensor(np.asarray(state, np.float32))[None],
            "observation.environment_state": torch.tensor(np.asarray(environment, np.float32))[None],
        }
        with torch.inference_mode():
            actions = self._policy.predict_action_chunk(self._before(seen))
            return self._after(actions)[0, :EXECUTED].numpy()


def lerobot_eval(trained, folder, task, seeds):
    told = folder / "eval_info.json"
    if not told.exists():
        run(sys.executable, "-m", "lerobot.scripts.lerobot_eval", f"--policy.path={trained}",
            "--policy.device=cpu", "--env.type=regrasp", f"--env.task={task}",
            "--env.obs_type=environment_state_agent_pos", f"--env.episode_length={STEPS}",
            f"--env.fps={RATE_HZ}", f"--eval.n_episodes={len(seeds)}", "--eval.batch_size=1",
            f"--seed={seeds[0]}", f"--output_dir={folder}")  # fmt: skip
    successes = json.loads(told.read_text())["per_task"][0]["metrics"]["successes"]
    return dict(zip(seeds, map(bool, successes), strict=True))


def gym_eval(trained, file, task, seeds):
    """Returns the success of each seed. The file also has the judge's findings for failures."""
    if not file.exists():
        policy, told = Trained(trained), {}
        env = gymnasium.make(f"Regrasp/{task.replace('/', '.')}-v1", obs_mode="state",
                             control_mode="joint", rate_hz=RATE_HZ, horizon=STEPS)  # fmt: skip
        names = env.unwrapped.names
        n_joints = sum(name.endswith("(rad)") for name in names)
        width = names.index("gripper width (m)")
        for seed in seeds:
            seen, _ = env.reset(seed=seed)
            rows, opens, ended = [], 1.0, False
            while not ended:
                if not rows:
                    rows = list(policy.chunk([*seen[:n_joints], seen[width]], seen))
                row = rows.pop(0)
                # The policy gives a width, but the gripper of the environment only opens or closes.
                if abs(row[-1] - seen[width]) > SAME_WIDTH_M:
                    opens = np.sign(row[-1] - seen[width])
                seen, _, done, late, info = env.step(np.append(row[:-1], opens))
                ended = done or late
            told[seed] = {"success": info["success"], "unmet": info["unmet"], "s": info["time_s"]}
        file.write_text(json.dumps(told, indent=1))
    told = json.loads(file.read_text())
    return {int(seed): it["success"] for seed, it in told.items()}


class Server:
    """Server of openpi's protocol for a policy, on its own thread."""

    def __init__(self, policy, objects):
        self._policy, self._objects = policy, objects
        self._port = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True).start()
        self._port.wait()

    def _answer(self, seen):
        robot = seen["robot"]
        tool = robot[-7:-4]
        parts = [np.concatenate([seen[name], seen[name][:3] - tool]) for name in self._objects]
        return {"actions": self._policy.chunk(seen["state"], np.concatenate([robot, *parts]))}

    async def _handle(self, socket):
        await socket.send(msgpack_numpy.packb({"policy": "ACT"}))
        with contextlib.suppress(ConnectionClosed):
            while True:
                seen = msgpack_numpy.unpackb(await socket.recv())
                await socket.send(msgpack_numpy.packb(self._answer(seen)))

    async def _serve(self):
        async with serve(self._handle, "127.0.0.1", 0, compression=None, max_size=None) as serving:
            self.url = f"ws://127.0.0.1:{serving.sockets[0].getsockname()[1]}"
            self._port.set()
            await serving.serve_forever()


def features(data):
    return json.loads((data / "meta/info.json").read_text())["features"]


def bench(folder, task, seeds, *options):
    """Runs a benchmark. Returns its records by seed."""
    if not (folder / "summary.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        listed = folder.with_suffix(".seeds")
        listed.write_text(f"{seeds[0]}-{seeds[-1]}\n")
        regrasp_command("bench", "--tasks", task, "--seed-list", listed, "--out", folder, *options)
    lines = (folder / "results.jsonl").read_text().splitlines()
    return {record["seed"]: record for record in map(json.loads, lines)}


def openpi_eval(trained, folder, data, task, seeds, *options):
    end = " from tool x (m)"
    names = features(data)["observation.environment_state"]["names"]
    objects = [name.removesuffix(end) for name in names if name.endswith(end)]
    entries = ", ".join(f"{{key: {name}, object: {name}}}" for name in objects)
    mapping = folder.with_suffix(".yaml")
    mapping.write_text(
        MAPPING.format(rate=RATE_HZ, executed=EXECUTED, objects=entries, open=OPEN_M)
    )
    server = Server(Trained(trained), objects)
    return bench(folder, task, seeds, "--policy", f"openpi:{server.url}", "--policy-mapping", mapping,
                 "--policy-deadline", 10, "--policy-time", STEPS / RATE_HZ, *options)  # fmt: skip


def wilson(k, n, z=1.96):
    """Returns the 95 % Wilson interval of a rate."""
    middle, half = k / n + z * z / (2 * n), z * math.sqrt(k * (n - k) / n**3 + (z / (2 * n)) ** 2)
    return [(middle + sign * half) / (1 + z * z / n) for sign in (-1, 1)]


def mcnemar(one, other):
    """Returns the p-value of McNemar's exact test: the probability that two evaluations with the same
    rate differ as much on the same seeds."""
    wins = sum(one[seed] and not other[seed] for seed in one)
    losses = sum(other[seed] and not one[seed] for seed in one)
    n = wins + losses
    tail = sum(math.comb(n, k) for k in range(min(wins, losses) + 1)) / 2**n
    return wins, losses, min(1.0, 2 * tail)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--task", default="pick_cube_scrambled")
    parser.add_argument("--demonstrations", type=int, default=200)
    parser.add_argument("--steps", type=int, default=6000, help="number of steps of the optimiser")
    parser.add_argument("--seeds", type=int, default=100)
    given = parser.parse_args()
    folder, task = given.folder.resolve(), given.task
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    seeds = range(FIRST_SEED, FIRST_SEED + given.seeds)
    data = folder / "demonstrations"
    record(data, task, given.demonstrations)
    trained = folder / "policy"
    train(data, trained, given.steps)
    openpi = folder / "openpi", data, task, seeds
    records = {
        "`regrasp bench --policy openpi:…`": openpi_eval(trained, *openpi, "--policy-until-met"),
        "the same, judged at the end": openpi_eval(trained, folder / "end", *openpi[1:]),
        "built-in skills": bench(folder / "skills", task, seeds),
    }
    ways = {
        "`lerobot-eval`": lerobot_eval(trained, folder / "lerobot", task, seeds),
        "Gymnasium": gym_eval(trained, folder / "gym.json", task, seeds),
    }
    for way, of in records.items():
        ways[way] = {seed: of[seed]["verdict"]["verdict"] == "success" for seed in seeds}
    for way, of in ways.items():
        k = sum(of.values())
        low, high = wilson(k, len(of))
        print(f"| {way} | {k} of {len(of)} | {100 * low:.1f} to {100 * high:.1f} % |")
    agree = True
    for one, other in itertools.combinations(list(ways)[:3], 2):
        wins, losses, chance = mcnemar(ways[one], ways[other])
        print(f"{one}, {other}: only one {wins}, only the other {losses}, p = {chance:.2f}")
        agree &= chance > 0.01
    for way, of in records.items():
        failed = [of[seed]["verdict"]["unmet"] for seed in seeds if not ways[way][seed]]
        for condition, n in Counter(u["condition"] for unmet in failed for u in unmet).items():
            found = [u["found"] for unmet in failed for u in unmet if u["condition"] == condition]
            print(f"{way}: {condition}: {n} times not, such as: {'; '.join(sorted(found)[:8])}")
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
