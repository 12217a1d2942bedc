//! Shapes of links.

use nalgebra::Point3;
use regrasp_geometry::Shape;

/// A shape in its own frame, metres, centred on the origin unless it is a mesh.
#[derive(Debug, Clone, PartialEq)]
pub enum Geometry {
    /// A box, given by half its size along each axis.
    Box {
        /// Half the edge lengths along x, y and z.
        half_extents: [f64; 3],
    },
    /// A sphere.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A cylinder around the z axis.
    Cylinder {
        /// Its radius.
        radius: f64,
        /// Half its length along z.
        half_length: f64,
    },
    /// A cylinder around the z axis closed by two half spheres.
    Capsule {
        /// Radius of the cylinder and of the caps.
        radius: f64,
        /// Half the length of the cylindrical part: the centres of the caps are at
        /// z = ± `half_length`.
        half_length: f64,
    },
    /// A triangle mesh, already scaled as its URDF says.
    Mesh {
        /// Corner points.
        vertices: Vec<Point3<f64>>,
        /// Three indices into `vertices` each, counter-clockwise seen from outside;
        /// never empty and never out of range.
        triangles: Vec<[u32; 3]>,
    },
}

impl Geometry {
    /// What it collides as: itself, or a mesh's convex hull.
    pub fn solid(&self) -> Shape {
        match self {
            Self::Box { half_extents } => Shape::Box {
                half_extents: *half_extents,
            },
            Self::Sphere { radius } => Shape::Sphere { radius: *radius },
            Self::Cylinder {
                radius,
                half_length,
            } => Shape::Cylinder {
                radius: *radius,
                half_height: *half_length,
            },
            Self::Capsule {
                radius,
                half_length,
            } => Shape::Capsule {
                radius: *radius,
                half_height: *half_length,
            },
            Self::Mesh { vertices, .. } => Shape::Convex {
                points: vertices.iter().map(|p| p.coords.into()).collect(),
            },
        }
    }
}
