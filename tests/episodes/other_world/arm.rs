//! A world other than the simulator, similar to a real cell: a kinematic arm with a plain gripper.
//! It has no tactile pads and cannot be rewound, and its control loop runs at 1 kHz. An object
//! between closing fingers is attached to the hand. Faults follow a script.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use nalgebra::Vector3;
use regrasp::api::{
    Capabilities, GripperCommand, GripperEnd, GripperReport, GripperState, Monitor, MonitorStop,
    MotionEnd, MotionPlanner, MotionReport, Observation, PerceivedObject, Percept, Perception,
    PerceptionError, Pose, RobotError, RobotErrorKind, Shape, Trajectory, Watch, World,
};
use regrasp::motion::ArmPlanner;

type Result<T, E = RobotError> = std::result::Result<T, E>;

/// Period of the control loop, s.
const CYCLE_SECS: f64 = 1e-3;
/// Simulated time that perception takes, s.
pub(crate) const LOOK_SECS: f64 = 0.04;
/// Pose of the base; not the identity, so that missing transforms are noticed.
pub(crate) fn world_from_base() -> Pose {
    Pose::new(Vector3::new(-0.1, 0.05, 0.4), Vector3::z() * 0.1)
}

#[derive(Clone, Debug)]
pub(crate) enum Mishap {
    Error(RobotErrorKind),
    Drop,
    /// An external torque acts on the arm, N m.
    Push(f64),
}

/// State of the cell. Like a real one, it outlives the processes that command it.
pub(crate) struct Cell {
    arm: ArmPlanner,
    pub(crate) time_secs: f64,
    joints: Vec<f64>,
    width_m: f64,
    force_n: f64,
    pub(crate) objects: Vec<PerceivedObject>,
    /// Index of the held object, and its pose in the tool frame.
    held: Option<(usize, Pose)>,
    pub(crate) n_motions: usize,
    pub(crate) n_looks: usize,
    /// Faults, each with the index of the motion in which it occurs, from 0.
    pub(crate) script: VecDeque<(usize, Mishap)>,
    error: Option<RobotError>,
    /// External torque on the joints, N m.
    torque_nm: f64,
}

pub(crate) fn block(id: &str, color: &str, half_m: f64, x: f64, y: f64, z: f64) -> PerceivedObject {
    PerceivedObject {
        color: Some(color.into()),
        ..regrasp_testkit::cube(id, half_m, [x, y, z + half_m])
    }
}

fn half(object: &PerceivedObject) -> [f64; 3] {
    let size = object.shape.aabb(&Pose::identity()).size();
    (0.5 * size).into()
}

/// Height above an object's centre at which another object rests on or in it, m.
fn rest_z(object: &PerceivedObject) -> f64 {
    match &object.shape {
        // The first part of a container is its floor.
        Shape::Compound { parts } => parts[0].shape.aabb(&parts[0].object_from_part).max[2],
        _ => half(object)[2],
    }
}

impl Cell {
    pub(crate) fn new(arm: ArmPlanner, home: &[f64], objects: Vec<PerceivedObject>) -> Self {
        Self {
            arm,
            time_secs: 17.0,
            joints: home.to_vec(),
            width_m: 0.08,
            force_n: 0.0,
            objects,
            held: None,
            n_motions: 0,
            n_looks: 0,
            script: VecDeque::new(),
            error: None,
            torque_nm: 0.0,
        }
    }

    fn world_from_tool(&self) -> Pose {
        world_from_base() * self.arm.base_from_tool(&self.joints)
    }

    pub(crate) fn position(&self, id: &str) -> Vector3<f64> {
        let mut objects = self.objects.iter();
        let object = objects.find(|o| o.id.as_str() == id);
        object.map_or_else(Vector3::zeros, PerceivedObject::position)
    }

    /// Index of the object between the fingers, and its width, m.
    fn between(&self) -> Option<(usize, f64)> {
        let world_from_tool = self.world_from_tool();
        let mut movable = self.objects.iter().enumerate().filter(|(_, o)| o.movable);
        let (idx, object) = movable.find(|(_, o)| {
            (o.position() - world_from_tool.translation.vector).norm() < half(o)[0] + 0.01
        })?;
        Some((idx, 2.0 * half(object)[1]))
    }

    /// Releases the held object, which falls onto the object or table below.
    fn let_go(&mut self) {
        let Some((idx, _)) = self.held.take() else {
            return;
        };
        let at = self.objects[idx].position();
        let below = self.objects.iter().enumerate().filter(|(i, o)| {
            let (off, size) = (o.position() - at, half(o));
            *i != idx && off.x.abs() < size[0] && off.y.abs() < size[1] && off.z < 0.0
        });
        let top = below.map(|(_, o)| o.position().z + rest_z(o));
        let top = top.fold(0.0, f64::max);
        let rests_at = top + half(&self.objects[idx])[2];
        let (_, _, yaw) = self.objects[idx].world_from_object.rotation.euler_angles();
        let there = Vector3::new(at.x, at.y, rests_at);
        self.objects[idx].world_from_object = Pose::new(there, Vector3::z() * yaw);
    }

    /// Opens the hand and puts the first movable object on the table, as a person could.
    pub(crate) fn put(&mut self, x: f64, y: f64) {
        self.held = None;
        (self.force_n, self.width_m) = (0.0, 0.08);
        self.objects[1].world_from_object = Pose::translation(x, y, 0.42);
    }

    fn cycle(&mut self) {
        self.time_secs += CYCLE_SECS;
        if let Some((idx, tool_from_object)) = self.held {
            self.objects[idx].world_from_object = self.world_from_tool() * tool_from_object;
        } else if self.force_n > 0.0 {
            self.width_m = (self.width_m - 0.1 * CYCLE_SECS).max(0.0);
        }
    }

    fn state(&self) -> Observation {
        Observation {
            time_secs: self.time_secs,
            world_from_base: world_from_base(),
            joint_positions: self.joints.clone(),
            joint_velocities: vec![0.0; self.joints.len()],
            joint_efforts: vec![0.0; self.joints.len()],
            gripper: GripperState {
                width_m: self.width_m,
                grip_force_n: self.force_n,
                finger_contact: None,
                ..regrasp_testkit::open_hand()
            },
            contacts: vec![],
        }
    }

    fn standing(&self) -> Result<()> {
        self.error.clone().map_or(Ok(()), Err)
    }

    fn break_down(&mut self, kind: RobotErrorKind) -> RobotError {
        let detail = "as the script says, joint 4 read 31 N m";
        let error = RobotError::new(kind, self.time_secs, detail);
        let error = error.measured("joint_torque", 31.0, Some(20.0), "N m");
        self.error = Some(error.clone());
        error
    }

    fn check(&self, monitors: &[Monitor], at_secs: f64) -> Option<MonitorStop> {
        let found = |monitor: &Monitor| match monitor {
            Monitor::GripLost {
                min_width_m,
                max_width_m,
            } => {
                let most_m = max_width_m.unwrap_or(f64::INFINITY);
                let holds = (*min_width_m..=most_m).contains(&self.width_m);
                (!holds).then_some(self.width_m)
            }
            Monitor::ExternalTorque { max_torque_nm, .. } => {
                (self.torque_nm > *max_torque_nm).then_some(self.torque_nm)
            }
            // A kinematic arm follows exactly, and its fingers are never blocked.
            Monitor::TrackingError { .. }
            | Monitor::SpeedError { .. }
            | Monitor::FingerBlocked { .. } => None,
            other => panic!("this world has no monitor {other:?}, and does not offer it"),
        };
        monitors.iter().find_map(|monitor| {
            found(monitor).map(|measured| MonitorStop {
                monitor: monitor.clone(),
                at_secs,
                measured,
                contact: None,
                joint: Some("panda_joint4".into()),
            })
        })
    }
}

/// Access to the cell for one process. Clones access the same cell.
#[derive(Clone)]
pub(crate) struct Hardware(pub(crate) Arc<Mutex<Cell>>);

impl Hardware {
    pub(crate) fn cell(&self) -> MutexGuard<'_, Cell> {
        self.0.lock().unwrap()
    }
}

impl World for Hardware {
    fn time_secs(&self) -> f64 {
        self.cell().time_secs
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            effort: true,
            external_torque: true,
            ..Capabilities::default()
        }
    }

    fn observe(&mut self) -> Result<Observation> {
        use RobotErrorKind::{LinkLost, StaleState};
        let cell = self.cell();
        let is_mute = |error: &&RobotError| matches!(error.kind, LinkLost | StaleState);
        match cell.error.as_ref().filter(is_mute) {
            Some(error) => Err(error.clone()),
            None => Ok(cell.state()),
        }
    }

    fn follow(&mut self, trajectory: &Trajectory, watch: &Watch) -> Result<MotionReport> {
        let mut cell = self.cell();
        cell.standing()?;
        let motion_idx = cell.n_motions;
        cell.n_motions += 1;
        let n_cycles = (trajectory.duration_secs() / CYCLE_SECS).ceil() as usize;
        let mut velocity = vec![0.0; cell.joints.len()];
        let mut end = MotionEnd::Completed;
        for k in 1..=n_cycles {
            let at_secs = k as f64 * CYCLE_SECS;
            if watch.cancel.is_cancelled() {
                end = MotionEnd::Cancelled { at_secs };
                break;
            }
            let mut joints = cell.joints.clone();
            trajectory.sample(at_secs, &mut joints, &mut velocity);
            cell.joints = joints;
            cell.cycle();
            let is_due = |(motion, _): &(usize, Mishap)| *motion == motion_idx && 2 * k >= n_cycles;
            if cell.script.front().is_some_and(is_due) {
                match cell.script.pop_front() {
                    Some((_, Mishap::Error(kind))) => return Err(cell.break_down(kind)),
                    Some((_, Mishap::Push(torque_nm))) => cell.torque_nm = torque_nm,
                    Some((_, Mishap::Drop)) => cell.let_go(),
                    None => {}
                }
            }
            if let Some(stop) = cell.check(&watch.monitors, at_secs) {
                // The external torque ends when the arm stops.
                cell.torque_nm = 0.0;
                end = MotionEnd::Stopped(stop);
                break;
            }
        }
        Ok(MotionReport {
            end,
            duration_secs: trajectory.duration_secs(),
            peak_tracking_error: 0.0,
            after: cell.state(),
        })
    }

    fn command_gripper(&mut self, command: GripperCommand, watch: &Watch) -> Result<GripperReport> {
        let mut cell = self.cell();
        cell.standing()?;
        let stop = cell.check(&watch.monitors, 0.0);
        assert!(stop.is_none(), "a torque acts on the arm at rest");
        let (goal_m, speed_m_per_s) = match command {
            GripperCommand::MoveTo {
                width_m,
                speed_m_per_s,
            } => {
                cell.force_n = 0.0;
                cell.let_go();
                (width_m, speed_m_per_s)
            }
            GripperCommand::Grasp {
                force_n,
                speed_m_per_s,
            } => {
                cell.force_n = force_n;
                let width_m = cell.between().map_or(0.0, |(_, width_m)| width_m);
                (width_m, speed_m_per_s)
            }
        };
        cell.time_secs += (goal_m - cell.width_m).abs() / speed_m_per_s;
        cell.width_m = goal_m;
        let mut end = GripperEnd::Reached;
        if let (GripperCommand::Grasp { .. }, Some((idx, _))) = (command, cell.between()) {
            let tool_from_object =
                cell.world_from_tool().inverse() * cell.objects[idx].world_from_object;
            cell.held = Some((idx, tool_from_object));
            end = GripperEnd::Stalled;
        }
        Ok(GripperReport {
            end,
            after: cell.state(),
        })
    }

    fn wait(&mut self, duration_secs: f64) -> Result<Observation> {
        self.cell().time_secs += duration_secs;
        self.observe()
    }

    fn recover(&mut self) -> Result<()> {
        let mut cell = self.cell();
        match &cell.error {
            Some(error) if error.kind.is_lasting() => Err(error.clone()),
            _ => {
                cell.error = None;
                Ok(())
            }
        }
    }
}

/// Perception that sees all objects and takes [`LOOK_SECS`] of simulated time.
pub(crate) struct Eyes(pub(crate) Hardware);

impl Perception for Eyes {
    fn name(&self) -> &str {
        "eyes"
    }

    fn perceive(&mut self, observation: &Observation) -> Result<Percept, PerceptionError> {
        let mut cell = self.0.cell();
        cell.n_looks += 1;
        cell.time_secs += LOOK_SECS;
        Ok(Percept {
            time_secs: observation.time_secs,
            objects: cell.objects.clone(),
            latency_secs: LOOK_SECS,
            ..Percept::default()
        })
    }
}
