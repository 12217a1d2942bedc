//! Errors of setting up a robot or a cell.

use regrasp_api::{ObjectId, PerceptionError, RobotError};
use regrasp_faults::FaultError;
use regrasp_ground_truth_perception::NoiseError;
use regrasp_kinematics::{ChainError, GripperError, LoadError};
use regrasp_motion::ArmPlannerError;
use regrasp_render::{LabelError, LooksError};
use regrasp_scene::SceneError;
use regrasp_sim::{BadRate, SimError};

/// A link that is inside an object at the start.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{link} is {:.1} mm inside {object} at the start{}", 1e3 * depth_m, self.advice())]
pub struct StartCollision {
    /// Name of the link.
    pub link: String,
    /// Object that the link is in.
    pub object: ObjectId,
    /// Penetration depth, m.
    pub depth_m: f64,
    /// True if a joint of the arm moves the link.
    pub moves: bool,
    /// True if the object is not fixed.
    pub is_loose: bool,
}

impl StartCollision {
    fn advice(&self) -> String {
        let object = &self.object;
        match (self.moves, self.is_loose) {
            (true, _) => {
                format!(
                    ", so the arm cannot move; raise its base, start in another pose, or move {object}"
                )
            }
            (false, true) => {
                format!("; the simulator would push {object} away: move it or the arm")
            }
            (false, false) => {
                format!("; if {object} is its mount, set `arm: {{on: {object}, …}}`")
            }
        }
    }

    /// Returns true if the simulator would push the two apart violently.
    pub fn is_fatal(&self) -> bool {
        self.moves || self.is_loose
    }
}

/// Failure to set up a robot or a cell.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// A scene or robot file is invalid.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The URDF is invalid.
    #[error(transparent)]
    Urdf(#[from] LoadError),
    /// The robot file names links that no arm connects.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// Skills cannot use the gripper.
    #[error(transparent)]
    Gripper(#[from] GripperError),
    /// Robot file and URDF disagree, or a collision shape of a link is flat.
    #[error(transparent)]
    Planner(#[from] ArmPlannerError),
    /// The scene cannot be simulated.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// The robot file names something that the URDF does not have.
    #[error(transparent)]
    Looks(#[from] LooksError),
    /// A link of the robot is inside an object at the start.
    #[error("start the arm: {0}")]
    Start(#[from] StartCollision),
    /// The world of a cell does not answer.
    #[error("set up the cell: {0}")]
    World(#[from] RobotError),
    /// The cell is not simulated, but the operation needs a simulation.
    #[error("read the ground truth of the cell: it is not simulated")]
    NotSimulated,
    /// The perception noise is invalid.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// A fault cannot be caused.
    #[error(transparent)]
    Fault(#[from] FaultError),
    /// The frame rate of an observer is invalid.
    #[error(transparent)]
    Rate(#[from] BadRate),
    /// The scene does not have the camera.
    #[error(transparent)]
    Camera(#[from] NoSuchCamera),
    /// Perception failed.
    #[error(transparent)]
    Blind(#[from] PerceptionError),
    /// Numbers cannot be drawn on pictures.
    #[error(transparent)]
    Label(#[from] LabelError),
    /// The robot file or a camera names a link that the URDF does not have.
    #[error("set up the {user}: the robot's URDF has no link `{link}`")]
    NoSuchLink {
        /// Part of the setup that names the link.
        user: String,
        /// Name of the link.
        link: String,
    },
}

/// Name of a camera that the scene does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("find the camera `{name}` (cameras: {})", known.join(", "))]
pub struct NoSuchCamera {
    /// Name of the camera.
    pub name: String,
    /// Names of the scene's cameras.
    pub known: Vec<String>,
}
