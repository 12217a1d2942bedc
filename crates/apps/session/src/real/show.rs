//! Display of the arm, on a thread of its own and independent of commands.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use regrasp::LoadedRobot;
use regrasp_api::{Observation, Pose};
use regrasp_franka::Glance;
use regrasp_ground_truth::{Frame, FrameSink, GroundTruth, GroundTruthObject, GroundTruthSource};

use super::recording::{LastPercept, frame};
use crate::repeated::Repeated;
use crate::run_store::RunRecorder;

/// Rate of the display, Hz.
pub(super) const RATE_HZ: f64 = 50.0;
/// Interval of frames while the arm is at rest.
const AT_REST: Duration = Duration::from_millis(500);
/// Joint change below which the arm is at rest, rad: a real arm is never quite still.
const STILL_RAD: f64 = 1e-3;
/// Change of the finger distance below which the hand is at rest, m.
const STILL_M: f64 = 5e-4;

type Tool = dyn Fn(&Observation) -> Pose + Send;

/// Joints and fingers as the arm reports them, objects where they were last seen.
#[derive(Clone)]
pub(super) struct Sight {
    glance: Glance,
    seen: LastPercept,
    world_from_tool: Arc<Mutex<Box<Tool>>>,
}

impl Sight {
    pub(super) fn new(glance: Glance, seen: LastPercept, loaded: &LoadedRobot) -> Self {
        Self {
            glance,
            seen,
            world_from_tool: Arc::new(Mutex::new(Box::new(loaded.world_from_tool()))),
        }
    }

    fn tool(&self, now: &Observation) -> Pose {
        self.world_from_tool.lock()(now)
    }

    fn frame(&self, step: u64) -> Frame {
        let (sample, _) = self.glance.look();
        let mut frame = frame(&sample, &self.seen.lock().objects, step);
        frame.world_from_tool = self.tool(&sample.observation);
        frame
    }
}

impl GroundTruthSource for Sight {
    /// Returns the perceived state, for display only: the true one is not known.
    fn truth(&self) -> GroundTruth {
        let (sample, _) = self.glance.look();
        let (now, percept) = (&sample.observation, self.seen.lock().clone());
        let objects = percept.objects.iter().map(|object| GroundTruthObject {
            color: object.color.clone(),
            movable: object.movable,
            ..GroundTruthObject::at_rest(
                object.id.clone(),
                &object.category,
                object.shape.clone(),
                object.world_from_object,
            )
        });
        GroundTruth {
            time_secs: now.time_secs,
            objects: objects.collect(),
            joint_positions: now.joint_positions.clone(),
            joint_velocities: now.joint_velocities.clone(),
            world_from_tool: self.tool(now),
            gripper_width_m: now.gripper.width_m,
            ..GroundTruth::default()
        }
    }
}

/// Shows and records the arm until the result is dropped.
pub(super) fn show(
    sight: Sight,
    mut recorder: RunRecorder,
    mut sink: Box<dyn FrameSink>,
) -> io::Result<Repeated> {
    let mut shown: Option<(Frame, Instant)> = None;
    let mut steps = 1..;
    let pause = Duration::from_secs_f64(1.0 / RATE_HZ);
    Repeated::begin("show the arm", pause, move || {
        let frame = sight.frame(steps.next().unwrap_or_default());
        recorder.frame(&frame);
        let is_due = shown
            .as_ref()
            .is_none_or(|(last, at)| at.elapsed() >= AT_REST || has_moved(last, &frame));
        if is_due {
            sink.frame(&frame);
            shown = Some((frame, Instant::now()));
        }
        true
    })
}

fn has_moved(last: &Frame, now: &Frame) -> bool {
    let joints = last.joints.position.iter().zip(&now.joints.position);
    joints.into_iter().any(|(a, b)| (a - b).abs() > STILL_RAD)
        || (last.gripper.width_m - now.gripper.width_m).abs() > STILL_M
        || last.objects != now.objects
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arm_that_trembles_stands_still() {
        let mut last = Frame::default();
        last.joints.position = vec![0.1; 7];
        let mut now = last.clone();
        now.joints.position[3] += 2e-4;
        assert!(!has_moved(&last, &now));
        now.joints.position[3] += 2e-3;
        assert!(has_moved(&last, &now));
        let mut opened = last.clone();
        opened.gripper.width_m += 0.01;
        assert!(has_moved(&last, &opened));
    }
}
