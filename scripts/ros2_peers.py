"""Peers of `regrasp ros` and `--robot ros2:FILE` on Cyclone DDS, which `scripts/ros2.sh` starts.

    python3 scripts/ros2_peers.py watch DOMAIN       # Cyclone DDS: topics, and all three actions
    python3 scripts/ros2_peers.py percepts FILE DOMAIN  # objects from /tf to JSON lines, until killed
    python3 scripts/ros2_peers.py height DOMAIN      # prints the red cube's height above the table
    python3 scripts/ros2_peers.py layouts            # the messages' fields against rosbags' types

Needs PyPI's `cyclonedds` and `rosbags`. Exits with 1 if a check fails.
"""

import json
import pathlib
import re
import sys
import time
import types
import uuid
from dataclasses import dataclass, field

from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import array, float32, float64, int8, int32, int64, sequence, uint8, uint16, uint32, uint64
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration




@dataclass
class Time(IdlStruct, typename="builtin_interfaces::msg::dds_::Time_"):
    sec: int32 = 0
    nanosec: uint32 = 0


@dataclass
class Header(IdlStruct, typename="std_msgs::msg::dds_::Header_"):
    stamp: Time = field(default_factory=Time)
    frame_id: str = ""


@dataclass
class JointState(IdlStruct, typename="sensor_msgs::msg::dds_::JointState_"):
    header: Header
    name: sequence[str]
    position: sequence[float64]
    velocity: sequence[float64]
    effort: sequence[float64]


@dataclass
class Vector3(IdlStruct, typename="geometry_msgs::msg::dds_::Vector3_"):
    x: float64 = 0.0
    y: float64 = 0.0
    z: float64 = 0.0


@dataclass
class Quaternion(IdlStruct, typename="geometry_msgs::msg::dds_::Quaternion_"):
    x: float64 = 0.0
    y: float64 = 0.0
    z: float64 = 0.0
    w: float64 = 1.0


@dataclass
class Transform(IdlStruct, typename="geometry_msgs::msg::dds_::Transform_"):
    translation: Vector3
    rotation: Quaternion


@dataclass
class TransformStamped(IdlStruct, typename="geometry_msgs::msg::dds_::TransformStamped_"):
    header: Header
    child_frame_id: str
    transform: Transform


@dataclass
class TFMessage(IdlStruct, typename="tf2_msgs::msg::dds_::TFMessage_"):
    transforms: sequence[TransformStamped]


@dataclass
class Text(IdlStruct, typename="std_msgs::msg::dds_::String_"):
    data: str


@dataclass
class Clock(IdlStruct, typename="rosgraph_msgs::msg::dds_::Clock_"):
    clock: Time


@dataclass
class Region(IdlStruct, typename="sensor_msgs::msg::dds_::RegionOfInterest_"):
    x_offset: uint32
    y_offset: uint32
    height: uint32
    width: uint32
    do_rectify: bool


@dataclass
class CameraInfo(IdlStruct, typename="sensor_msgs::msg::dds_::CameraInfo_"):
    header: Header
    height: uint32
    width: uint32
    distortion_model: str
    d: sequence[float64]
    k: array[float64, 9]
    r: array[float64, 9]
    p: array[float64, 12]
    binning_x: uint32
    binning_y: uint32
    roi: Region


@dataclass
class Image(IdlStruct, typename="sensor_msgs::msg::dds_::Image_"):
    header: Header
    height: uint32
    width: uint32
    encoding: str
    is_bigendian: uint8
    step: uint32
    data: sequence[uint8]


@dataclass
class Uuid(IdlStruct, typename="unique_identifier_msgs::msg::dds_::UUID_"):
    uuid: array[uint8, 16]


@dataclass
class Asked(IdlStruct, typename="asked"):
    """Header of a request in the service mapping of rmw_cyclonedds."""
    guid: uint64
    seq: int64


@dataclass
class Point(IdlStruct, typename="trajectory_msgs::msg::dds_::JointTrajectoryPoint_"):
    positions: sequence[float64] = field(default_factory=list)
    velocities: sequence[float64] = field(default_factory=list)
    accelerations: sequence[float64] = field(default_factory=list)
    effort: sequence[float64] = field(default_factory=list)
    time_from_start: Time = field(default_factory=Time)


@dataclass
class JointTrajectory(IdlStruct, typename="trajectory_msgs::msg::dds_::JointTrajectory_"):
    header: Header = field(default_factory=Header)
    joint_names: sequence[str] = field(default_factory=list)
    points: sequence[Point] = field(default_factory=list)


@dataclass
class Twist(IdlStruct, typename="geometry_msgs::msg::dds_::Twist_"):
    linear: Vector3
    angular: Vector3


@dataclass
class MultiPoint(IdlStruct, typename="trajectory_msgs::msg::dds_::MultiDOFJointTrajectoryPoint_"):
    transforms: sequence[Transform] = field(default_factory=list)
    velocities: sequence[Twist] = field(default_factory=list)
    accelerations: sequence[Twist] = field(default_factory=list)
    time_from_start: Time = field(default_factory=Time)


@dataclass
class MultiTrajectory(IdlStruct, typename="trajectory_msgs::msg::dds_::MultiDOFJointTrajectory_"):
    header: Header = field(default_factory=Header)
    joint_names: sequence[str] = field(default_factory=list)
    points: sequence[MultiPoint] = field(default_factory=list)


@dataclass
class Tolerance(IdlStruct, typename="control_msgs::msg::dds_::JointTolerance_"):
    name: str
    position: float64
    velocity: float64
    acceleration: float64


@dataclass
class ComponentTolerance(IdlStruct, typename="control_msgs::msg::dds_::JointComponentTolerance_"):
    joint_name: str
    component: uint16
    position: float64
    velocity: float64
    acceleration: float64


@dataclass
class FollowGoal(IdlStruct, typename="control_msgs::action::dds_::FollowJointTrajectory_Goal_"):
    trajectory: JointTrajectory
    multi_dof_trajectory: MultiTrajectory = field(default_factory=MultiTrajectory)
    path_tolerance: sequence[Tolerance] = field(default_factory=list)
    component_path_tolerance: sequence[ComponentTolerance] = field(default_factory=list)
    goal_tolerance: sequence[Tolerance] = field(default_factory=list)
    component_goal_tolerance: sequence[ComponentTolerance] = field(default_factory=list)
    goal_time_tolerance: Time = field(default_factory=Time)


@dataclass
class FollowResult(IdlStruct, typename="control_msgs::action::dds_::FollowJointTrajectory_Result_"):
    error_code: int32
    error_string: str


@dataclass
class FollowFeedback(IdlStruct, typename="control_msgs::action::dds_::FollowJointTrajectory_Feedback_"):
    header: Header
    joint_names: sequence[str]
    desired: Point
    actual: Point
    error: Point
    multi_dof_joint_names: sequence[str]
    multi_dof_desired: MultiPoint
    multi_dof_actual: MultiPoint
    multi_dof_error: MultiPoint


@dataclass
class GripGoal(IdlStruct, typename="control_msgs::action::dds_::GripperCommand_Goal_"):
    position: float64
    max_effort: float64


@dataclass
class GripState(IdlStruct, typename="control_msgs::action::dds_::GripperCommand_Result_"):
    position: float64
    effort: float64
    stalled: bool
    reached_goal: bool


@dataclass
class RunGoal(IdlStruct, typename="regrasp_msgs::action::dds_::Run_Goal_"):
    text: str


@dataclass
class RunResult(IdlStruct, typename="regrasp_msgs::action::dds_::Run_Result_"):
    success: bool
    reason: str
    detail: str


@dataclass
class RunFeedback(IdlStruct, typename="regrasp_msgs::action::dds_::Run_Feedback_"):
    text: str


VOLATILE = Qos(Policy.Reliability.Reliable(duration(seconds=1)), Policy.Durability.Volatile, Policy.History.KeepLast(50))
LATCHED = Qos(Policy.Reliability.Reliable(duration(seconds=1)), Policy.Durability.TransientLocal, Policy.History.KeepLast(1))


def taken(reader):
    """Takes all valid samples. Samples that report a closed writer are left out."""
    return [s for s in reader.take(N=200) if type(s).__name__ != "InvalidSample"]


def until(reader, wanted=lambda _: True, secs=20.0):
    end = time.time() + secs
    while time.time() < end:
        for sample in taken(reader):
            if wanted(sample):
                return sample
        time.sleep(0.005)
    raise SystemExit(f"no message arrived on {reader.topic.name} in {secs} s")


class Action:
    """Client of one action in the mapping of rmw_cyclonedds."""

    def __init__(self, participant, name, package, kind, goal, result, feedback):
        base = f"{name}/_action"

        def struct(typename, **fields):
            def fill(space):
                space["__annotations__"] = fields

            return dataclass(types.new_class(typename.replace(":", "_"), (IdlStruct,), {"typename": typename}, fill))

        own = f"{package}::action::dds_::{kind}"
        self.goal_type = struct(f"{own}_SendGoal_Request_", h=Asked, goal_id=Uuid, goal=goal)
        answer = struct(f"{own}_SendGoal_Response_", h=Asked, accepted=bool, stamp=Time)
        self.ask_type = struct(f"{own}_GetResult_Request_", h=Asked, goal_id=Uuid)
        result_type = struct(f"{own}_GetResult_Response_", h=Asked, status=int8, result=result)
        told = struct(f"{own}_FeedbackMessage_", goal_id=Uuid, feedback=feedback)
        self.cancel_type = struct("action_msgs::srv::dds_::CancelGoal_Request_", h=Asked, goal_id=Uuid, stamp=Time)

        def writer(name, kind):
            return DataWriter(participant, Topic(participant, name, kind), qos=VOLATILE)

        def reader(name, kind):
            return DataReader(participant, Topic(participant, name, kind), qos=VOLATILE)

        self.goals = writer(f"rq{base}/send_goalRequest", self.goal_type)
        self.answers = reader(f"rr{base}/send_goalReply", answer)
        self.asks = writer(f"rq{base}/get_resultRequest", self.ask_type)
        self.results = reader(f"rr{base}/get_resultReply", result_type)
        self.cancels = writer(f"rq{base}/cancel_goalRequest", self.cancel_type)
        self.feedback = reader(f"rt{base}/feedback", told)
        self.seq = 0

    def header(self):
        self.seq += 1
        return Asked(guid=4711, seq=self.seq)

    def send(self, goal):
        """Sends a goal. Returns its id, or None if it is rejected."""
        goal_id = Uuid(uuid=list(uuid.uuid4().bytes))
        header = self.header()
        self.goals.write(self.goal_type(h=header, goal_id=goal_id, goal=goal))
        answer = until(self.answers, lambda a: a.h.guid == header.guid and a.h.seq == header.seq)
        return goal_id if answer.accepted else None

    def result(self, goal_id, secs=90.0):
        header = self.header()
        self.asks.write(self.ask_type(h=header, goal_id=goal_id))
        answer = until(self.results, lambda a: a.h.guid == header.guid and a.h.seq == header.seq, secs)
        return answer.status, answer.result

    def cancel(self, goal_id):
        self.cancels.write(self.cancel_type(h=self.header(), goal_id=goal_id, stamp=Time()))


def check(what, holds, shown=""):
    print(f"{'ok  ' if holds else 'FAIL'} {what} {shown}".rstrip(), flush=True)
    if not holds:
        sys.exit(1)


def follow_goal(names, start, points):
    sent = [Point(positions=[q + d for q, d in zip(start, off)], time_from_start=Time(sec=int(t), nanosec=int(t % 1 * 1e9))) for t, off in points]
    return FollowGoal(trajectory=JointTrajectory(joint_names=names, points=sent))


def arm_of(state):
    pairs = [(n, p) for n, p in zip(state.name, state.position) if "finger" not in n]
    return [n for n, _ in pairs], [p for _, p in pairs]


def topics(participant):
    def reader(name, kind, qos=VOLATILE):
        return DataReader(participant, Topic(participant, name, kind), qos=qos)

    joints = reader("rt/joint_states", JointState)
    state = until(joints)
    check("joint states have names and positions", len(state.name) == len(state.position) >= 3, ", ".join(state.name))
    begun = time.time()
    n = 0
    while time.time() - begun < 2.0:
        n += len(taken(joints))
        time.sleep(0.01)
    check("the rate of joint states is about 50 Hz", 60 <= n <= 110, f"{n / 2} Hz")
    check("the clock is published", until(reader("rt/clock", Clock)) is not None)
    text = until(reader("rt/robot_description", Text, LATCHED)).data
    check("a late listener gets the robot description", "<robot" in text, f"{len(text)} bytes")
    frames = {t.child_frame_id: t.header.frame_id for t in until(reader("rt/tf", TFMessage)).transforms}
    root = next(iter(frames))
    chain = [root]
    while frames.get(chain[-1]) and chain[-1] != "world":
        chain.append(frames[chain[-1]])
    check("transforms form a tree below `world`", all(p in frames or p == "world" for p in frames.values()), f"{len(frames)} frames")
    camera = next(name for name in frames if name in ("scene", "top", "wrist", "agentview"))
    info = reader(f"rt/{camera}/camera_info", CameraInfo)
    image = reader(f"rt/{camera}/image_raw", Image)
    picture = until(image)
    facts = until(info)
    check("pictures and camera_info match", len(picture.data) == 3 * picture.width * picture.height and facts.width == picture.width and facts.k[0] > 0, f"{camera} {picture.width} x {picture.height}")
    return joints


def actions(participant, joints):
    arm = Action(participant, "/arm_controller/follow_joint_trajectory", "control_msgs", "FollowJointTrajectory", FollowGoal, FollowResult, FollowFeedback)
    grip = Action(participant, "/gripper_controller/gripper_cmd", "control_msgs", "GripperCommand", GripGoal, GripState, GripState)
    run = Action(participant, "/run", "regrasp_msgs", "Run", RunGoal, RunResult, RunFeedback)
    time.sleep(2.0)
    names, start = arm_of(until(joints))
    off = [0.0] * len(start)
    off[0] = 0.3
    goal = arm.send(follow_goal(names, start, [(1.5, off)]))
    check("a motion is accepted", goal is not None)
    status, result = arm.result(goal)
    taken(joints)
    _, now = arm_of(until(joints))
    error = max(abs(a - b - d) for a, b, d in zip(now, start, off))
    check("the motion is done", status == 4 and result.error_code == 0 and error < 0.01, f"{error:.5f} rad off; {result.error_string}")
    check("the motion sends feedback", len(taken(arm.feedback)) >= 3)
    shuffled = list(reversed(names))
    goal = arm.send(follow_goal(shuffled, list(reversed(now)), [(1.5, list(reversed([-d for d in off])))]))
    status, result = arm.result(goal)
    check("a motion with joints in another order is done", status == 4 and result.error_code == 0)
    far = [0.0] * len(start)
    far[0] = 9.0
    check("a motion beyond a joint's range is rejected", arm.send(follow_goal(names, start, [(30.0, far)])) is None)
    check("a motion that is too fast is rejected", arm.send(follow_goal(names, start, [(0.05, off)])) is None)
    check("a motion of another arm's joints is rejected", arm.send(follow_goal(["a"] * len(names), start, [(1.5, off)])) is None)
    slow = [0.0] * len(start)
    slow[0] = 1.0
    goal = arm.send(follow_goal(names, start, [(6.0, slow)]))
    time.sleep(1.5)
    arm.cancel(goal)
    status, _ = arm.result(goal)
    taken(joints)
    _, now = arm_of(until(joints))
    check("a cancelled motion holds", status == 5 and now[0] - start[0] < 0.9, f"after {now[0] - start[0]:.3f} of 1 rad")
    goal = grip.send(GripGoal(position=0.01, max_effort=0.0))
    status, state = grip.result(goal)
    check("fingers are positioned", status == 4 and state.reached_goal, f"{state.position:.4f} m")
    goal = grip.send(GripGoal(position=0.04, max_effort=0.0))
    grip.result(goal)
    goal = run.send(RunGoal(text="put the red cube on the plate"))
    check("a text is accepted", goal is not None)
    check("a motion during the run of a text is rejected", arm.send(follow_goal(names, start, [(3.0, off)])) is None)
    status, result = run.result(goal)
    said = {f.feedback.text for f in taken(run.feedback)}
    check("the text is carried out", status == 4 and result.success, f"{result.reason} {result.detail}")
    check("the text's steps are sent as feedback", any("place" in text for text in said), "; ".join(sorted(said))[:120])
    goal = run.send(RunGoal(text="put the red cube on the moon"))
    status, result = run.result(goal)
    check("a text with an unknown object ends with its reason", status == 6 and not result.success, f"{result.reason}: {result.detail}")


def watch():
    participant = DomainParticipant(int(sys.argv[2]) if len(sys.argv) > 2 else 42)
    joints = topics(participant)
    actions(participant, joints)


def percepts(path, domain):
    """Writes the objects of `pick_cube` in the frame of the arm's base, like the perception of a real
    cell."""
    participant = DomainParticipant(domain)
    reader = DataReader(participant, Topic(participant, "rt/tf", TFMessage), qos=VOLATILE)
    poses = {}
    while True:
        for sample in taken(reader):
            poses.update({t.child_frame_id: t.transform for t in sample.transforms if t.header.frame_id == "world"})
        base, cube = poses.get("panda_link0"), poses.get("red_cube")
        if base and cube:
            origin, at, turn = base.translation, cube.translation, cube.rotation
            below = {"id": "table", "category": "table", "movable": False, "shape": {"kind": "box", "size": [1.3, 1.2, 0.04]}, "position": [0.75 - origin.x, -origin.y, 0.02 - origin.z], "position_std_m": 0.001}
            above = {"id": "red_cube", "category": "cube", "color": "red", "shape": {"kind": "box", "size": [0.024, 0.024, 0.024]}, "position": [at.x - origin.x, at.y - origin.y, at.z - origin.z], "quat_xyzw": [turn.x, turn.y, turn.z, turn.w], "position_std_m": 0.001}
            with open(path, "a") as lines:
                lines.write(json.dumps({"stamp_unix_s": time.time(), "objects": [below, above]}) + "\n")
        time.sleep(0.05)


def height(domain):
    """Prints the height of the red cube above the table, m."""
    participant = DomainParticipant(domain)
    reader = DataReader(participant, Topic(participant, "rt/tf", TFMessage), qos=VOLATILE)
    poses = {t.child_frame_id: t.transform for t in until(reader).transforms}
    print(f"{poses['red_cube'].translation.z - 0.052:.3f}")


def layouts():
    """Compares the fields of messages in `messages.rs` with the types in rosbags."""
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_JAZZY)
    source = pathlib.Path(__file__).resolve().parents[1] / "crates/hardware/ros2/src/messages.rs"
    text = re.sub(r"//[^\n]*", "", source.read_text())
    begin = text.index("messages! {")
    text = text[begin : text.index("\n}\n", begin)]
    packages = ["std_msgs", "sensor_msgs", "geometry_msgs", "trajectory_msgs", "visualization_msgs", "rosgraph_msgs", "tf2_msgs", "builtin_interfaces"]
    n = 0
    for name, fields in re.findall(r"(\w+)(?:: \"\w+\")? \{([^{}]*)\}", text):
        own = [f.split(":")[0].strip() for f in fields.split(",") if ":" in f]
        known = next((store.fielddefs[f"{p}/msg/{name}"] for p in packages if f"{p}/msg/{name}" in store.fielddefs), None)
        if known is None:
            continue
        theirs = [f[0] for f in known[1]]
        own = ["type" if f == "kind" else f for f in own]
        check(f"{name} has the fields of rosbags' {name}", own == theirs, f"{own} != {theirs}" if own != theirs else "")
        n += 1
    check("messages compared", n >= 12, str(n))


if __name__ == "__main__":
    what = sys.argv[1]
    if what == "watch":
        watch()
    elif what == "percepts":
        percepts(sys.argv[2], int(sys.argv[3]))
    elif what == "height":
        height(int(sys.argv[2]))
    elif what == "layouts":
        layouts()
    else:
        raise SystemExit(__doc__)
