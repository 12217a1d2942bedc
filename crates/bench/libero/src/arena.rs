//! The rooms in which LIBERO's problems take place.

use std::sync::{Arc, LazyLock};

use nalgebra::{Quaternion, Translation3, UnitQuaternion};
use regrasp_api::Pose;
use regrasp_mjcf::Model;
use regrasp_scene::Visual;
use serde::Deserialize;

use crate::error::LiberoError;
use crate::problem::Problem;

/// What a room looks like.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    /// What belongs to nothing.
    pub(crate) scenery: Vec<Visual>,
    /// The table's, if the code makes its box.
    pub(crate) table: Vec<Visual>,
    /// Source of it, so that others find it as long as this is there.
    pub(crate) _model: Option<Arc<Model>>,
}

/// A room: what things stand on, where the arm and the camera are.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arena {
    /// What a problem's name begins with, in lower case.
    pub problem: String,
    /// The file of what is drawn, below `assets/scenes`, without `.xml`.
    pub style: String,
    /// The fixture that things stand on.
    pub workspace: String,
    /// What regions are measured from, m.
    pub offset: [f64; 3],
    /// What things stand on.
    pub surface: Surface,
    /// Friction of that.
    pub friction: f64,
    /// Added to the height of fixtures, m.
    pub fixture_z: f64,
    /// Where the arm's base is, m.
    pub base: [f64; 3],
    /// Where the camera `agentview` is, m.
    pub camera: [f64; 3],
    /// How MuJoCo turns that, w x y z.
    pub camera_wxyz: [f64; 4],
    /// Whether places "inside the boundary" are drawn by the radius of what stands there.
    pub keeps_inside: bool,
    /// Height of the sites of regions, m.
    pub site_z: f64,
    /// The image on the floor, of `assets/textures`, without `.png`.
    pub floor: String,
    /// The image on the walls.
    pub wall: String,
}

/// What things stand on.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// One box.
    Box {
        /// Its middle, m.
        center: [f64; 3],
        /// Half its size, m.
        half: [f64; 3],
    },
    /// What touches of a body of the style's file.
    Body(String),
}

/// Every arena whose files are known.
static ARENAS: LazyLock<Vec<Arena>> = LazyLock::new(|| {
    serde_saphyr::from_str(include_str!("arenas.yaml")).expect("it is built in, and tested")
});

impl Arena {
    /// The arena of a problem: the one whose name that of the problem begins with. Variants of
    /// others have endings of their own.
    ///
    /// # Errors
    ///
    /// [`LiberoError`] with the known ones if it is none of them.
    pub fn of(problem: &Problem) -> Result<&'static Self, LiberoError> {
        let is_it = |arena: &&Self| {
            let ending = problem.name.strip_prefix(&arena.problem);
            ending.is_some_and(|ending| ending.is_empty() || ending.starts_with('_'))
        };
        let found = ARENAS
            .iter()
            .filter(is_it)
            .max_by_key(|arena| arena.problem.len());
        found.ok_or_else(|| {
            let known: Vec<_> = ARENAS.iter().map(|arena| arena.problem.as_str()).collect();
            let (name, known) = (&problem.name, known.join(", "));
            problem.wrong(
                problem.at,
                format!("the arena `{name}` is not known (known: {known})"),
            )
        })
    }

    /// The camera's frame: z forward, x right, y down.
    pub fn world_from_camera(&self) -> Pose {
        pose(self.camera, self.camera_wxyz) * mujoco_from_camera()
    }
}

/// The camera on the hand, along the fingers.
pub(crate) fn hand_from_camera() -> Pose {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    pose([0.05, 0.0, 0.0], [0.0, half, half, 0.0]) * mujoco_from_camera()
}

/// A pose with MuJoCo's order of a quaternion.
pub(crate) fn pose([x, y, z]: [f64; 3], [w, i, j, k]: [f64; 4]) -> Pose {
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k));
    Pose::from_parts(Translation3::new(x, y, z), turn)
}

/// MuJoCo's cameras look along -z with y up.
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
