//! Logged values as plain data.

use regrasp_api::{Intrinsics, Pose, Remark};

use crate::{EntityPath, Stamp};

/// Red, green, blue.
pub type Rgb = [u8; 3];

/// Value of an entity at one time.
#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    /// Pose in World.
    Pose(Pose),
    /// Values of signals.
    Numbers(Vec<f64>),
    /// Lines in World, which replace the previous ones.
    Lines(Vec<Line>),
    /// Points in World, which replace the previous ones.
    Points(Vec<Point>),
    /// Document in Markdown, which replaces the previous one.
    Document(String),
    /// A line of a log.
    Remark(Remark),
    /// Picture as PNG.
    Picture(Vec<u8>),
}

/// Polyline.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Points in World, m.
    pub points: Vec<[f32; 3]>,
    /// Colour.
    pub rgb: Rgb,
    /// Radius, m.
    pub radius_m: f32,
}

/// Point with a label.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Position in World, m.
    pub at: [f32; 3],
    /// Colour.
    pub rgb: Rgb,
    /// Radius, m.
    pub radius_m: f32,
    /// Label; may be empty.
    pub label: String,
}

impl Row {
    /// Approximate memory, bytes.
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

/// Values of one entity over time. All rows have the same type.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Entity.
    pub path: EntityPath,
    /// Times in ascending order.
    pub stamps: Vec<Stamp>,
    /// Values, one per time.
    pub rows: Vec<Row>,
}

impl Column {
    pub(crate) fn new(path: EntityPath) -> Self {
        Self {
            path,
            stamps: vec![],
            rows: vec![],
        }
    }

    /// Adds a row. Returns its approximate memory, bytes.
    pub(crate) fn push(&mut self, stamp: Stamp, row: Row) -> usize {
        let size = row.size();
        self.stamps.push(stamp);
        self.rows.push(row);
        size
    }
}

/// Static value.
#[derive(Clone, Debug, PartialEq)]
pub enum Fixture {
    /// Mesh in the frame of its entity.
    Mesh(Surface),
    /// Intrinsics of a camera.
    Camera(Intrinsics),
    /// Fixed pose in World.
    Pose(Pose),
    /// Names and colours of the signals of an entity, in the order of [`Row::Numbers`].
    Signals(Vec<(String, Rgb)>),
    /// Hides the labels of points by default.
    NoLabels,
}

/// Triangle mesh of one colour.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Vertices, m.
    pub positions: Vec<[f32; 3]>,
    /// Outward unit normals, one per vertex.
    pub normals: Vec<[f32; 3]>,
    /// Vertex indices, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Colour.
    pub rgb: Rgb,
}
