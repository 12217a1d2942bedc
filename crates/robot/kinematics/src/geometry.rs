//! Shapes of links.

use nalgebra::Point3;
use regrasp_geometry::Shape;

/// A shape in its own frame, metres.
#[derive(Debug, Clone, PartialEq)]
pub enum Geometry {
    /// A box, sphere, cylinder or capsule.
    Solid(Shape),
    /// A triangle mesh, already scaled as its URDF says.
    Mesh {
        /// Corner points.
        vertices: Vec<Point3<f64>>,
        /// Three indices into `vertices` each, counter-clockwise seen from outside; never empty and
        /// never out of range.
        triangles: Vec<[u32; 3]>,
    },
}

impl Geometry {
    /// Collision shape: the solid itself, or a mesh's convex hull.
    pub fn solid(&self) -> Shape {
        match self {
            Self::Solid(shape) => shape.clone(),
            Self::Mesh { vertices, .. } => Shape::Convex {
                points: vertices.iter().map(|p| p.coords.into()).collect(),
            },
        }
    }
}
