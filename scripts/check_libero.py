"""Judges the end of a recorded run of a LIBERO task in MuJoCo, with LIBERO's own models.

    pip install mcap mujoco
    regrasp run --task PROBLEM.bddl --libero LIBERO_DIR --record
    python scripts/check_libero.py LIBERO_DIR PROBLEM.bddl RUN_FOLDER/recording.mcap

Judges the goal's predicates `On` (an object or one of its sites) and `In` (a site). The objects are put into MuJoCo at
their final poses of the recording and simulated for a second with LIBERO's time step and contacts. Fixtures do not
move, as in LIBERO; other objects are on a plane at the height of their support. Exits with 1 if a predicate does not
hold afterwards.
"""

import json
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco
import numpy as np
from mcap.reader import make_reader

ON_WITHIN_M = 0.03
BELOW_M = 0.01
BELOW_SITE_M = 0.005
ABOVE_SITE_M = 0.1
SECONDS = 1.0


def last_poses(path):
    """Returns the final poses of all objects in World: position (m), and quaternion w, x, y, z."""
    last = None
    with open(path, "rb") as file:
        for _, channel, message in make_reader(file).iter_messages():
            if channel.topic == "/tf":
                last = json.loads(message.data)
    poses = {}
    for thing in last["transforms"]:
        prefix, _, name = thing["child_frame_id"].rpartition("/")
        if prefix == "object":
            position, turn = thing["translation"], thing["rotation"]
            poses[name] = ([position[k] for k in "xyz"], [turn[k] for k in "wxyz"])
    return poses


def problem(path):
    """Returns the class of each instance, the names of the fixtures, and the goal's predicates."""
    text = re.sub(r";.*", "", path.read_text()).lower()
    classes, fixtures = {}, set()
    for sort, group in re.findall(r"\(:(objects|fixtures)(.*?)\)", text, re.S):
        for names, kind in re.findall(r"([\w\s]+?)\s-\s(\w+)", group):
            classes.update(dict.fromkeys(names.split(), kind))
            fixtures.update(names.split() if sort == "fixtures" else [])
    goal = text[text.index("(:goal") :]
    return classes, fixtures, re.findall(r"\((on|in)\s+(\w+)\s+(\w+)\)", goal)


def model_of(root, kind):
    """Returns the object's body with its colliding geoms and sites, and the model's defaults."""
    found = sorted(root.glob(f"assets/**/{kind}.xml"))
    model = ET.parse(found[0]).getroot()
    body = model.find("worldbody/body").find("body[@name='object']")
    for parent in list(body.iter("body")):
        for geom in parent.findall("geom"):
            if geom.get("group", "0") != "0" or geom.get("mesh"):
                parent.remove(geom)
            else:
                geom.attrib.pop("material", None)
    defaults = model.findall("default/default")
    for geom in (geom for default in defaults for geom in default.iter("geom")):
        geom.attrib.pop("material", None)
    return body, defaults


def world(root, classes, fixtures, names, poses):
    top = ET.Element("mujoco")
    ET.SubElement(top, "compiler", angle="radian")
    ET.SubElement(top, "option", timestep="0.002", cone="elliptic", impratio="20")
    defaults = ET.SubElement(top, "default")
    inside = ET.SubElement(top, "worldbody")
    for name in names:
        body, own_defaults = model_of(root, classes[name])
        defaults.extend(d for d in own_defaults if d.get("class") not in {k.get("class") for k in defaults})
        for part in body.iter():
            if "name" in part.attrib:
                part.set("name", f"{name}_{part.get('name')}")
        position, rotation = poses[name]
        body.set("pos", " ".join(map(str, position)))
        body.set("quat", " ".join(map(str, rotation)))
        if name not in fixtures:
            body.insert(0, ET.Element("freejoint", name=f"{name}_joint0"))
        inside.append(body)
    return top, inside


def lowest(top):
    """Returns the height of the lowest corner of all boxes, m."""
    model = mujoco.MjModel.from_xml_string(ET.tostring(top, encoding="unicode"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    corners = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1)
    heights = []
    for i in range(model.ngeom):
        rotation = data.geom_xmat[i].reshape(3, 3)
        at = data.geom_xpos[i][:, None] + rotation @ (model.geom_size[i][:, None] * corners)
        heights.append(at[2].min())
    return min(heights)


def touch(model, data, a, b):
    bodies = [model.body(f"{name}_object").id for name in (a, b)]
    for contact in data.contact[: data.ncon]:
        pair = [int(model.body_rootid[model.geom_bodyid[g]]) for g in contact.geom]
        if sorted(pair) == sorted(bodies):
            return True
    return False


def open_as_recorded(model, data, poses):
    """Sets the joints of drawers, doors and knobs to their final positions."""
    mujoco.mj_forward(model, data)
    for i in range(model.njnt):
        kind, body = model.jnt_type[i], model.jnt_bodyid[i]
        recorded = poses.get(model.body(body).name)
        if kind == mujoco.mjtJoint.mjJNT_FREE or recorded is None:
            continue
        axis = data.xaxis[i]
        if kind == mujoco.mjtJoint.mjJNT_SLIDE:
            value = axis @ (np.array(recorded[0]) - data.xpos[body])
        else:
            inverse, turned = np.zeros(4), np.zeros(4)
            mujoco.mju_negQuat(inverse, data.xquat[body])
            mujoco.mju_mulQuat(turned, np.array(recorded[1]), inverse)
            value = 2.0 * np.arctan2(axis @ turned[1:], turned[0])
            value = (value + np.pi) % (2.0 * np.pi) - np.pi
        data.qpos[model.jnt_qposadr[i]] = value


def main(root, file, recording):
    root, file = Path(root), Path(file)
    classes, fixtures, goal = problem(file)
    poses = last_poses(recording)
    holds_all = True
    for kind, what, where in goal:
        owner = where if where in classes else max((n for n in classes if where.startswith(n)), key=len)
        if not list(root.glob(f"assets/**/{classes[owner]}.xml")):
            print(f"not judged: {kind}({what}, {where}), because {where} is part of the room")
            continue
        top, inside = world(root, classes, fixtures, [what, owner], poses)
        if owner not in fixtures:
            floor = {"type": "plane", "size": "2 2 0.1", "friction": "1 0.005 0.0001"}
            ET.SubElement(inside, "geom", floor, pos=f"0 0 {lowest(top)}")
        model = mujoco.MjModel.from_xml_string(ET.tostring(top, encoding="unicode"))
        data = mujoco.MjData(model)
        open_as_recorded(model, data, poses)
        mujoco.mj_forward(model, data)
        start = data.body(f"{what}_object").xpos.copy()
        for _ in range(round(SECONDS / model.opt.timestep)):
            mujoco.mj_step(model, data)
        at, base = (data.body(f"{name}_object").xpos for name in (what, owner))
        if kind == "on" and where != owner:
            site = data.site(f"{owner}_{where.removeprefix(owner + '_')}")
            half = model.site(site.name).size
            # LIBERO multiplies by the site's rotation, not by its inverse.
            off = site.xmat.reshape(3, 3) @ (at - site.xpos)
            over = np.all(np.abs(off[:2]) < half[:2])
            level = half[2] - BELOW_SITE_M < off[2] < half[2] + ABOVE_SITE_M
            holds = over and level and touch(model, data, what, owner)
            measured = f"{np.round(1e3 * off, 1)} mm from the middle of {np.round(1e3 * half, 1)}"
        elif kind == "on":
            off = np.linalg.norm((at - base)[:2])
            holds = at[2] >= base[2] and off < ON_WITHIN_M and touch(model, data, what, owner)
            measured = f"{1e3 * off:.1f} mm beside its middle"
        else:
            site = data.site(f"{owner}_{where.removeprefix(owner + '_')}")
            half = np.abs(site.xmat.reshape(3, 3) @ model.site(site.name).size)
            low = np.array([0, 0, BELOW_M])
            holds = bool(np.all(at > site.xpos - half - low) and np.all(at < site.xpos + half))
            measured = f"{np.round(1e3 * (at - site.xpos), 1)} mm from the middle of {np.round(1e3 * half, 1)}"
        moved = 1e3 * np.linalg.norm(at - start)
        print(f"{'holds' if holds else 'FAILS'}: {kind}({what}, {where}), {measured}; moved {moved:.1f} mm")
        holds_all &= bool(holds)
    return 0 if goal and holds_all else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
