//! The rooms of LIBERO's problems.

use std::sync::{Arc, LazyLock};

use nalgebra::{Quaternion, Translation3, UnitQuaternion};
use regrasp_api::Pose;
use regrasp_mjcf::Model;
use regrasp_scene::Visual;
use serde::Deserialize;

use crate::error::LiberoError;
use crate::problem::Problem;

#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    /// Visuals that belong to no object.
    pub(crate) scenery: Vec<Visual>,
    /// Visuals of the work surface if it is a box; empty if its geometry is from a file.
    pub(crate) table: Vec<Visual>,
    /// Keeps the cached model alive.
    pub(crate) _model: Option<Arc<Model>>,
}

/// A room: its work surface, and the poses of arm and camera.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arena {
    /// Prefix of the names of the problems in this room, in lower case.
    pub problem: String,
    /// File of the visuals, below `assets/scenes`, without `.xml`.
    pub style: String,
    /// Name of the fixture that is the work surface.
    pub workspace: String,
    /// Origin of the regions in World, m.
    pub offset: [f64; 3],
    /// Work surface.
    pub surface: Surface,
    /// Friction coefficient of the work surface.
    pub friction: f64,
    /// Offset that is added to the height of fixtures, m.
    pub fixture_z: f64,
    /// Position of the arm's base, m.
    pub base: [f64; 3],
    /// Position of the camera `agentview`, m.
    pub camera: [f64; 3],
    /// Orientation of the camera `agentview` in MuJoCo's convention, w x y z.
    pub camera_wxyz: [f64; 4],
    /// Set if objects in a region are placed at least their radius away from its edges.
    pub keeps_inside: bool,
    /// Height of the regions' sites in World, m.
    pub site_z: f64,
    /// Image on the floor, in `assets/textures`, without `.png`.
    pub floor: String,
    /// Image on the walls, in `assets/textures`, without `.png`.
    pub wall: String,
}

/// The work surface of a room.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// One box.
    Box {
        /// Centre, m.
        center: [f64; 3],
        /// Half size, m.
        half: [f64; 3],
    },
    /// Collision geoms of the body with this name, in the file of the visuals.
    Body(String),
}

static ARENAS: LazyLock<Vec<Arena>> = LazyLock::new(|| {
    serde_saphyr::from_str(include_str!("arenas.yaml")).expect("a test reads the file")
});

impl Arena {
    /// Returns the arena whose `problem` is a prefix of the problem's name; variants of a problem
    /// add a suffix.
    ///
    /// # Errors
    ///
    /// [`LiberoError`] with the known arenas if there is none.
    pub fn of(problem: &Problem) -> Result<&'static Self, LiberoError> {
        let is_it = |arena: &&Self| {
            let ending = problem.name.strip_prefix(&arena.problem);
            ending.is_some_and(|ending| ending.is_empty() || ending.starts_with('_'))
        };
        let found = ARENAS.iter().filter(is_it);
        let found = found.max_by_key(|arena| arena.problem.len());
        found.ok_or_else(|| {
            let known: Vec<_> = ARENAS.iter().map(|arena| arena.problem.as_str()).collect();
            let (name, known) = (&problem.name, known.join(", "));
            let message = format!("the arena `{name}` is not known (known: {known})");
            problem.wrong(problem.at, message)
        })
    }

    /// Pose of the camera: z forward, x right, y down.
    pub fn world_from_camera(&self) -> Pose {
        pose(self.camera, self.camera_wxyz) * mujoco_from_camera()
    }
}

/// Pose of the camera on the hand, which looks along the fingers.
pub(crate) fn hand_from_camera() -> Pose {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    pose([0.05, 0.0, 0.0], [0.0, half, half, 0.0]) * mujoco_from_camera()
}

pub(crate) fn pose([x, y, z]: [f64; 3], [w, i, j, k]: [f64; 4]) -> Pose {
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k));
    Pose::from_parts(Translation3::new(x, y, z), turn)
}

/// Rotation from our camera frame to MuJoCo's, whose cameras look along -z with y up.
pub(crate) fn mujoco_from_camera() -> Pose {
    Pose::rotation(nalgebra::Vector3::x() * std::f64::consts::PI)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rooms_can_be_read() {
        assert_eq!(ARENAS.len(), 6);
    }
}
