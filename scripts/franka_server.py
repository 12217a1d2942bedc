"""Runs a third-party simulator of a Franka's protocol (PyPI `franka-sim`) with cubes to pick.

The simulator listens only on loopback. Like a real arm, it stops if commands break its limits or if
20 commands in a row are lost. On another port, it reports the true poses of the cubes and accepts
orders: one line of JSON in, one line out.

    {"put": {"red_cube": [x, y, z, yaw]}}   ->   {"time": 1.2, "objects": {"red_cube": {...}}}
    {"reflex": true}                        ->   the arm aborts as after a collision
    {"die": true}                           ->   the controller stops as without power

All values are in metres, radians and the frame of the arm's base. `scripts/franka.sh` creates the
virtual environment and starts this script.
"""

import argparse
import json
import logging
import os
import queue
import re
import socketserver
import sys
import threading
from pathlib import Path

ARM_PORT = 1337
POSE_PORT = 1339
# Edge (m), mass (kg), colour, and initial position x, y (m) of each cube.
CUBES = {
    "red_cube": (0.04, 0.05, "0.8 0.1 0.1 1", (0.45, -0.12)),
    "green_cube": (0.05, 0.1, "0.1 0.6 0.1 1", (0.45, 0.15)),
}


def scene(folder: Path) -> Path:
    """Writes a copy of the FR3 of PyPI `franky-sim` with the paths of its meshes and with cubes."""
    import franky_sim

    assets = Path(franky_sim.__file__).parent / "assets"
    text = (assets / "fr3.xml").read_text()
    text = text.replace('meshdir="assets"', f'meshdir="{assets / "meshes"}"')
    # The simulator expects names of finger joints with the prefix of the arm.
    text = text.replace("finger_joint", "fr3_finger_joint")
    # With MuJoCo's default options, a held object creeps out of the fingers within ten seconds.
    text = text.replace(
        '<option integrator="implicitfast"/>',
        '<option integrator="implicitfast" cone="elliptic" impratio="10"/>',
    )
    # The model's keyframe does not match, because it lacks the joints of the cubes.
    text = re.sub(r"<keyframe>.*?</keyframe>", "", text, flags=re.DOTALL)
    bodies = []
    for name, (edge, mass, color, (x, y)) in CUBES.items():
        half = edge / 2
        bodies.append(
            f'<body name="{name}" pos="{x} {y} {half}"><freejoint name="{name}_joint"/>'
            f'<geom type="box" size="{half} {half} {half}" mass="{mass}" rgba="{color}" '
            'friction="1 0.05 0.001" condim="4" solref="0.004 1"/></body>'
        )
    head, tail = text.rsplit("</worldbody>", 1)
    path = folder / "scene.xml"
    path.write_text(head + "\n".join(bodies) + "</worldbody>" + tail)
    return path


def simulator(path: Path):
    os.environ["FR3_MJCF"] = str(path)
    # The model already has a hand, so that the simulator must not attach one.
    os.environ["FRANKA_HAND_MJCF"] = str(path)
    import mujoco
    from franka_sim import mujoco_franka_sim

    mujoco_franka_sim._attach_hand = lambda spec, hand_spec, prefix: None

    class Cubes(mujoco_franka_sim.MujocoFrankaSim):
        """Simulator of the arm. Its thread also moves the cubes and reads their poses."""

        def initialize_simulation(self):
            self.puts = queue.SimpleQueue()
            self.poses = {}
            self.n_steps = 0
            self.cubes = None
            super().initialize_simulation()
            self.cubes = {}
            for name in CUBES:
                body = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, name)
                joint = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_JOINT, f"{name}_joint")
                # The simulator compensates the gravity of all bodies; the cubes need theirs.
                self.model.body_gravcomp[body] = 0.0
                adr = (self.model.jnt_qposadr[joint], self.model.jnt_dofadr[joint])
                self.cubes[name] = (body, *adr)

        def _apply_control(self):
            super()._apply_control()
            self.n_steps += 1
            if self.cubes is None:
                return
            while not self.puts.empty():
                self.put(*self.puts.get())
            if self.n_steps % 5 == 0:
                self.poses = {name: self.pose(body) for name, (body, _, _) in self.cubes.items()}

        def put(self, name, x, y, z, yaw):
            from math import cos, sin

            _, qpos, dof = self.cubes[name]
            turn = [cos(yaw / 2), 0.0, 0.0, sin(yaw / 2)]
            self.data.qpos[qpos : qpos + 7] = [x, y, z, *turn]
            self.data.qvel[dof : dof + 6] = 0.0

        def pose(self, body):
            w, x, y, z = (float(v) for v in self.data.xquat[body])
            position = [float(v) for v in self.data.xpos[body]]
            return {"position": position, "quat_xyzw": [x, y, z, w]}

    return Cubes(enable_hand=True)


# Index of `cartesian_reflex` among the protocol's errors.
CARTESIAN_REFLEX = 7


def serve_poses(sim, server):
    class Poses(socketserver.StreamRequestHandler):
        def handle(self):
            for line in self.rfile:
                order = json.loads(line)
                if order.get("die"):
                    os._exit(1)
                if order.get("reflex"):
                    server._abort_with_error(CARTESIAN_REFLEX, "reflex requested by a client")
                for name, place in order.get("put", {}).items():
                    sim.puts.put((name, *place))
                said = {"time": float(sim.data.time), "objects": sim.poses}
                self.wfile.write((json.dumps(said) + "\n").encode())

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True

    poses = Server(("127.0.0.1", POSE_PORT), Poses)
    threading.Thread(target=poses.serve_forever, daemon=True).start()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder to which the scene is written")
    parser.add_argument("--protocol", type=int, choices=(5, 10), default=10)
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    # By default, a busy thread keeps the interpreter's lock for 5 ms: five control cycles of the arm.
    sys.setswitchinterval(5e-4)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    sim = simulator(scene(arguments.folder))

    from franka_sim.franka_sim_server import FrankaSimServer

    server = FrankaSimServer(
        host="127.0.0.1",
        port=ARM_PORT,
        physics_sim=sim,
        gripper_physics=True,
        protocol_version=arguments.protocol,
        enforce_comm_constraints=True,
        enforce_motion_limits=True,
    )
    initialize = sim.initialize_simulation

    def initialized():
        initialize()
        serve_poses(sim, server)

    sim.initialize_simulation = initialized
    server.start()


if __name__ == "__main__":
    main()
