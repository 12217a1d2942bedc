"""Measures the time of MuJoCo's physics on LIBERO's tasks, to compare it with runs of `regrasp bench`.

    pip install mujoco==2.3.7 robosuite==1.4.1
    regrasp bench --suite libero:goal --libero LIBERO_DIR --out RUN
    python scripts/time_libero.py LIBERO_DIR RUN...

For each task of a run, a model like LIBERO's is built: robosuite's Panda with its gripper (if robosuite
is installed), the objects of the problem file (welded or free, at the centres of their regions), a table
below them, and LIBERO's time step and contacts. The model comes to rest and is then simulated for 25
steps per control step of 1/20 s. The time is that of the physics alone, without LIBERO's controller
(Python, 500 times per second), observations and pictures. The table has medians of each run: simulated
time of an episode, wall time of the episode in Regrasp (with planning and skills), and processor time of
MuJoCo (one thread) for the same simulated time.
"""

import json
import os
import re
import statistics
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco
import numpy as np

from check_libero import model_of

try:
    from robosuite.models import MujocoWorldBase
    from robosuite.models.grippers import PandaGripper
    from robosuite.models.robots import Panda
except ImportError:
    Panda = None

STEPS = 25
CONTROL_HZ = 20
START = [0, -0.161037, 0, -2.4446, 0, 2.22675, np.pi / 4]
UPRIGHT = {"alphabet_soup", "tomato_sauce", "ketchup", "salad_dressing", "milk", "orange_juice"}


def parts(path):
    """Returns the classes of fixtures and objects by name, and the initial position x, y of each, m."""
    text = re.sub(r";.*", "", path.read_text()).lower()
    kinds = {}
    for group in ("fixtures", "objects"):
        for names, kind in re.findall(r"([\w\s]+?)\s-\s(\w+)", text.split(f"(:{group}")[1].split("(:")[0]):
            kinds.update({name: (kind, group == "fixtures") for name in names.split()})
    regions = {}
    pattern = r"\((\w+)\s+\(:target (\w+)\)\s*\(:ranges \(\s*\(([-\d. e]+)\)"
    for name, target, numbers in re.findall(pattern, text):
        x0, y0, x1, y1 = map(float, numbers.split())
        regions[f"{target}_{name}"] = ((x0 + x1) / 2, (y0 + y1) / 2)
    places = re.findall(r"\((?:on|in) (\w+) (\w+)\)", text.split("(:init")[1].split("(:goal")[0])
    return kinds, {what: regions.get(where) for what, where in places}


def without_arm():
    top = ET.Element("mujoco")
    ET.SubElement(top, "worldbody")
    return top


def with_arm():
    world, robot = MujocoWorldBase(), Panda()
    robot.add_gripper(PandaGripper())
    robot.set_base_xpos([-0.66, 0, 0.012])
    world.merge(robot)
    return world.root


def world(root, problem):
    kinds, places = parts(problem)
    top = with_arm() if Panda else without_arm()
    for name in ("compiler", "option"):
        for old in top.findall(name):
            top.remove(old)
    ET.SubElement(top, "compiler", angle="radian", inertiagrouprange="0 0")
    ET.SubElement(top, "option", timestep="0.002", cone="elliptic", impratio="20", density="1.2", viscosity="2e-5")
    inside = top.find("worldbody")
    ET.SubElement(inside, "geom", type="box", size="1 1 0.05", pos="0 0 -0.05", friction="0.95 0.3 0.1")
    defaults = top.find("default")
    if defaults is None:
        defaults = ET.SubElement(top, "default")
    known = set()
    spare = 0
    for name, (kind, is_fixture) in kinds.items():
        if not list(root.glob(f"assets/**/{kind}.xml")):
            continue
        body = model_of(root, kind)
        for one in sorted(root.glob(f"assets/**/{kind}.xml"))[0:1]:
            for default in ET.parse(one).getroot().findall("default/default"):
                if default.get("class") not in known:
                    known.add(default.get("class"))
                    for geom in default.iter("geom"):
                        geom.attrib.pop("material", None)
                    defaults.append(default)
        for parent in list(body.iter("body")):
            for geom in parent.findall("geom"):
                if "mesh" in geom.attrib:
                    parent.remove(geom)
        for part in body.iter():
            if "name" in part.attrib:
                part.set("name", f"{name}_{part.get('name')}")
        at = places.get(name)
        if at is None:
            # Objects that start in or on others are placed apart, in a row.
            at, spare = (0.3, -0.6 + 0.2 * spare), spare + 1
        body.set("pos", f"{at[0]} {at[1]} {0.0 if is_fixture else 0.09}")
        if kind in UPRIGHT:
            body.set("quat", "0.5 0.5 0.5 0.5")
        if not is_fixture:
            body.insert(0, ET.Element("freejoint", name=f"{name}_joint0"))
        inside.append(body)
    return mujoco.MjModel.from_xml_string(ET.tostring(top, encoding="unicode"))


def seconds_per_second(model):
    """Returns the processor time per simulated time, with objects and arm at rest."""
    data = mujoco.MjData(model)
    if Panda:
        data.qpos[:7] = START
    for _ in range(500):
        mujoco.mj_forward(model, data)
        if Panda:
            data.ctrl[:7] = data.qfrc_bias[:7]
        mujoco.mj_step(model, data)
    took = []
    for _ in range(3 * CONTROL_HZ):
        began = time.process_time()
        mujoco.mj_step(model, data, nstep=STEPS)
        took.append(time.process_time() - began)
    return CONTROL_HZ * statistics.median(took)


def main(root, *runs):
    root = Path(root)
    load = os.getloadavg()[0]
    print(f"MuJoCo {mujoco.__version__}, {'with' if Panda else 'without'} the arm, load {load:.1f}")
    print("| run | episodes | simulated | Regrasp | MuJoCo's physics |")
    print("|---|---|---|---|---|")
    for run in runs:
        lines = (Path(run) / "results.jsonl").read_text().splitlines()
        records = [json.loads(line) for line in lines]
        rates = {}
        for task in sorted({record["task"] for record in records}):
            rates[task] = seconds_per_second(world(root, root / "bddl_files" / f"{task}.bddl"))
        simulated = statistics.median(r["sim_s"] for r in records)
        ours = statistics.median(r["wall_s"] for r in records)
        theirs = statistics.median(r["sim_s"] * rates[r["task"]] for r in records)
        print(f"| {Path(run).name} | {len(records)} | {simulated:.1f} s | {ours:.1f} s | {theirs:.2f} s |")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
