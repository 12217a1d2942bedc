//! Shapes of links.

use nalgebra::Point3;

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
