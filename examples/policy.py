"""A policy in a separate process. It picks up the first movable object that perception reports.

    regrasp run --task pick_cube --policy "process:python3 examples/policy.py"

It needs only Python. Observations arrive and actions are sent as lines of JSON; the module
`protocol` of the crate `regrasp-policy` describes them. Inverse kinematics uses damped least
squares and the Denavit-Hartenberg parameters (Craig's convention) of Franka's Panda.
"""

import json
import math
import sys

# a (m), d (m) and alpha (rad) of each joint, and of the flange.
DH = [(0.0, 0.333, 0.0), (0.0, 0.0, -math.pi / 2), (0.0, 0.316, math.pi / 2),
      (0.0825, 0.0, math.pi / 2), (-0.0825, 0.384, -math.pi / 2), (0.0, 0.0, math.pi / 2),
      (0.088, 0.0, math.pi / 2), (0.0, 0.107, 0.0)]
HAND_TURN = -math.pi / 4    # rotation of the hand on the flange about z, rad
TOOL_BEYOND_FLANGE = 0.1034  # m
DOWN = [[1, 0, 0], [0, -1, 0], [0, 0, -1]]
ABOVE = 0.12                 # height above the object before and after the grasp, m
CLOSE_TICKS = 15             # number of actions for which the fingers close


def times(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def tool_in_base(joints):
    """Returns position (m) and rotation matrix of the tool in the arm's base frame."""
    rotation, position = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0.0, 0.0, 0.0]
    hand = (0.0, TOOL_BEYOND_FLANGE, 0.0)
    for (a, d, alpha), q in zip(DH + [hand], list(joints) + [0.0, HAND_TURN]):
        ca, sa, cq, sq = math.cos(alpha), math.sin(alpha), math.cos(q), math.sin(q)
        step = [a, -sa * d, ca * d]
        position = [p + sum(rotation[i][k] * step[k] for k in range(3))
                    for i, p in enumerate(position)]
        rotation = times(rotation, [[cq, -sq, 0], [sq * ca, cq * ca, -sa],
                                    [sq * sa, cq * sa, ca]])
    return position, rotation


def error(joints, goal):
    """Returns the pose error of the tool to a goal that points down: m, then rad."""
    position, rotation = tool_in_base(joints)
    turn = times(DOWN, [list(column) for column in zip(*rotation)])
    skew = [turn[2][1] - turn[1][2], turn[0][2] - turn[2][0], turn[1][0] - turn[0][1]]
    return [g - p for g, p in zip(goal, position)] + [0.5 * s for s in skew]


def solved(matrix, right):
    """Solves a small symmetric linear system by elimination."""
    n, rows = len(right), [row[:] + [r] for row, r in zip(matrix, right)]
    for i in range(n):
        for j in range(i + 1, n):
            f = rows[j][i] / rows[i][i]
            rows[j] = [x - f * y for x, y in zip(rows[j], rows[i])]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][k] * x[k] for k in range(i + 1, n))) / rows[i][i]
    return x


def joints_for(goal, joints, rounds=60, damping=1e-3, h=1e-6):
    """Returns joint positions near `joints` with the tool at `goal`, pointing down."""
    q = list(joints)
    for _ in range(rounds):
        e = error(q, goal)
        columns = []
        for i in range(len(q)):
            moved = q[:i] + [q[i] + h] + q[i + 1:]
            columns.append([(b - a) / h for a, b in zip(e, error(moved, goal))])
        normal = [[sum(a * b for a, b in zip(ci, cj)) + damping * (i == j)
                   for j, cj in enumerate(columns)] for i, ci in enumerate(columns)]
        step = solved(normal, [-sum(a * b for a, b in zip(c, e)) for c in columns])
        q = [a + b for a, b in zip(q, step)]
    return q


def main():
    def say(**what):
        print(json.dumps(what), flush=True)

    plan, base = [], None
    for line in sys.stdin:
        told = json.loads(line)
        if told["type"] == "reset":
            plan, base = [], told["base"]["position"]
            say(type="ready", wants_objects=True)
            continue
        step, joints = told["step"], told["joint_positions"]
        if step == 0:
            things = [o for o in told["objects"] if o["movable"]]
            if not things:
                say(type="give_up", step=step, why="perception reports no movable object")
                continue
            x, y, z = (p - b for p, b in zip(things[0]["position"], base))
            over = joints_for([x, y, z + ABOVE], joints)
            at = joints_for([x, y, z], over)
            plan = [(over, {"width_m": 0.08}), (at, None), (at, {"force_n": 15.0}), (over, None)]
            waited = 0
        target, gripper = plan[0]
        waited += 1
        off = max(abs(a - b) for a, b in zip(target, joints))
        closes = gripper is not None and "force_n" in gripper
        if off < 0.005 and waited > (CLOSE_TICKS if closes else 1):
            plan.pop(0)
            waited = 0
            if not plan:
                say(type="done", step=step)
                continue
            target, gripper = plan[0]
        say(type="move", step=step, joint_positions=target, gripper=gripper)


main()
