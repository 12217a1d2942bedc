"""Peers of `regrasp ros` and `--robot ros2:FILE` on rclpy and Fast DDS, which `scripts/ros2.sh` starts.

    python3 scripts/ros2_rclpy.py watch                   # commands `regrasp ros` by its three actions
    python3 scripts/ros2_rclpy.py controller MANNER FILE  # an arm whose controllers behave like MANNER;
                                                          # appends percepts to FILE
    python3 scripts/ros2_rclpy.py manners                 # lists the manners and the expected reasons
"""

import json
import math
import sys
import threading
import time

import rclpy
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory, GripperCommand
from rclpy.action import ActionClient, ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from regrasp_msgs.action import Run
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectoryPoint

JOINTS = [f"panda_joint{i}" for i in range(1, 8)]
HOME = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]

# Manners in which controllers behave, and the expected reason with which a command ends.
MANNERS = {
    "right": "plan_complete",
    "rejects": "limit_violated",
    "aborts_path_tolerance": "reflex",
    "aborts_goal_tolerance": "reflex",
    "invalid_goal": "limit_violated",
    "cancels": "reflex",
    "no_controller": "link_lost",
    "states_stop": "stale_state",
    "states_are_slow": "stale_state",
    "lags": "tracking_error",
    "gripper_rejects": "limit_violated",
    "no_gripper": "link_lost",
    "grips_nothing": "grasp_missed",
    "other_joints": "panda_joint7",
}


def check(what, holds, shown=""):
    print(f"{'ok  ' if holds else 'FAIL'} {what} {shown}".rstrip(), flush=True)
    if not holds:
        sys.stdout.flush()
        import os

        os._exit(1)


def seconds(secs):
    return Duration(sec=int(secs), nanosec=int(secs % 1 * 1e9))


class Watcher(Node):
    def __init__(self):
        super().__init__("judge")
        self.states = []
        self.description = None
        self.create_subscription(JointState, "/joint_states", self.states.append, 10)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.create_subscription(String, "/robot_description", lambda m: setattr(self, "description", m.data), latched)

    def finish(self, future, secs=90.0):
        rclpy.spin_until_future_complete(self, future, timeout_sec=secs)
        return future.result()

    def until(self, wanted, secs=20.0):
        end = time.time() + secs
        while not wanted() and time.time() < end:
            rclpy.spin_once(self, timeout_sec=0.05)
        return wanted()

    def arm(self):
        self.states.clear()
        self.until(lambda: self.states)
        state = self.states[-1]
        return [state.position[state.name.index(name)] for name in JOINTS]


def watch():
    rclpy.init()
    node = Watcher()
    check("joint states are published", node.until(lambda: node.states), ", ".join(node.states[0].name) if node.states else "")
    check("the robot description is published", node.until(lambda: node.description) and "<robot" in node.description)
    check("the node is in the graph", node.until(lambda: "regrasp" in node.get_node_names()))
    topics = dict(node.get_topic_names_and_types())
    for topic, kind in {"/tf": "tf2_msgs/msg/TFMessage", "/tf_static": "tf2_msgs/msg/TFMessage", "/objects": "visualization_msgs/msg/MarkerArray"}.items():
        check(f"{topic} has its type", kind in topics.get(topic, []), str(topics.get(topic)))
    arm = ActionClient(node, FollowJointTrajectory, "/arm_controller/follow_joint_trajectory")
    grip = ActionClient(node, GripperCommand, "/gripper_controller/gripper_cmd")
    run = ActionClient(node, Run, "/run")
    for client in (arm, grip, run):
        check("an action server is found", client.wait_for_server(20.0))

    def follow(off, secs, told=None):
        goal = FollowJointTrajectory.Goal()
        goal.trajectory.joint_names = JOINTS
        target = [q + d for q, d in zip(node.arm(), off)]
        goal.trajectory.points = [JointTrajectoryPoint(positions=target, time_from_start=seconds(secs))]
        return node.finish(arm.send_goal_async(goal, feedback_callback=told)), target

    told = []
    handle, target = follow([0.3, 0, 0, 0, 0, 0, -0.2], 1.5, told.append)
    check("a motion is accepted", handle.accepted)
    done = node.finish(handle.get_result_async())
    error = max(abs(a - b) for a, b in zip(node.arm(), target))
    check("the motion is done and sends feedback", done.status == 4 and done.result.error_code == 0 and error < 0.01 and len(told) > 3, f"{error:.5f} rad off, {len(told)} feedbacks")
    handle, _ = follow([9.0, 0, 0, 0, 0, 0, 0], 30.0)
    check("a motion beyond a joint's range is rejected", not handle.accepted)
    handle, _ = follow([-1.0, 0, 0, 0, 0, 0, 0], 6.0)
    node.until(lambda: False, 1.5)
    node.finish(handle.cancel_goal_async())
    done = node.finish(handle.get_result_async())
    check("a cancelled motion ends as cancelled", done.status == 5, str(done.status))
    goal = GripperCommand.Goal()
    goal.command.position, goal.command.max_effort = 0.01, 0.0
    handle = node.finish(grip.send_goal_async(goal))
    done = node.finish(handle.get_result_async())
    check("fingers are positioned", done.result.reached_goal, f"{done.result.position:.4f} m")
    goal.command.position = 0.04
    node.finish(node.finish(grip.send_goal_async(goal)).get_result_async())
    goal.command.position, goal.command.max_effort = 0.0, 20.0
    done = node.finish(node.finish(grip.send_goal_async(goal)).get_result_async())
    check("fingers close without an object", done.result.reached_goal and not done.result.stalled, f"{done.result.position:.4f} m")
    told.clear()
    handle = node.finish(run.send_goal_async(Run.Goal(text="put the red cube on the plate"), feedback_callback=told.append))
    done = node.finish(handle.get_result_async())
    check("a text is carried out", done.status == 4 and done.result.success, f"{done.result.reason}, {len(told)} feedbacks")
    handle = node.finish(run.send_goal_async(Run.Goal(text="pick up the moon")))
    done = node.finish(handle.get_result_async())
    check("a text with an unknown object ends with its reason", done.status == 6 and done.result.reason, f"{done.result.reason}: {done.result.detail[:80]}")
    rclpy.shutdown()


class Controller(Node):
    """Arm that follows trajectories by linear interpolation, with a gripper and a cube of 24 mm."""

    def __init__(self, manner, path):
        super().__init__("controller")
        self.manner, self.path = manner, path
        self.q, self.finger, self.silent = list(HOME), 0.04, False
        group = ReentrantCallbackGroup()
        self.publisher = self.create_publisher(JointState, "/joint_states", 10)
        self.create_timer(0.7 if manner == "states_are_slow" else 0.01, self.publish, callback_group=group)
        self.create_timer(0.1, self.see, callback_group=group)
        if manner != "no_controller":
            self.arm = ActionServer(self, FollowJointTrajectory, "/arm_controller/follow_joint_trajectory", self.follow, goal_callback=self.accept, cancel_callback=lambda _: CancelResponse.ACCEPT, callback_group=group)
        if manner != "no_gripper":
            refuse = GoalResponse.REJECT if manner == "gripper_rejects" else GoalResponse.ACCEPT
            self.hand = ActionServer(self, GripperCommand, "/gripper_controller/gripper_cmd", self.grip, goal_callback=lambda _: refuse, callback_group=group)

    def publish(self):
        if self.silent:
            return
        names = JOINTS[:-1] + ["wrist"] if self.manner == "other_joints" else JOINTS
        names = names + ["panda_finger_joint1", "panda_finger_joint2"]
        state = JointState(name=names, position=[*self.q, self.finger, self.finger], velocity=[0.0] * 9)
        state.header.stamp = self.get_clock().now().to_msg()
        self.publisher.publish(state)

    def see(self):
        table = {"id": "table", "category": "table", "movable": False, "shape": {"kind": "box", "size": [1.3, 1.2, 0.04]}, "position": [1.05, 0.0, 0.02], "position_std_m": 0.001}
        cube = {"id": "red_cube", "category": "cube", "color": "red", "shape": {"kind": "box", "size": [0.024] * 3}, "position": [0.6, 0.0, 0.052], "position_std_m": 0.001}
        if self.held_since is not None:
            cube["position"] = self.tool_of(self.q)
        with open(self.path, "a") as lines:
            lines.write(json.dumps({"stamp_unix_s": time.time(), "objects": [table, cube]}) + "\n")

    held_since = None

    def tool_of(self, q):
        """Returns the tool point of a Panda, m, by the modified Denavit-Hartenberg table of its data sheet."""
        rows = [(0, 0, 0.333), (0, -math.pi / 2, 0), (0, math.pi / 2, 0.316), (0.0825, math.pi / 2, 0), (-0.0825, -math.pi / 2, 0.384), (0, math.pi / 2, 0), (0.088, math.pi / 2, 0.107 + 0.1034)]
        pose = [[1.0 * (i == j) for j in range(4)] for i in range(4)]
        for (a, alpha, d), t in zip(rows, q):
            ca, sa, ct, st = math.cos(alpha), math.sin(alpha), math.cos(t), math.sin(t)
            link = [[ct, -st, 0, a], [st * ca, ct * ca, -sa, -d * sa], [st * sa, ct * sa, ca, d * ca], [0, 0, 0, 1]]
            pose = [[sum(pose[i][k] * link[k][j] for k in range(4)) for j in range(4)] for i in range(4)]
        return [pose[i][3] for i in range(3)]

    def accept(self, _):
        return GoalResponse.REJECT if self.manner == "rejects" else GoalResponse.ACCEPT

    def end(self, handle, how, code, text):
        getattr(handle, how)()
        return FollowJointTrajectory.Result(error_code=code, error_string=text)

    def follow(self, handle):
        trajectory = handle.request.trajectory
        order = [trajectory.joint_names.index(name) for name in JOINTS]
        times = [p.time_from_start.sec + 1e-9 * p.time_from_start.nanosec for p in trajectory.points]
        points = [[p.positions[i] for i in order] for p in trajectory.points]
        if self.manner == "invalid_goal":
            return self.end(handle, "abort", -1, "the trajectory is empty")
        begun = time.time()
        while True:
            now = time.time() - begun
            if handle.is_cancel_requested:
                return self.end(handle, "canceled", 0, "")
            if now >= times[-1]:
                break
            k = next(i for i, t in enumerate(times) if t > now)
            u = (now - times[k - 1]) / (times[k] - times[k - 1]) if k else 0.0
            wanted = [a + u * (b - a) for a, b in zip(points[max(k - 1, 0)], points[k])]
            late = now > 0.4 * times[-1]
            if late and self.manner == "aborts_path_tolerance":
                return self.end(handle, "abort", -4, "panda_joint2 path error 0.2")
            if late and self.manner == "cancels":
                return self.end(handle, "abort", 0, "") if not handle.is_active else self.end(handle, "abort", -4, "another node stopped it")
            if late and self.manner == "states_stop":
                self.silent = True
            if not (late and self.manner == "lags"):
                self.q = wanted
            told = FollowJointTrajectory.Feedback(joint_names=JOINTS)
            told.desired.positions, told.actual.positions = wanted, list(self.q)
            told.error.positions = [a - b for a, b in zip(wanted, self.q)]
            told.error.velocities = [0.0] * 7
            handle.publish_feedback(told)
            time.sleep(0.01)
        if self.manner == "aborts_goal_tolerance":
            return self.end(handle, "abort", -5, "panda_joint4 is 0.03 rad off")
        self.q = points[-1]
        return self.end(handle, "succeed", 0, "")

    def grip(self, handle):
        command = handle.request.command
        at = self.tool_of(self.q)
        has = self.manner != "grips_nothing" and math.dist(at, [0.6, 0.0, 0.052]) < 0.02
        least = 0.012 if has and command.max_effort > 0 else 0.0
        target = max(command.position, least)
        for _ in range(20):
            self.finger += (target - self.finger) * 0.3
            time.sleep(0.01)
        self.finger = target
        stalled = target > command.position + 1e-3
        self.held_since = time.time() if stalled else None
        handle.succeed()
        return GripperCommand.Result(position=self.finger, effort=command.max_effort, stalled=stalled, reached_goal=not stalled)


def controller():
    rclpy.init()
    executor = MultiThreadedExecutor(4)
    executor.add_node(Controller(sys.argv[2], sys.argv[3]))
    threading.Thread(target=executor.spin, daemon=True).start()
    while True:
        time.sleep(1.0)


if __name__ == "__main__":
    if sys.argv[1] == "watch":
        watch()
    elif sys.argv[1] == "controller":
        controller()
    elif sys.argv[1] == "manners":
        print("\n".join(f"{manner} {reason}" for manner, reason in MANNERS.items()))
    else:
        raise SystemExit(__doc__)
