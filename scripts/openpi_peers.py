"""Server and client for `scripts/openpi.sh`, based on PyPI's `openpi-client`.

    openpi_peers.py relay URL   a server like openpi's own: checks every observation, asks the policy
                                at URL and forwards its answer
    openpi_peers.py loop URL    a control loop as a policy with JSON lines: sends the robot's state to
                                the policy at URL, and converts its joint displacements to targets
"""

import asyncio
import json
import os
import sys
import time
import traceback

import numpy as np
import websockets.asyncio.server as server
from openpi_client import image_tools, msgpack_numpy
from openpi_client.websocket_client_policy import WebsocketClientPolicy
from websockets.exceptions import ConnectionClosed

HORIZON = 8
OPEN_M = 0.08


def asked(url):
    """Returns a client of the policy at URL."""
    return WebsocketClientPolicy(host=url, api_key=os.environ.get("OPENPI_KEY"))


def look_at(observation, seen):
    """Checks that an observation has the keys of openpi's DROID policies, and pictures like theirs."""
    for key in ["observation/exterior_image_1_left", "observation/wrist_image_left"]:
        image = observation[key]
        assert image.shape == (224, 224, 3) and image.dtype == np.uint8, (key, image.shape)
        assert image.std() > 5, f"the picture {key} is uniform"
    joints = observation["observation/joint_position"]
    assert joints.shape == (7,) and joints.dtype == np.float64, joints
    assert observation["observation/gripper_position"].shape == (1,)
    assert isinstance(observation["prompt"], str)
    if observation["prompt"] == "make it fail":
        raise ValueError("asked to fail")
    theirs = image_tools.resize_with_pad(observation["raw"], 224, 224).astype(int)
    off = np.abs(theirs - observation["observation/exterior_image_1_left"].astype(int))
    seen.append((off.max(), off.mean()))


async def relay(url):
    seen, times = [], []

    async def handler(socket):
        packer = msgpack_numpy.Packer()
        policy = asked(url)
        await socket.send(packer.pack({"relayed": policy.get_server_metadata()["control_hz"]}))
        while True:
            try:
                observation = msgpack_numpy.unpackb(await socket.recv())
                look_at(observation, seen)
                started = time.monotonic()
                answer = policy.infer({k: v for k, v in observation.items() if k != "raw"})
                times.append(1e3 * (time.monotonic() - started))
                await socket.send(packer.pack(answer))
            except ConnectionClosed:
                break
            except Exception:
                await socket.send(traceback.format_exc())
                await socket.close(1011, "Internal server error. Traceback included in previous frame.")
                break
        if seen:
            worst, mean = max(s[0] for s in seen), np.mean([s[1] for s in seen])
            print(f"{len(seen)} observations; pictures differ from resize_with_pad by {mean:.3f} "
                  f"levels of 255 on average, {worst} at most; a chunk took "
                  f"{np.median(times):.1f} ms (median)", file=sys.stderr, flush=True)

    async with server.serve(handler, "127.0.0.1", 0, compression=None, max_size=None) as serving:
        port = serving.sockets[0].getsockname()[1]
        print(f"relaying on ws://127.0.0.1:{port}", flush=True)
        await serving.serve_forever()


def loop(url):
    def say(**what):
        print(json.dumps(what), flush=True)

    policy, rows, start = None, [], None
    for line in sys.stdin:
        told = json.loads(line)
        if told["type"] == "reset":
            policy, rows, start = asked(url), [], told
            say(type="ready")
            continue
        joints = np.array(told["joint_positions"])
        if not rows:
            answer = policy.infer({
                "observation/joint_position": joints,
                "observation/gripper_position": np.array([1 - told["gripper"]["width_m"] / OPEN_M]),
                "observation/image": np.zeros((224, 224, 3), np.uint8),
                "observation/step": told["step"],
                "observation/seed": np.int64(start["seed"]),
                "prompt": start["task"],
            })
            if answer["done"]:
                say(type="done", step=told["step"])
                continue
            rows = list(answer["actions"][:HORIZON])
        row = rows.pop(0)
        gripper = {"force_n": 20.0} if row[7] > 0.98 else {"width_m": (1 - row[7]) * OPEN_M}
        say(type="move", step=told["step"], joint_positions=(joints + row[:7]).tolist(), gripper=gripper)


if __name__ == "__main__":
    what, url = sys.argv[1:]
    if what == "relay":
        asyncio.run(relay(url))
    else:
        loop(url)
