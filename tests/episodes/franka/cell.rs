//! Cell with the third-party simulator of a Franka: an arm that tests can access, and perception.

use std::sync::{Arc, Mutex, MutexGuard};

use regrasp::api::{
    Capabilities, GripperCommand, GripperReport, MotionReport, Observation, PerceivedObject,
    Percept, Perception, PerceptionError, Pose, RobotError, Trajectory, Watch, World,
};
use regrasp_franka::FrankaArm;

use crate::common::franka_sim::{CUBES, Objects};

/// The arm, shared so that tests can access it while the robot uses it.
#[derive(Clone)]
pub(crate) struct Arm(pub(crate) Arc<Mutex<FrankaArm>>);

impl Arm {
    pub(crate) fn inside(&self) -> MutexGuard<'_, FrankaArm> {
        self.0.lock().unwrap()
    }
}

impl World for Arm {
    delegate::delegate! {
        to self.inside() {
            fn time_secs(&self) -> f64;
            fn capabilities(&self) -> Capabilities;
            fn observe(&mut self) -> Result<Observation, RobotError>;
            fn follow(&mut self, trajectory: &Trajectory, watch: &Watch)
                -> Result<MotionReport, RobotError>;
            fn command_gripper(&mut self, command: GripperCommand, watch: &Watch)
                -> Result<GripperReport, RobotError>;
            fn start_gripper(&mut self, command: GripperCommand) -> Result<(), RobotError>;
            fn wait(&mut self, duration_secs: f64) -> Result<Observation, RobotError>;
            fn recover(&mut self) -> Result<(), RobotError>;
        }
    }
}

/// Perception that reads the poses of objects from the third-party simulator.
pub(crate) struct Eyes(pub(crate) Objects);

fn seen(id: &str, shape: [f64; 3], pose: Pose, movable: bool) -> PerceivedObject {
    let category = id.rsplit('_').next().unwrap();
    PerceivedObject {
        color: id.split_once('_').map(|(color, _)| color.to_owned()),
        world_from_object: pose,
        movable,
        ..regrasp_testkit::thing(id, category, regrasp_testkit::cuboid(shape), [0.0; 3])
    }
}

/// Centre and half extents of the table, m. The arm's base is in the plane of the table's top.
pub(crate) const TABLE: ([f64; 3], [f64; 3]) = ([0.6, 0.0, -0.05], [0.4, 0.6, 0.05]);

impl Perception for Eyes {
    fn name(&self) -> &str {
        "third-party simulator"
    }

    fn perceive(&mut self, observation: &Observation) -> Result<Percept, PerceptionError> {
        let [x, y, z] = TABLE.0;
        let mut objects = vec![seen("table", TABLE.1, Pose::translation(x, y, z), false)];
        for (name, half_m, _) in CUBES {
            objects.push(seen(name, [half_m; 3], self.0.pose(name), true));
        }
        Ok(Percept {
            time_secs: observation.time_secs,
            ..regrasp_testkit::percept(objects)
        })
    }
}
