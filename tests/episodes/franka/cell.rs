//! The cell with the third-party simulator: a client for poses of its cubes, an arm shared with the
//! tests, and a perception.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex, MutexGuard};

use nalgebra::{Quaternion, Translation3, UnitQuaternion, Vector3};
use regrasp::api::{
    Capabilities, GripperCommand, GripperReport, MotionReport, Observation, PerceivedObject,
    Percept, Perception, PerceptionError, Pose, RobotError, Trajectory, Watch, World,
};
use regrasp_franka::FrankaArm;
use serde_json::{Value, json};

const POSE_PORT: u16 = 1339;

/// Client that reads and sets object poses in that simulator.
pub(crate) struct Truth(BufReader<TcpStream>);

impl Truth {
    pub(crate) fn connect(host: &str) -> Self {
        let stream = TcpStream::connect((host, POSE_PORT)).unwrap();
        Self(BufReader::new(stream))
    }

    pub(crate) fn order(&mut self, order: &Value) -> Option<Value> {
        writeln!(self.0.get_mut(), "{order}").ok()?;
        let mut line = String::new();
        self.0.read_line(&mut line).ok()?;
        serde_json::from_str(&line).ok()
    }

    pub(crate) fn put(&mut self, name: &str, place: [f64; 4]) {
        self.order(&json!({ "put": { name: place } })).unwrap();
    }

    pub(crate) fn pose(&mut self, name: &str) -> Pose {
        let said = self.order(&json!({})).unwrap();
        let object = &said["objects"][name];
        let number = |key: &str, i: usize| object[key][i].as_f64().unwrap();
        let [x, y, z] = [0, 1, 2].map(|i| number("position", i));
        let [i, j, k, w] = [0, 1, 2, 3].map(|i| number("quat_xyzw", i));
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k));
        Pose::from_parts(Translation3::new(x, y, z), turn)
    }
}

/// The arm, accessible to the tests while the robot uses it.
#[derive(Clone)]
pub(crate) struct Arm(pub(crate) Arc<Mutex<FrankaArm>>);

impl Arm {
    pub(crate) fn inside(&self) -> MutexGuard<'_, FrankaArm> {
        self.0.lock().unwrap()
    }
}

impl World for Arm {
    fn time_secs(&self) -> f64 {
        self.inside().time_secs()
    }

    fn capabilities(&self) -> Capabilities {
        self.inside().capabilities()
    }

    fn observe(&mut self) -> Result<Observation, RobotError> {
        self.inside().observe()
    }

    fn follow(
        &mut self,
        trajectory: &Trajectory,
        watch: &Watch,
    ) -> Result<MotionReport, RobotError> {
        self.inside().follow(trajectory, watch)
    }

    fn command_gripper(
        &mut self,
        command: GripperCommand,
        watch: &Watch,
    ) -> Result<GripperReport, RobotError> {
        self.inside().command_gripper(command, watch)
    }

    fn start_gripper(&mut self, command: GripperCommand) -> Result<(), RobotError> {
        self.inside().start_gripper(command)
    }

    fn wait(&mut self, duration_secs: f64) -> Result<Observation, RobotError> {
        self.inside().wait(duration_secs)
    }

    fn recover(&mut self) -> Result<(), RobotError> {
        self.inside().recover()
    }
}

/// Half the edge of each cube, m.
pub(crate) const CUBES: [(&str, f64); 2] = [("red_cube", 0.02), ("green_cube", 0.025)];

/// Perception with the poses from that simulator.
pub(crate) struct Eyes(pub(crate) Truth);

fn seen(id: &str, shape: [f64; 3], pose: Pose, movable: bool) -> PerceivedObject {
    let category = id.rsplit('_').next().unwrap();
    PerceivedObject {
        color: id.split_once('_').map(|(color, _)| color.to_owned()),
        world_from_object: pose,
        movable,
        ..regrasp_testkit::thing(id, category, regrasp_testkit::cuboid(shape), [0.0; 3])
    }
}

/// Centre and half edges of the table. The arm stands in the plane of its top.
pub(crate) const TABLE: ([f64; 3], [f64; 3]) = ([0.6, 0.0, -0.05], [0.4, 0.6, 0.05]);

impl Perception for Eyes {
    fn name(&self) -> &str {
        "what the third-party simulator says"
    }

    fn perceive(&mut self, observation: &Observation) -> Result<Percept, PerceptionError> {
        let [x, y, z] = TABLE.0;
        let mut objects = vec![seen("table", TABLE.1, Pose::translation(x, y, z), false)];
        for (name, half_m) in CUBES {
            objects.push(seen(name, [half_m; 3], self.0.pose(name), true));
        }
        Ok(Percept {
            time_secs: observation.time_secs,
            ..regrasp_testkit::percept(objects)
        })
    }
}

/// Horizontal and vertical distance between the red and the green cube, m.
pub(crate) fn stacked(truth: &mut Truth) -> (f64, f64) {
    let below: Vector3<f64> = truth.pose("green_cube").translation.vector;
    let off = truth.pose("red_cube").translation.vector - below;
    (off.xy().norm(), off.z)
}
