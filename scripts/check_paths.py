"""Checks planned paths for collisions with Franka's own meshes of the Panda, Pinocchio and Coal.

    pip install pin coal example-robot-data
    regrasp plan problems.json --paths paths.json
    python scripts/check_paths.py paths.json problems.json

The check uses nothing of Regrasp except the file of paths. Pinocchio computes the poses of the
links, whose meshes Franka publishes (`--meshes visual` selects the visual ones), and Coal finds
the contacts, with exact cylinders. Every final path is checked twice, at 320 configurations per
radian: along the straight lines between its waypoints, and along its timed trajectory.

Prints for each family how many paths touch an obstacle, and by how much: the depth to which a
triangle of a mesh is inside an obstacle. Contacts of the arm with itself (pairs that Franka's SRDF
does not exclude) are listed, but do not count. Exits with 1 if a path touches an obstacle by more
than 1 mm.
"""

import argparse
import collections
import importlib.metadata
import json
import pathlib
import sys

import coal
import numpy as np
import pinocchio as pin

CHECKS_PER_RAD = 320
ALLOWED_MM = 1.0
MOST_CONTACTS = 10_000


def description():
    """Returns the folder of the Panda in `example-robot-data`."""
    for file in importlib.metadata.files("example-robot-data"):
        if file.match("panda_description/urdf/panda.urdf"):
            return pathlib.Path(file.locate()).resolve().parents[1]
    sys.exit("the installed example-robot-data has no file panda_description/urdf/panda.urdf")


def robot_geometry(model, folder, kind):
    """Returns the links as meshes. Franka's URDF has boxes instead of the fingers' collision meshes,
    so each collision mesh is loaded from its file and placed like the visual mesh."""
    urdf, packages = folder / "urdf" / "panda.urdf", str(folder.parents[2])
    geometry = pin.buildGeomFromUrdf(model, str(urdf), pin.VISUAL, package_dirs=[packages])
    if kind == "visual":
        return geometry
    loader = coal.MeshLoader(coal.NODE_TYPE.BV_OBBRSS)
    for link in geometry.geometryObjects:
        mesh = folder / "meshes" / "collision" / (pathlib.Path(link.meshPath).stem + ".stl")
        link.geometry = loader.load(str(mesh), np.ones(3))
    return geometry


def shape_of(item, kind):
    if kind == "spheres":
        return coal.Sphere(item["radius"])
    if kind == "boxes":
        return coal.Box(2 * np.array(item["half_extents"]))
    return coal.Cylinder(item["radius"], item["length"])


class Checker:
    """Collision checker for the arm and the obstacles of one problem."""

    def __init__(self, model, links, srdf, base, problem):
        self.model, self.data = model, model.createData()
        self.geometry = links.copy()
        self.n_links = len(links.geometryObjects)
        # Pairs of links, without those that Franka excludes.
        self.geometry.addAllCollisionPairs()
        pin.removeCollisionPairs(model, self.geometry, srdf)
        base_id = model.getFrameId(base)
        world_from_base = model.frames[base_id].placement
        for kind in ("spheres", "boxes", "cylinders"):
            for item in problem.get(kind, []):
                base_from_item = pin.XYZQUATToSE3(
                    np.array(item["position"] + item["quaternion_xyzw"], dtype=float)
                )
                obstacle = pin.GeometryObject(
                    item["name"], 0, 0, world_from_base * base_from_item, shape_of(item, kind)
                )
                obstacle_id = self.geometry.addGeometryObject(obstacle)
                for link_id in range(self.n_links):
                    # Links that do not move cannot avoid an obstacle.
                    if links.geometryObjects[link_id].parentJoint != 0:
                        pair = pin.CollisionPair(link_id, obstacle_id)
                        self.geometry.addCollisionPair(pair)
        self.found = self.geometry.createData()
        for request in self.found.collisionRequests:
            request.num_max_contacts = MOST_CONTACTS
            request.enable_contact = True

    def names(self, pair):
        objects = self.geometry.geometryObjects
        return tuple(objects[i].name for i in (pair.first, pair.second))

    def look(self, q, worst):
        """Adds the contacts at `q` to `worst`: the depth in mm for each pair of names."""
        if not pin.computeCollisions(self.model, self.data, self.geometry, self.found, q, False):
            return
        for pair, result in zip(self.geometry.collisionPairs, self.found.collisionResults):
            if result.isCollision():
                depths = (abs(c.penetration_depth) for c in result.getContacts())
                key = (pair.second >= self.n_links, *self.names(pair))
                worst[key] = max(worst.get(key, 0.0), 1e3 * max(depths, default=0.0))


def dense(points):
    """Yields the points of a polyline and at least `CHECKS_PER_RAD` points per radian between them."""
    yield points[0]
    for a, b in zip(points, points[1:]):
        n = max(1, int(np.ceil(np.linalg.norm(b - a) * CHECKS_PER_RAD)))
        for i in range(1, n + 1):
            yield a + (b - a) * i / n


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("paths", type=pathlib.Path, help="file that `regrasp plan --paths` wrote")
    parser.add_argument("problems", type=pathlib.Path, help="file of problems that was given to `regrasp plan`")
    parser.add_argument("--meshes", choices=("collision", "visual"), default="collision")
    parser.add_argument("--only", help="only paths of this family")
    arguments = parser.parse_args()
    paths = json.loads(arguments.paths.read_text())
    if paths["schema"] != "regrasp_paths/1":
        sys.exit(f"the file of paths has the schema {paths['schema']}, expected regrasp_paths/1")
    problems = json.loads(arguments.problems.read_text())["problems"]
    problems = {(p["family"], p["index"]): p for p in problems}
    folder = description()
    model = pin.buildModelFromUrdf(str(folder / "urdf" / "panda.urdf"))
    links = robot_geometry(model, folder, arguments.meshes)
    srdf = str(folder / "srdf" / "panda.srdf")
    arm = [model.joints[model.getJointId(name)].idx_q for name in paths["joint_names"]]
    rest = pin.neutral(model)
    for name in paths["finger_joint_names"]:
        rest[model.joints[model.getJointId(name)].idx_q] = paths["finger_joint_position"]

    n_paths, n_touching, n_bad = (collections.Counter() for _ in range(3))
    deepest = collections.defaultdict(float)
    own = collections.defaultdict(list)
    for path in paths["paths"]:
        family, index = path["family"], path["index"]
        if arguments.only not in (None, family):
            continue
        checker = Checker(model, links, srdf, paths["frame"], problems[family, index])
        n_paths[family] += 1
        over_all = 0.0
        for what, points in (
            ("path", path["simplified"]),
            ("trajectory", path["trajectory"]["position"]),
        ):
            points = [np.array(point) for point in points]
            worst = {}
            for point in dense(points):
                q = rest.copy()
                q[arm] = point
                checker.look(q, worst)
            for (is_obstacle, a, b), depth_mm in sorted(worst.items()):
                if is_obstacle:
                    over_all = max(over_all, depth_mm)
                    print(f"{family} {index}: {what}: {a} is {depth_mm:.2f} mm inside {b}")
                else:
                    own[a, b].append(depth_mm)
            n_touching[family, what] += any(key[0] for key in worst)
        n_bad[family] += over_all > ALLOWED_MM
        deepest[family] = max(deepest[family], over_all)
    for family, n in sorted(n_paths.items()):
        print(
            f"{family}: of {n} paths {n_touching[family, 'path']} touch along the waypoints, "
            f"{n_touching[family, 'trajectory']} in time; {n_bad[family]} by more than "
            f"{ALLOWED_MM:.0f} mm; deepest {deepest[family]:.2f} mm"
        )
    for (a, b), depths in sorted(own.items()):
        print(f"self-contact: {a} and {b} at {len(depths)} points, deepest {max(depths):.2f} mm")
    failed = collections.Counter(
        (f["reason"], "valid" if f["valid"] else "not valid") for f in paths["failures"]
    )
    for (reason, validity), n in sorted(failed.items()):
        print(f"not solved: {n} {validity}, {reason}")
    sys.exit(1 if sum(n_bad.values()) else 0)


if __name__ == "__main__":
    main()
