//! What a search is asked.

use regrasp_api::{Obstacle, Pose, Shape};

use crate::AllowedContacts;

/// How a cylinder among the obstacles is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CylinderReading {
    /// As what it is.
    #[default]
    True,
    /// As the capsule with half spheres beyond both ends, as VAMP reads it: larger.
    Capsule,
}

/// A question to the search.
#[derive(Clone, Debug)]
pub struct SearchProblem<'a> {
    /// Where the arm stands.
    pub world_from_base: Pose,
    /// What is in the way.
    pub obstacles: &'a [Obstacle],
    /// How cylinders are read.
    pub cylinders: CylinderReading,
    /// Distance between the finger pads, m.
    pub gripper_width_m: f64,
    /// Where to start: one position for each joint, rad.
    pub start: &'a [f64],
    /// Where to end: any of these.
    pub goals: &'a [Vec<f64>],
    /// What may touch although it is a contact.
    pub allowed: AllowedContacts,
    /// Lower and upper bound of each joint; those of the robot if left out.
    pub bounds: Option<&'a [[f64; 2]]>,
}

/// How hard to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchOptions {
    /// Samples before it gives up.
    pub max_iterations: usize,
    /// Rounds of simplification.
    pub rounds: usize,
    /// Paths that are looked for at most, while the shortest is a long detour.
    pub attempts: u32,
}

impl Default for SearchOptions {
    /// 20,000 samples, some hundred times the usual; 20 rounds, of which few are
    /// used; four attempts: in a cage the first path is often twice as long as needed.
    fn default() -> Self {
        Self {
            max_iterations: 20_000,
            rounds: 20,
            attempts: 4,
        }
    }
}

impl CylinderReading {
    /// An obstacle as it is read.
    pub(super) fn of(self, obstacle: &Obstacle) -> Obstacle {
        let shape = match (&obstacle.shape, self) {
            (
                Shape::Cylinder {
                    radius,
                    half_height,
                },
                Self::Capsule,
            ) => Shape::Capsule {
                radius: *radius,
                half_height: *half_height,
            },
            (shape, _) => shape.clone(),
        };
        Obstacle {
            shape,
            ..obstacle.clone()
        }
    }
}
