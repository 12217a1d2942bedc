//! The rooms in which LIBERO's problems take place.

use nalgebra::{Quaternion, Translation3, UnitQuaternion};
use regrasp_api::Pose;
use regrasp_scene::Visual;

use crate::error::LiberoError;
use crate::problem::Problem;

/// What a room looks like.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    /// What belongs to nothing.
    pub(crate) scenery: Vec<Visual>,
    /// The table's, if the code makes its box.
    pub(crate) table: Vec<Visual>,
}

/// A room: what things stand on, where the arm and the camera are.
#[derive(Clone, Copy, Debug)]
pub struct Arena {
    /// What a problem's name begins with, in lower case.
    pub problem: &'static str,
    /// The file of what is drawn, below `assets/scenes`, without `.xml`.
    pub style: &'static str,
    /// The fixture that things stand on.
    pub workspace: &'static str,
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
    pub floor: &'static str,
    /// The image on the walls.
    pub wall: &'static str,
}

/// What things stand on.
#[derive(Clone, Copy, Debug)]
pub enum Surface {
    /// One box.
    Box {
        /// Its middle, m.
        center: [f64; 3],
        /// Half its size, m.
        half: [f64; 3],
    },
    /// What touches of a body of the style's file.
    Body(&'static str),
}

const A: [f64; 4] = [0.638_018, 0.304_850, 0.304_850, 0.638_018];
const B: [f64; 4] = [0.618_217, 0.343_231, 0.343_231, 0.618_218];
const TABLE: Surface = Surface::Box {
    center: [0.0, 0.0, 0.875],
    half: [0.5, 0.6, 0.025],
};

/// Every arena whose files are known.
pub const ARENAS: [Arena; 6] = [
    Arena {
        problem: "libero_tabletop_manipulation",
        style: "libero_tabletop_base_style",
        workspace: "main_table",
        offset: [0.0, 0.0, 0.90],
        surface: TABLE,
        friction: 0.6,
        fixture_z: -0.04,
        base: [-0.66, 0.0, 0.912],
        camera: [0.65861, 0.0, 1.61035],
        camera_wxyz: A,
        keeps_inside: true,
        site_z: 0.895,
        floor: "light-gray-floor-tile",
        wall: "light-gray-plaster",
    },
    Arena {
        problem: "libero_kitchen_tabletop_manipulation",
        style: "libero_kitchen_tabletop_base_style",
        workspace: "kitchen_table",
        offset: [0.0, 0.0, 0.90],
        surface: TABLE,
        friction: 1.0,
        fixture_z: -0.04,
        base: [-0.66, 0.0, 0.912],
        camera: [0.65861, 0.0, 1.61035],
        camera_wxyz: A,
        keeps_inside: false,
        site_z: 0.875,
        floor: "gray_ceramic_tile",
        wall: "yellow_linen_wall_texture",
    },
    Arena {
        problem: "libero_study_tabletop_manipulation",
        style: "libero_study_base_style",
        workspace: "study_table",
        offset: [-0.2, 0.0, 0.867],
        surface: Surface::Body("study_table"),
        friction: 0.95,
        fixture_z: -0.04,
        base: [-0.75, 0.0, 0.912],
        camera: [0.45861, 0.0, 1.61035],
        camera_wxyz: A,
        keeps_inside: false,
        site_z: 0.867,
        floor: "light-gray-floor-tile",
        wall: "light-gray-plaster",
    },
    Arena {
        problem: "libero_living_room_tabletop_manipulation",
        style: "libero_living_room_tabletop_base_style",
        workspace: "living_room_table",
        offset: [0.0, 0.0, 0.41],
        surface: Surface::Body("living_room_table"),
        friction: 0.95,
        fixture_z: -0.014,
        base: [-0.51, 0.0, 0.42],
        camera: [0.60658, 0.0, 0.96],
        camera_wxyz: B,
        keeps_inside: false,
        site_z: 0.41,
        floor: "seamless_wood_planks_floor",
        wall: "light-gray-plaster",
    },
    Arena {
        problem: "libero_floor_manipulation",
        style: "libero_floor_base_style",
        workspace: "floor",
        offset: [0.0, 0.0, -0.035],
        surface: Surface::Box {
            center: [0.0, 0.0, -0.05],
            half: [3.0, 3.0, 0.05],
        },
        friction: 1.0,
        fixture_z: -0.025,
        base: [-0.60, 0.0, 0.0],
        camera: [0.89658, 0.0, 0.65],
        camera_wxyz: B,
        keeps_inside: true,
        site_z: 0.02,
        floor: "light-gray-floor-tile",
        wall: "light-gray-plaster",
    },
    Arena {
        problem: "libero_coffee_table_manipulation",
        style: "libero_coffee_table_base_style",
        workspace: "coffee_table",
        offset: [0.0, 0.0, 0.41],
        surface: Surface::Box {
            center: [0.0, 0.0, 0.41 - 0.012],
            half: [0.35, 0.8, 0.012],
        },
        friction: 0.95,
        fixture_z: -0.014,
        base: [-0.51, 0.0, 0.41],
        camera: [1.5, 0.0, 0.9],
        camera_wxyz: [0.56, 0.43, 0.43, 0.56],
        keeps_inside: true,
        site_z: 0.41,
        floor: "seamless_wood_planks_floor",
        wall: "light-gray-plaster",
    },
];

impl Arena {
    /// The arena of a problem: the one whose name that of the problem begins with. Variants of
    /// others have endings of their own.
    ///
    /// # Errors
    ///
    /// [`LiberoError`] with the known ones if it is none of them.
    pub fn of(problem: &Problem) -> Result<&'static Self, LiberoError> {
        let is_it = |arena: &&Self| {
            let ending = problem.name.strip_prefix(arena.problem);
            ending.is_some_and(|ending| ending.is_empty() || ending.starts_with('_'))
        };
        let found = ARENAS
            .iter()
            .filter(is_it)
            .max_by_key(|arena| arena.problem.len());
        found.ok_or_else(|| {
            let known: Vec<_> = ARENAS.iter().map(|arena| arena.problem).collect();
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
