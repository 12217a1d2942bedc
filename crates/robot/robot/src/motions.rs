//! Motion planning without execution, its scene with the held object and the object's contents, and
//! events about planned motions.

use nalgebra::{Translation3, UnitQuaternion, Vector3};

use crate::{Result, Robot};
use regrasp_api::{
    Attachment, Event, KeepUp, MotionFailure, MotionGoal, MotionRequest, Observation, Part,
    PerceivedObject, Percept, PlannedMotion, PlanningScene, Pose, Shape, Trajectory,
};
use regrasp_relations::{count_in, objects_in};

/// Time between two points of an emitted path, s; longer for long motions.
const EVERY_SECS: f64 = 0.05;
/// Largest number of intervals of an emitted path.
const MOST_POINTS: f64 = 100.0;
/// Inverse resolution of emitted paths, 1/m: 0.01 mm.
const PER_M: f64 = 1e5;

impl Robot {
    /// Returns the obstacles for motion planning: all perceived objects, with the held object and
    /// its contents attached to the hand. An open container with contents has to stay upright.
    pub fn planning_scene(&self, percept: &Percept) -> PlanningScene {
        let Some(held) = &self.held else {
            return PlanningScene::from_percept(percept, None);
        };
        let mut scene = PlanningScene::from_percept(percept, Some(&held.id));
        let seen = percept.object(&held.id);
        let contents = seen.map_or_else(Vec::new, |container| objects_in(percept, container));
        scene
            .obstacles
            .retain(|o| contents.iter().all(|inner| inner.id != o.id));
        scene.attached = Some(Attachment {
            id: held.id.clone(),
            shape: match seen {
                Some(container) if !contents.is_empty() => filled(container, &contents),
                _ => held.shape.clone(),
            },
            tool_from_object: held.tool_from_object,
        });
        scene.keep_up = seen
            .filter(|container| !contents.is_empty() || count_in(percept, container) > 0)
            .map(|container| KeepUp::carried(up_in_tool(container, &held.tool_from_object)));
        scene
    }

    /// Plans a motion from joint positions and a finger distance at a fraction of the limits, with
    /// the base as observed `now`, and returns which of several goals it reaches. Nothing moves.
    ///
    /// # Errors
    ///
    /// Those of the motion planner.
    pub fn plan_from(
        &self,
        now: &Observation,
        start: &[f64],
        gripper_width_m: f64,
        goal: MotionGoal,
        scene: &PlanningScene,
        speed_scale: f64,
    ) -> Result<PlannedMotion, MotionFailure> {
        self.motion.plan(&MotionRequest {
            world_from_base: now.world_from_base,
            start,
            gripper_width_m,
            goal,
            scene,
            speed_scale,
            keep_up: scene.keep_up,
        })
    }

    /// Emits the tool path of a motion that starts now.
    pub(crate) fn emit_motion(&mut self, trajectory: &Trajectory) -> Result<()> {
        let world_from_base = self.observe()?.world_from_base;
        let duration_secs = trajectory.duration_secs();
        let n_steps = (duration_secs / EVERY_SECS).ceil().clamp(1.0, MOST_POINTS);
        let mut q = vec![0.0; trajectory.n_joints()];
        let mut v = vec![0.0; trajectory.n_joints()];
        let points = (0..=n_steps as usize).map(|k| {
            trajectory.sample(duration_secs * k as f64 / n_steps, &mut q, &mut v);
            let tool = world_from_base * self.motion.base_from_tool(&q);
            let tool = tool.translation.vector;
            [tool.x, tool.y, tool.z].map(|v| (v * PER_M).round() / PER_M)
        });
        let tool_in_world = points.collect();
        self.emit(Event::MotionStarted {
            tool_in_world,
            duration_secs,
        });
        Ok(())
    }

    /// Emits that no motion to a goal exists, and why.
    pub fn emit_no_motion(&mut self, failure: &MotionFailure, goal: &MotionGoal) {
        let goals_in_world = self.tool_poses(goal);
        self.emit(Event::NoMotion {
            reason: failure.reason(),
            detail: failure.to_string(),
            goals_in_world,
            pairs: failure.pairs().to_vec(),
        });
    }

    fn tool_poses(&mut self, goal: &MotionGoal) -> Vec<Pose> {
        match goal {
            MotionGoal::Joints(joints) => self.tool_poses_at(std::slice::from_ref(joints)),
            MotionGoal::AnyJoints(configurations) => self.tool_poses_at(configurations),
            MotionGoal::AnyPose(poses) => poses.clone(),
            MotionGoal::Line(pose) => vec![*pose],
            MotionGoal::AxisLine {
                position,
                axis_in_world,
            } => {
                let axis = Vector3::from(*axis_in_world);
                let turn = UnitQuaternion::rotation_between(&Vector3::z(), &axis);
                // The rotation is undefined for opposite directions, where any half turn is valid.
                let half_turn =
                    || UnitQuaternion::from_euler_angles(std::f64::consts::PI, 0.0, 0.0);
                let place = Translation3::from(Vector3::from(*position));
                vec![Pose::from_parts(place, turn.unwrap_or_else(half_turn))]
            }
        }
    }

    /// Tool poses in World of the configurations that have the right number of joints.
    fn tool_poses_at(&mut self, configurations: &[Vec<f64>]) -> Vec<Pose> {
        // Without an observation of the base, the event has no poses.
        let Ok(now) = self.observe() else {
            return vec![];
        };
        let whole = configurations
            .iter()
            .filter(|joints| joints.len() == now.joint_positions.len());
        whole
            .map(|joints| now.world_from_base * self.motion.base_from_tool(joints))
            .collect()
    }
}

/// Current up direction of World in the tool frame, for this pose of the container in the hand.
fn up_in_tool(container: &PerceivedObject, tool_from_object: &Pose) -> [f64; 3] {
    let up_in_object = container.world_from_object.rotation.inverse() * Vector3::z();
    (tool_from_object.rotation * up_in_object).into()
}

/// Returns a container and its contents as one solid, in the container's frame, m.
pub fn filled(container: &PerceivedObject, contents: &[&PerceivedObject]) -> Shape {
    if contents.is_empty() {
        return container.shape.clone();
    }
    let mut parts = parts_at(&container.shape, &Pose::identity());
    for inner in contents {
        let container_from_inner = container.world_from_object.inverse() * inner.world_from_object;
        parts.extend(parts_at(&inner.shape, &container_from_inner));
    }
    Shape::Compound { parts }
}

fn parts_at(shape: &Shape, frame_from_object: &Pose) -> Vec<Part> {
    match shape {
        Shape::Compound { parts } => parts
            .iter()
            .map(|part| Part {
                object_from_part: frame_from_object * part.object_from_part,
                shape: part.shape.clone(),
            })
            .collect(),
        solid => vec![Part::new(*frame_from_object, solid.clone())],
    }
}
