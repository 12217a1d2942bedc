//! Layout of observations.

use regrasp::LoadedRobot;
use regrasp::api::{ObjectId, RobotInfo};
use regrasp::bench::DrawnTask;
use regrasp::scene::TaskInstance;

use crate::EnvError;

/// Layout of an observation's numbers, equal for all instances of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// Movable objects, in scene order.
    pub objects: Vec<ObjectId>,
    /// Joints between objects, in scene order.
    pub joints: Vec<ObjectId>,
    /// Set if the task has a goal point.
    pub has_goal: bool,
    /// Name of each component of the state, with its unit.
    pub state_names: Vec<String>,
    /// Name of each proprioceptive component, with its unit.
    pub agent_names: Vec<String>,
}

impl Layout {
    /// Returns the layout of a task with a robot.
    ///
    /// # Errors
    ///
    /// [`EnvError`] if the task has no baseline.
    pub fn of(loaded: &LoadedRobot, task: &dyn DrawnTask) -> Result<Self, EnvError> {
        let baseline = task.draw(0).map_err(EnvError::Other)?;
        let info = loaded.info(&baseline.scene.world_from_base);
        Ok(Self::new(&info, &baseline, false))
    }

    pub(crate) fn new(info: &RobotInfo, baseline: &TaskInstance, has_point: bool) -> Self {
        let movable = baseline.scene.objects.iter().filter(|o| o.is_movable());
        let objects: Vec<_> = movable.map(|o| o.id.clone()).collect();
        let joints: Vec<_> = baseline.scene.joints.iter().map(|j| j.id.clone()).collect();
        let mut names = vec![];
        names.extend(info.joint_names.iter().map(|j| format!("{j} (rad)")));
        names.extend(info.joint_names.iter().map(|j| format!("{j} (rad/s)")));
        names.push("gripper width (m)".to_owned());
        names.extend(["left", "right"].map(|side| format!("{side} finger touches (0 or 1)")));
        names.extend(pose_names("tool"));
        if has_point {
            names.extend(pose_names("pulled point"));
        }
        let goal = baseline.goal.map(|_| ["x", "y", "z"]);
        let goal: Vec<_> = goal.into_iter().flatten().collect();
        let goal_names = goal.iter().map(|axis| format!("goal {axis} (m)"));
        let agent_names: Vec<_> = names.iter().cloned().chain(goal_names.clone()).collect();
        for id in &objects {
            names.extend(pose_names(id.as_str()));
            let from_tool = ["x", "y", "z"].map(|axis| format!("{id} from tool {axis} (m)"));
            names.extend(from_tool);
        }
        names.extend(joints.iter().map(|id| format!("{id} opening (m or rad)")));
        names.extend(goal_names);
        Self {
            objects,
            joints,
            has_goal: !goal.is_empty(),
            state_names: names,
            agent_names,
        }
    }
}

fn pose_names(of: &str) -> impl Iterator<Item = String> {
    let position = ["x", "y", "z"].map(|axis| format!("{of} {axis} (m)"));
    let rotation = ["x", "y", "z", "w"].map(|axis| format!("{of} quaternion {axis}"));
    position.into_iter().chain(rotation)
}
