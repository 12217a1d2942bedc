//! What can be wrong with a robot or a cell that is set up.

use regrasp_api::{PerceptionError, RobotError};
use regrasp_faults::FaultError;
use regrasp_ground_truth_perception::NoiseError;
use regrasp_kinematics::{ChainError, GripperError, LoadError};
use regrasp_motion::ArmPlannerError;
#[cfg(feature = "pixels")]
use regrasp_render::{LabelError, LooksError};
use regrasp_scene::SceneError;
use regrasp_sim::{BadRate, SimError};

/// A robot or cell that cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// A scene or robot file is wrong.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The URDF is wrong.
    #[error(transparent)]
    Urdf(#[from] LoadError),
    /// The robot file names links between which there is no arm.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// Skills cannot use the gripper.
    #[error(transparent)]
    Gripper(#[from] GripperError),
    /// Robot file and URDF disagree.
    #[error(transparent)]
    Planner(#[from] ArmPlannerError),
    /// The scene cannot be simulated.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// The robot file names what the URDF has not.
    #[cfg(feature = "pixels")]
    #[error(transparent)]
    Looks(#[from] LooksError),
    /// The world behind a cell does not answer.
    #[error("set up the cell: {0}")]
    World(#[from] RobotError),
    /// Something is asked of a cell that only a simulated one has.
    #[error("look behind the cell: it is not simulated, so nobody knows its truth")]
    NotSimulated,
    /// The perception noise makes no sense.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// A fault cannot be brought about.
    #[error(transparent)]
    Fault(#[from] FaultError),
    /// Somebody wants to watch at a rate that is none.
    #[error(transparent)]
    Rate(#[from] BadRate),
    /// Pictures are wanted of a camera that the scene has not.
    #[cfg(feature = "pixels")]
    #[error(transparent)]
    Camera(#[from] NoSuchCamera),
    /// Nothing can be perceived.
    #[error(transparent)]
    Blind(#[from] PerceptionError),
    /// Numbers cannot be drawn on pictures.
    #[cfg(feature = "pixels")]
    #[error(transparent)]
    Label(#[from] LabelError),
    /// The robot file names a link that the URDF has not.
    #[error("set up the robot: its URDF has no link `{link}`")]
    NoSuchLink {
        /// The name.
        link: String,
    },
}

/// A camera that a scene has not.
#[cfg(feature = "pixels")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("find the camera `{name}` (cameras: {})", known.join(", "))]
pub struct NoSuchCamera {
    /// The name.
    pub name: String,
    /// Those that it has.
    pub known: Vec<String>,
}
