//! Format of a line of percepts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::placement::upright;

/// The objects at one instant: one line of JSON.
///
/// Metres, seconds and unit quaternions. A line lists all objects: objects that are missing from it
/// do not exist.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PerceptLine {
    /// Time of the picture, Unix time in seconds. Required unless there is a `sequence`. The clocks
    /// of both computers must agree to 0.1 s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp_unix_s: Option<f64>,
    /// Number of the picture. Without `stamp_unix_s`, it must advance twice during a look, so that
    /// the picture was certainly taken after the look began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence: Option<u64>,
    /// The frame of all positions.
    #[serde(default)]
    pub frame: LineFrame,
    /// All objects, the table included.
    pub objects: Vec<LineObject>,
}

/// A frame in which positions can be given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LineFrame {
    /// The first link of the arm.
    #[default]
    Base,
    /// World: z up.
    World,
}

/// One object of a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LineObject {
    /// Identifier, the same in every line for the same object.
    #[schemars(length(min = 1))]
    pub id: String,
    /// Category (`cube`, `bowl`, `table`), as used in commands.
    #[schemars(length(min = 1))]
    pub category: String,
    /// Colour as a word, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// Shape of the object.
    pub shape: LineShape,
    /// Position of the middle of the shape's bounding box, m.
    pub position: [f64; 3],
    /// Rotation as a unit quaternion; default: none.
    #[serde(default = "upright")]
    pub quat_xyzw: [f64; 4],
    /// Standard deviation of the position, m.
    #[schemars(range(min = 0.0))]
    pub position_std_m: f64,
    /// True if the object can be moved; false for a table. Default: true.
    #[serde(default = "yes")]
    pub movable: bool,
    /// True if the object is hidden at this instant; its pose is then the last one seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

fn yes() -> bool {
    true
}

/// Default thickness of walls, m: as in scene files.
const WALL_M: f64 = 0.004;

fn wall() -> f64 {
    WALL_M
}

/// Shapes, in the words of scene files. All lengths are in metres; z is up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum LineShape {
    /// A box, a cube, a table.
    Box {
        /// Edge lengths along x, y, z.
        size: [f64; 3],
    },
    /// A ball.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// A cylinder along z.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Height along z.
        height: f64,
    },
    /// A capsule along z.
    Capsule {
        /// Radius.
        radius: f64,
        /// Height along z, caps included.
        height: f64,
    },
    /// A bowl, open at the top.
    Bowl {
        /// Radius of the rim.
        radius: f64,
        /// Height.
        height: f64,
        /// Thickness of the wall.
        #[serde(default = "wall")]
        wall: f64,
    },
    /// A rectangular tray, open at the top.
    Tray {
        /// Edge lengths along x and y.
        size: [f64; 2],
        /// Height.
        height: f64,
        /// Thickness of the walls.
        #[serde(default = "wall")]
        wall: f64,
    },
    /// A flat plate, with a rim if `rim` is greater than 0.
    Plate {
        /// Radius.
        radius: f64,
        /// Thickness.
        thickness: f64,
        /// Height of the rim above the plate.
        #[serde(default)]
        rim: f64,
    },
    /// A mug with a handle on its +x side, unless `handle` is 0. Its middle is that of the body.
    Mug {
        /// Height.
        height: f64,
        /// Diameter of the body.
        diameter: f64,
        /// Distance that the handle extends from the body.
        #[serde(default)]
        handle: f64,
        /// Thickness of the wall.
        #[serde(default = "wall")]
        wall: f64,
    },
}
