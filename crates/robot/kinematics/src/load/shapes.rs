//! Collision shapes and visuals of a link.

use regrasp_geometry::Shape;
use urdf_rs::Material;

use super::{elements::pose, mesh::MeshReader};
use crate::{Collision, Geometry, Visual};

/// Tolerance of the alignment of a capsule's parts, m.
const CAPSULE_TOL_M: f64 = 1e-6;

pub(super) fn read_collisions(
    link: &urdf_rs::Link,
    meshes: &MeshReader<'_>,
) -> Result<Vec<Collision>, String> {
    let collisions = link.collision.iter().enumerate().map(|(i, collision)| {
        let element = format!("collision {i} of link `{}`", link.name);
        Ok(Collision {
            link_from_geometry: pose(&element, &collision.origin)?,
            geometry: read_geometry(&element, &collision.geometry, meshes)?,
        })
    });
    let mut collisions = collisions.collect::<Result<_, String>>()?;
    merge_capsules(&mut collisions);
    Ok(collisions)
}

/// Reads the visuals of a link. If a material has no colour, it is looked up by name among the
/// robot's materials.
pub(super) fn read_visuals(
    link: &urdf_rs::Link,
    materials: &[Material],
    meshes: &MeshReader<'_>,
) -> Result<Vec<Visual>, String> {
    let visuals = link.visual.iter().enumerate().map(|(i, visual)| {
        let element = format!("visual {i} of link `{}`", link.name);
        Ok(Visual {
            link_from_geometry: pose(&element, &visual.origin)?,
            geometry: read_geometry(&element, &visual.geometry, meshes)?,
            rgba: visual.material.as_ref().and_then(|m| rgba_of(m, materials)),
        })
    });
    visuals.collect()
}

fn rgba_of(material: &Material, materials: &[Material]) -> Option<[f64; 4]> {
    let mut named = materials.iter().filter(|m| m.name == material.name);
    let named = || named.next()?.color.as_ref();
    let color = material.color.as_ref().or_else(named);
    color.map(|color| *color.rgba)
}

fn read_geometry(
    element: &str,
    geometry: &urdf_rs::Geometry,
    meshes: &MeshReader<'_>,
) -> Result<Geometry, String> {
    let positive = |quantity, value: f64| {
        if value.is_finite() && value > 0.0 {
            return Ok(value);
        }
        Err(format!(
            "{element} has a {quantity} of {value}, which must be finite and positive"
        ))
    };
    let half = |quantity, value: f64| Ok::<_, String>(positive(quantity, value)? / 2.0);
    Ok(Geometry::Solid(match geometry {
        urdf_rs::Geometry::Box { size } => {
            let [x, y, z] = size.map(|edge| half("box size", edge));
            Shape::cuboid([x?, y?, z?])
        }
        urdf_rs::Geometry::Sphere { radius } => Shape::Sphere {
            radius: positive("radius", *radius)?,
        },
        urdf_rs::Geometry::Cylinder { radius, length } => {
            Shape::cylinder(positive("radius", *radius)?, half("length", *length)?)
        }
        urdf_rs::Geometry::Capsule { radius, length } => {
            Shape::capsule(positive("radius", *radius)?, half("length", *length)?)
        }
        urdf_rs::Geometry::Mesh { filename, scale } => {
            let scale = scale.map_or([1.0; 3], |scale| *scale);
            // A negative scale is valid: it mirrors the mesh.
            if let Some(&value) = scale.iter().find(|s| !s.is_finite() || **s == 0.0) {
                return Err(format!(
                    "{element} has a mesh scale of {value}, which must be finite and not zero"
                ));
            }
            let mesh = meshes.read(filename, scale);
            return mesh
                .map_err(|problem| format!("{element} has the mesh `{filename}`, {problem}"));
        }
    }))
}

/// Merges each cylinder with the spheres of the same radius at its ends into one capsule, which is
/// the same body. URDF 1.0 has no capsules, and collision checks of one shape are cheaper than of
/// three.
fn merge_capsules(collisions: &mut Vec<Collision>) {
    let mut i = 0;
    while i < collisions.len() {
        if let Some((capsule, caps)) = capsule_at(collisions, i) {
            collisions[i].geometry = capsule;
            let mut k = 0;
            collisions.retain(|_| {
                k += 1;
                !caps.contains(&(k - 1))
            });
            i -= caps.iter().filter(|&&cap| cap < i).count();
        }
        i += 1;
    }
}

/// The capsule that the shape at `i` forms with two spheres, and the indices of the spheres.
fn capsule_at(collisions: &[Collision], i: usize) -> Option<(Geometry, [usize; 2])> {
    let Geometry::Solid(Shape::Cylinder(rod)) = collisions[i].geometry else {
        return None;
    };
    let cap_at = |z: f64, other: Option<usize>| {
        let end_in_link = collisions[i].link_from_geometry * nalgebra::Point3::new(0.0, 0.0, z);
        collisions.iter().enumerate().position(|(k, collision)| {
            let centre = collision.link_from_geometry.translation.vector;
            Some(k) != other
                && matches!(collision.geometry, Geometry::Solid(Shape::Sphere { radius: r }) if (r - rod.radius).abs() < CAPSULE_TOL_M)
                && (centre - end_in_link.coords).norm() < CAPSULE_TOL_M
        })
    };
    let top = cap_at(rod.half_height, None)?;
    let bottom = cap_at(-rod.half_height, Some(top))?;
    Some((Geometry::Solid(Shape::Capsule(rod)), [top, bottom]))
}
