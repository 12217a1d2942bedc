//! Conversion of shapes to those of parry, so that all crates use the same geometry of an object.
//!
//! **What it does.** [`solids`] splits a [`Shape`] into parry's shapes, [`whole`] joins them again.
//! Scene checks, path planning and contact simulation all use the result.
//!
//! **What it does not do.** Overlap, distance and contact are parry's own functions. A mesh is
//! split into convex parts where files are read.
//!
//! # Invariants
//!
//! - The simulated shape ([`Use::Contacts`]) never exceeds the planned one ([`Use::Queries`]). They
//!   differ in flat cylinders, by at most 0.9 % of the radius, and in height fields, which are
//!   surfaces for contacts and solid for queries.
//! - No shape causes a panic.

mod convert;
mod flaw;
mod hull;
mod terrain;

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::{Rotation3, UnitQuaternion, Vector3};
use parry3d_f64::shape::SharedShape;
use parry3d_f64::utils::Array2;
use regrasp_geometry::{HeightField, Pose, Shape};

pub use convert::{from_parry, from_vector, to_parry, to_rotation, to_vector};
pub use flaw::Flaw;
pub use hull::{face_planes, polyhedron};

/// Shape of parry's with its pose.
#[derive(Clone)]
pub struct Solid {
    /// Pose in the requested frame.
    pub frame_from_solid: Pose,
    /// Shape; convex except for height fields and point clouds.
    pub shape: SharedShape,
}

/// Use of parry's shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Queries of distance and overlap: exact.
    Queries,
    /// Contacts that a simulator resolves: an object at rest on them stays at rest.
    Contacts,
}

/// Ratio of half height to radius below which a cylinder is simulated as a disc of boxes.
const DISC_BELOW: f64 = 0.5;
/// Number of boxes that make up a disc; its rim has four times as many corners.
const DISC_BOXES: usize = 6;

/// Returns the solids that make up `shape`, in a frame in which its pose is `frame_from_shape`.
///
/// # Errors
///
/// [`Flaw`] if the shape has no parts, an invalid length, or invalid points or heights.
pub fn solids(shape: &Shape, frame_from_shape: &Pose, of: Use) -> Result<Vec<Solid>, Flaw> {
    let mut all = Vec::new();
    collect(shape, frame_from_shape, of, &mut all)?;
    match all.is_empty() {
        true => Err(Flaw::Empty),
        false => Ok(all),
    }
}

/// Converts a shape to a single one of parry's, in its own frame, for queries.
///
/// # Errors
///
/// As for [`solids`].
pub fn whole(shape: &Shape) -> Result<SharedShape, Flaw> {
    let mut all = solids(shape, &Pose::identity(), Use::Queries)?;
    if let [one] = &all[..]
        && one.frame_from_solid == Pose::identity()
    {
        return Ok(all.remove(0).shape);
    }
    let mut parts = Vec::with_capacity(all.len());
    for solid in all {
        let pose = to_parry(&solid.frame_from_solid);
        // Parry rejects compounds inside compounds.
        match solid.shape.as_compound() {
            Some(inner) => parts.extend(inner.shapes().iter().map(|(p, s)| (pose * *p, s.clone()))),
            None => parts.push((pose, solid.shape)),
        }
    }
    Ok(SharedShape::compound(parts))
}

fn collect(shape: &Shape, at: &Pose, of: Use, out: &mut Vec<Solid>) -> Result<(), Flaw> {
    let (frame_from_solid, shape) = match shape {
        Shape::Compound { parts } => {
            return parts
                .iter()
                .try_for_each(|part| collect(&part.shape, &(at * part.object_from_part), of, out));
        }
        Shape::Box { half_extents: h } => {
            lengths(h, of)?;
            (*at, SharedShape::cuboid(h[0], h[1], h[2]))
        }
        Shape::Sphere { radius } => {
            lengths(&[*radius], of)?;
            (*at, SharedShape::ball(*radius))
        }
        Shape::Cylinder(rod) => {
            lengths(&[rod.radius, rod.half_height], of)?;
            if of == Use::Contacts && rod.half_height < DISC_BELOW * rod.radius {
                out.extend(disc(at, rod.radius, rod.half_height));
                return Ok(());
            }
            // Parry's cylinders stand along y, ours along z.
            let z_from_y = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
            let solid = SharedShape::cylinder(rod.half_height, rod.radius);
            (at * z_from_y, solid)
        }
        Shape::Capsule(rod) => {
            lengths(&[rod.radius, rod.half_height], of)?;
            (*at, SharedShape::capsule_z(rod.half_height, rod.radius))
        }
        Shape::Convex { points } => {
            let hull = polyhedron(points).ok_or(Flaw::Flat(points.len()))?;
            (*at, SharedShape::new(hull))
        }
        Shape::HeightField(field) => match of {
            Use::Queries => (*at, terrain::terrain(field)?),
            Use::Contacts => surface(at, field)?,
        },
        Shape::PointCloud { points, radius } => {
            lengths(&[*radius], of)?;
            (*at, cloud(points, *radius)?)
        }
    };
    out.push(Solid {
        frame_from_solid,
        shape,
    });
    Ok(())
}

/// Checks lengths. Contacts need positive ones; for queries a flat solid can still be an obstacle.
fn lengths(sizes: &[f64], of: Use) -> Result<(), Flaw> {
    let least = match of {
        Use::Queries => 0.0,
        Use::Contacts => f64::MIN_POSITIVE,
    };
    let wrong = sizes.iter().find(|s| !(s.is_finite() && **s >= least));
    wrong.map_or(Ok(()), |size| Err(Flaw::BadLength(*size)))
}

/// Disc made of boxes whose corners lie on the rim, rotated against each other.
///
/// Parry treats a cylinder's flat end as a square that it turns towards the deepest contact. Under
/// an object that stands flat on it, this direction is arbitrary: contact points jump from step to
/// step, and the object never comes to rest. (Parry uses only four neighbouring corners of a face
/// with more, so a prism is worse.)
fn disc(at: &Pose, radius: f64, half_height: f64) -> impl Iterator<Item = Solid> {
    let turn = PI / DISC_BOXES as f64;
    let (sin, cos) = (0.5 * turn).sin_cos();
    (0..DISC_BOXES).map(move |i| Solid {
        frame_from_solid: at * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn * i as f64),
        shape: SharedShape::cuboid(radius * cos, radius * sin, half_height),
    })
}

/// Surface of a height field. Parry's height fields lie in the plane of x and z, with y up, and
/// their rows follow z. So parry's z, x and y are our x, y and z.
fn surface(at: &Pose, field: &HeightField) -> Result<(Pose, SharedShape), Flaw> {
    if let Some(flaw) = field.flaw() {
        return Err(Flaw::HeightField(flaw));
    }
    let [nx, ny] = field.n_places();
    let by_columns = (0..ny).flat_map(|j| field.heights.iter().map(move |row| row[j]));
    let heights = Array2::new(nx, ny, by_columns.collect());
    let scale = Vector3::new(field.size[1], 1.0, field.size[0]);
    let turn = Rotation3::from_basis_unchecked(&[Vector3::y(), Vector3::z(), Vector3::x()]);
    let z_up_from_y_up = UnitQuaternion::from_rotation_matrix(&turn);
    let field = SharedShape::heightfield(heights, to_vector(&scale));
    Ok((at * z_up_from_y_up, field))
}

/// Balls around points as a single compound, whose bounding volume tree makes queries fast.
fn cloud(points: &[[f64; 3]], radius: f64) -> Result<SharedShape, Flaw> {
    if points.is_empty() || points.iter().flatten().any(|x| !x.is_finite()) {
        return Err(Flaw::BadPoints);
    }
    let ball = SharedShape::ball(radius);
    let at = |p: &[f64; 3]| to_parry(&Pose::translation(p[0], p[1], p[2]));
    let balls = points.iter().map(|p| (at(p), ball.clone()));
    Ok(SharedShape::compound(balls.collect()))
}

#[cfg(test)]
mod tests {
    use regrasp_geometry::Part;

    use super::*;

    const AT_ORIGIN: fn(&Shape, Use) -> Vec<Solid> =
        |shape, of| solids(shape, &Pose::identity(), of).unwrap();

    #[test]
    fn contacts_stay_inside_of_what_is_planned_with() {
        let plate = Shape::cylinder(0.1, 0.01);
        let boxes = AT_ORIGIN(&plate, Use::Contacts);
        let corners = |s: &Solid| {
            let h = s.shape.as_cuboid().unwrap().half_extents;
            let corner = s.frame_from_solid * nalgebra::Point3::new(h.x, h.y, h.z);
            corner.coords.xy().norm()
        };
        assert_eq!(boxes.len(), DISC_BOXES);
        assert!(boxes.iter().all(|s| (corners(s) - 0.1).abs() < 1e-12));
        // The disc is narrowest between two corners of the rim.
        let thinnest = (PI / (4 * DISC_BOXES) as f64).cos();
        assert!(1.0 - thinnest < 0.009, "{thinnest} of the radius is left");
        assert_eq!(AT_ORIGIN(&plate, Use::Queries).len(), 1);
    }

    #[test]
    fn parts_in_parts_become_one_flat_compound() {
        let cloud = Shape::PointCloud {
            points: vec![[0.0; 3], [0.1, 0.0, 0.0]],
            radius: 0.01,
        };
        let placed = |shape, x| Part::new(Pose::translation(x, 0.0, 0.0), shape);
        let pair = Shape::compound([
            placed(cloud, 1.0),
            placed(Shape::Sphere { radius: 0.2 }, 2.0),
        ]);
        let nested = Shape::compound([placed(pair, 10.0)]);
        let shape = whole(&nested).unwrap();
        let parts = shape.as_compound().unwrap().shapes();
        let at: Vec<f64> = parts.iter().map(|(pose, _)| pose.translation.x).collect();
        assert_eq!(at, [11.0, 11.1, 12.0]);
    }

    #[test]
    fn what_is_no_solid_is_told_apart() {
        let flaw = |shape: &Shape| {
            solids(shape, &Pose::identity(), Use::Contacts)
                .err()
                .unwrap()
        };
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| [x, y, 0.1]);
        let square = Shape::Convex {
            points: square.to_vec(),
        };
        assert_eq!(flaw(&square), Flaw::Flat(4));
        let sheet = Shape::cuboid([0.1, 0.1, 0.0]);
        assert_eq!(flaw(&sheet), Flaw::BadLength(0.0));
        assert!(whole(&sheet).is_ok(), "a flat solid is still an obstacle");
        let ball = Shape::Sphere { radius: f64::NAN };
        assert!(matches!(whole(&ball).err().unwrap(), Flaw::BadLength(_)));
        assert_eq!(flaw(&Shape::Compound { parts: vec![] }), Flaw::Empty);
    }
}
