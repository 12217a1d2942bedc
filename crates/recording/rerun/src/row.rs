//! What is logged, in plain data.

use regrasp_api::{Intrinsics, Pose};

use crate::{EntityPath, Stamp};

/// Red, green, blue.
pub type Rgb = [u8; 3];

/// What something is at one time.
#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    /// Its pose in World.
    Pose(Pose),
    /// Figures.
    Numbers(Vec<f64>),
    /// Lines in World, in place of those before.
    Lines(Vec<Line>),
    /// Points in World, in place of those before.
    Points(Vec<Point>),
    /// A document in Markdown, in place of the one before.
    Document(String),
    /// A line of a log.
    Remark(Remark),
    /// A picture, PNG.
    Picture(Vec<u8>),
}

/// A line through points.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// In World, m.
    pub points: Vec<[f32; 3]>,
    /// Its colour.
    pub rgb: Rgb,
    /// Half of its thickness, m.
    pub radius_m: f32,
}

/// A point that may say something.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// In World, m.
    pub at: [f32; 3],
    /// Its colour.
    pub rgb: Rgb,
    /// Its size, m.
    pub radius_m: f32,
    /// What it says.
    pub label: String,
}

/// How much a line of a log matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A detail.
    Detail,
    /// What usually happens.
    Usual,
    /// What is done because something went wrong.
    Change,
    /// What went wrong.
    Wrong,
}

/// A line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// How much it matters.
    pub level: Level,
    /// What it says.
    pub text: String,
}

impl Row {
    /// About how much memory it takes, bytes.
    fn size(&self) -> usize {
        let own = match self {
            Self::Pose(_) => 0,
            Self::Numbers(numbers) => 8 * numbers.len(),
            Self::Lines(lines) => lines.iter().map(|line| 40 + 12 * line.points.len()).sum(),
            Self::Points(points) => points.iter().map(|point| 48 + point.label.len()).sum(),
            Self::Document(text) => text.len(),
            Self::Remark(remark) => remark.text.len(),
            Self::Picture(png) => png.len(),
        };
        own + size_of::<Self>() + size_of::<Stamp>()
    }
}

/// What something is at several times, in their order. All rows are of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// What it is about.
    pub place: EntityPath,
    /// When.
    pub stamps: Vec<Stamp>,
    /// What, one for each.
    pub rows: Vec<Row>,
}

impl Column {
    pub(crate) fn new(place: EntityPath) -> Self {
        Self {
            place,
            stamps: vec![],
            rows: vec![],
        }
    }

    /// Adds a row. Returns about how much memory that takes, bytes.
    pub(crate) fn push(&mut self, stamp: Stamp, row: Row) -> usize {
        let size = row.size();
        self.stamps.push(stamp);
        self.rows.push(row);
        size
    }
}

/// What never changes.
#[derive(Clone, Debug, PartialEq)]
pub enum Fixture {
    /// A surface in the frame of what it belongs to.
    Mesh(Surface),
    /// How a camera projects.
    Camera(Intrinsics),
    /// Where something stands still, in World.
    Pose(Pose),
    /// The names of figures, and their colours.
    Signals(Vec<(String, Rgb)>),
    /// What points say is shown only if that is asked for.
    NoLabels,
}

/// A triangle mesh of one colour.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Corners, m.
    pub positions: Vec<[f32; 3]>,
    /// Unit length, outwards, one for each corner.
    pub normals: Vec<[f32; 3]>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Its colour.
    pub rgb: Rgb,
}
