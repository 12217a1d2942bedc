//! Mass, centre of mass and inertia of geoms and bodies, and primitives fitted to meshes by them.

use std::f64::consts::PI;

use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use regrasp_api::{Aabb, Pose, Shape};
use regrasp_scene::Inertial;

use crate::model::{Geom, GeomForm, Mass, MeshAsset, MeshInertia};

impl Mass {
    /// Mass distribution of a geom in the frame of its body; zero for a geom without volume.
    pub(crate) fn of_geom(geom: &Geom) -> Self {
        let solid = match &geom.form {
            form if geom.is_shell && !matches!(form, GeomForm::Mesh(_)) => shell(form),
            GeomForm::Plane { .. } => return Self::default(),
            GeomForm::Solid(shape) => solid(shape),
            GeomForm::Ellipsoid { radii } => ellipsoid(*radii),
            GeomForm::Mesh(mesh) => of_mesh(mesh),
        };
        // `solid` has a density of 1.
        let factor = match geom.mass_kg {
            Some(mass) if solid.kg > 0.0 => mass / solid.kg,
            Some(_) => 0.0,
            None => geom.density,
        };
        let scaled = Self {
            kg: solid.kg * factor,
            center: solid.center,
            moments: solid.moments * factor,
        };
        scaled.seen_from(&geom.body_from_geom)
    }

    /// Returns the mass distribution in another frame.
    pub(crate) fn seen_from(&self, other_from_this: &Pose) -> Self {
        let turn = other_from_this.rotation.to_rotation_matrix();
        Self {
            kg: self.kg,
            center: (other_from_this * nalgebra::Point3::from(self.center)).coords,
            moments: turn.matrix() * self.moments * turn.matrix().transpose(),
        }
    }

    pub(crate) fn and(&self, other: &Self) -> Self {
        let kg = self.kg + other.kg;
        if kg <= 0.0 {
            return *self;
        }
        let center = (self.center * self.kg + other.center * other.kg) / kg;
        let about = |m: &Self| {
            let d = m.center - center;
            m.moments + (Matrix3::identity() * d.norm_squared() - d * d.transpose()) * m.kg
        };
        Self {
            kg,
            center,
            moments: about(self) + about(other),
        }
    }

    /// Returns the inertia for a scene; `None` without moments, as for a point.
    pub(crate) fn inertia(&self) -> Option<Inertial> {
        let m = &self.moments;
        let least = m.symmetric_eigenvalues().min();
        let is_solid = least.is_finite() && least > 0.0;
        is_solid.then(|| Inertial {
            mass_center: self.center.into(),
            inertia: [0, 1, 2].map(|row| {
                // The matrix is symmetric only up to rounding.
                [0, 1, 2].map(|column| 0.5 * (m[(row, column)] + m[(column, row)]))
            }),
        })
    }
}

fn diagonal(kg: f64, moments: [f64; 3]) -> Mass {
    Mass {
        kg,
        center: Vector3::zeros(),
        moments: Matrix3::from_diagonal(&(Vector3::from(moments) * kg)),
    }
}

fn ellipsoid([a, b, c]: [f64; 3]) -> Mass {
    let [a2, b2, c2] = [a * a, b * b, c * c];
    let moments = [b2 + c2, a2 + c2, a2 + b2].map(|m| m / 5.0);
    diagonal(4.0 / 3.0 * PI * a * b * c, moments)
}

fn cuboid([x, y, z]: [f64; 3]) -> Mass {
    let [x2, y2, z2] = [x * x, y * y, z * z];
    let moments = [y2 + z2, x2 + z2, x2 + y2].map(|m| m / 3.0);
    diagonal(8.0 * x * y * z, moments)
}

fn cylinder(radius: f64, half_height: f64) -> Mass {
    let (r2, h2) = (radius * radius, half_height * half_height);
    let across = 0.25 * r2 + h2 / 3.0;
    diagonal(2.0 * PI * r2 * half_height, [across, across, 0.5 * r2])
}

fn capsule(radius: f64, half_height: f64) -> Mass {
    let tube = cylinder(radius, half_height);
    let ball = ellipsoid([radius; 3]);
    let half_ball = 0.5 * ball.kg;
    // The centre of a solid hemisphere is 3/8 of its radius from its flat side.
    let off = 0.375 * radius;
    let about_own = 0.4 * radius * radius - off * off;
    let across = about_own + (half_height + off).powi(2);
    let ends = diagonal(2.0 * half_ball, [across, across, 0.4 * radius * radius]);
    tube.and(&ends)
}

/// Mass distribution of a primitive at density 1.
fn solid(shape: &Shape) -> Mass {
    match *shape {
        Shape::Sphere { radius } => ellipsoid([radius; 3]),
        Shape::Box { half_extents } => cuboid(half_extents),
        Shape::Cylinder(rod) => cylinder(rod.radius, rod.half_height),
        Shape::Capsule(rod) => capsule(rod.radius, rod.half_height),
        _ => Mass::default(),
    }
}

/// Mass distribution of a primitive's surface at surface density 1, centred at the origin.
fn shell(form: &GeomForm) -> Mass {
    match form {
        GeomForm::Solid(Shape::Sphere { radius }) => {
            let r2 = radius * radius;
            diagonal(4.0 * PI * r2, [2.0 / 3.0 * r2; 3])
        }
        GeomForm::Solid(Shape::Box {
            half_extents: [x, y, z],
        }) => {
            let face = |area: f64, [x2, y2, z2]: [f64; 3]| {
                diagonal(8.0 * area, [y2 + z2, x2 + z2, x2 + y2])
            };
            let [x2, y2, z2] = [x * x, y * y, z * z];
            let [x3, y3, z3] = [x2 / 3.0, y2 / 3.0, z2 / 3.0];
            let sides = face(y * z, [x2, y3, z3]).and(&face(x * z, [x3, y2, z3]));
            sides.and(&face(x * y, [x3, y3, z2]))
        }
        GeomForm::Solid(Shape::Cylinder(rod)) => {
            let (radius, half_height) = (rod.radius, rod.half_height);
            let [r2, h2] = [radius * radius, half_height * half_height];
            let side = [0.5 * r2 + h2 / 3.0, 0.5 * r2 + h2 / 3.0, r2];
            let ends = [0.25 * r2 + h2, 0.25 * r2 + h2, 0.5 * r2];
            diagonal(4.0 * PI * radius * half_height, side).and(&diagonal(2.0 * PI * r2, ends))
        }
        GeomForm::Solid(Shape::Capsule(rod)) => {
            let (radius, half_height) = (rod.radius, rod.half_height);
            let [r2, h2] = [radius * radius, half_height * half_height];
            let side = [0.5 * r2 + h2 / 3.0, 0.5 * r2 + h2 / 3.0, r2];
            // The centre of a hollow hemisphere is half its radius from its flat side.
            let across = 5.0 / 12.0 * r2 + (half_height + 0.5 * radius).powi(2);
            let ends = [across, across, 2.0 / 3.0 * r2];
            diagonal(4.0 * PI * radius * half_height, side).and(&diagonal(4.0 * PI * r2, ends))
        }
        GeomForm::Ellipsoid { radii: [a, b, c] } => {
            // Thomsen's approximation of the area; the moments of a thin layer around it.
            let power = 1.6075;
            let mean = [a * b, a * c, b * c]
                .map(|x| x.powf(power))
                .iter()
                .sum::<f64>()
                / 3.0;
            let grows = a * b * c / (a * b + a * c + b * c);
            let about = |p: f64, q: f64| (p * p + q * q + 2.0 * grows * (p + q)) / 5.0;
            let moments = [about(*b, *c), about(*a, *c), about(*a, *b)];
            diagonal(4.0 * PI * mean.powf(1.0 / power), moments)
        }
        _ => Mass::default(),
    }
}

/// Mass distribution of a mesh at density 1: inside it or on its faces, as `mesh.inertia` says.
pub(crate) fn of_mesh(mesh: &MeshAsset) -> Mass {
    let positions = mesh.surface.positions.iter();
    let corners: Vec<[f64; 3]> = positions.map(|p| p.map(f64::from)).collect();
    match mesh.inertia {
        MeshInertia::Convex => {
            let hull = regrasp_mesh::hull_mesh(&corners);
            of_triangles(&hull.vertices, &hull.triangles, MeshInertia::Legacy)
        }
        how => of_triangles(&corners, &mesh.surface.triangles, how),
    }
}

fn of_triangles(corners: &[[f64; 3]], triangles: &[[u32; 3]], how: MeshInertia) -> Mass {
    let at = |i: u32| Vector3::from(corners[i as usize]);
    let area = |[a, b, c]: [Vector3<f64>; 3]| 0.5 * (b - a).cross(&(c - a)).norm();
    let faces = || triangles.iter().map(|triangle| triangle.map(at));
    let whole: f64 = faces().map(area).sum();
    if whole <= 0.0 {
        return Mass::default();
    }
    let middle = faces()
        .map(|[a, b, c]| (a + b + c) * (area([a, b, c]) / 3.0))
        .sum::<Vector3<f64>>()
        / whole;
    // Sums, over the faces or over the pyramids between the faces and an apex, of the areas or
    // volumes and of their first and second moments.
    let sums = |apex: Vector3<f64>| {
        let (mut amount, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
        for face in faces() {
            let [a, b, c] = face.map(|corner| corner - apex);
            let pyramid = a.dot(&b.cross(&c)) / 6.0;
            let (measure, of_first, of_second) = match how {
                MeshInertia::Shell => (area(face), 3.0, 12.0),
                MeshInertia::Exact => (pyramid, 4.0, 20.0),
                MeshInertia::Legacy | MeshInertia::Convex => (pyramid.abs(), 4.0, 20.0),
            };
            let s = a + b + c;
            amount += measure;
            first += s * (measure / of_first);
            let squares = a * a.transpose() + b * b.transpose() + c * c.transpose();
            second += (squares + s * s.transpose()) * (measure / of_second);
        }
        (amount, first, second)
    };
    let (amount, first, _) = sums(middle);
    if amount <= 0.0 {
        return Mass::default();
    }
    // Like MuJoCo, sum again about the centre of mass: this changes the result of the legacy mode,
    // which counts every pyramid as positive.
    let center = middle + first / amount;
    let (kg, _, spread) = sums(center);
    Mass {
        kg,
        center,
        moments: Matrix3::identity() * spread.trace() - spread,
    }
}

pub(crate) struct Fitted {
    pub(crate) form: GeomForm,
    pub(crate) mesh_from_solid: Pose,
}

impl Fitted {
    /// Fits a primitive to the box with a mesh's moments of inertia or, on request, to the mesh's
    /// bounding box along the principal axes; `None` for an unknown kind.
    pub(crate) fn to(mesh: &MeshAsset, kind: &str, to_bounds: bool, scale: f64) -> Option<Self> {
        let mass = of_mesh(mesh);
        let eigen = mass.moments.symmetric_eigen();
        let mut order = [0, 1, 2];
        order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
        let [x, y, _] = order.map(|i| eigen.eigenvectors.column(i).into_owned());
        let axes = Matrix3::from_columns(&[x, y, x.cross(&y)]);
        let turn = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
        let (center, [x, y, z]) = match to_bounds {
            false => {
                let moments = order.map(|i| eigen.eigenvalues[i]);
                let all: f64 = moments.iter().sum();
                let half = moments.map(|m| (1.5 * (all - 2.0 * m) / mass.kg).max(0.0).sqrt());
                (mass.center, half)
            }
            true => {
                let corners = mesh.surface.positions.iter();
                let own = corners.map(|p| axes.transpose() * Vector3::from(p.map(f64::from)));
                let bounds = Aabb::around(own.map(Into::into));
                (axes * bounds.center().coords, (bounds.size() / 2.0).into())
            }
        };
        let size = match (kind, to_bounds) {
            ("sphere", false) => [(x + y + z) / 3.0, 0.0, 0.0],
            ("sphere", true) => [x.max(y).max(z), 0.0, 0.0],
            ("capsule", false) => [(x + y) / 2.0, (z - (x + y) / 4.0).max(0.0), 0.0],
            ("capsule", true) => [x.max(y), (z - x.max(y)).max(0.0), 0.0],
            ("cylinder", false) => [(x + y) / 2.0, z, 0.0],
            ("cylinder", true) => [x.max(y), z, 0.0],
            ("box" | "ellipsoid", _) => [x, y, z],
            _ => return None,
        };
        Some(Self {
            form: GeomForm::of(kind, size.map(|s| scale * s))?,
            mesh_from_solid: Pose::from_parts(center.into(), turn),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meshes_of_simple_solids_weigh_what_the_solids_do() {
        let (radius, half_height) = (0.3, 0.5);
        let half_extents = [0.1, 0.2, 0.3];
        let solids = [
            Shape::Box { half_extents },
            Shape::cylinder(radius, half_height),
            Shape::capsule(radius, half_height),
        ];
        let solids = solids.map(|s| (solid(&s), regrasp_mesh::primitive(&s).unwrap_or_default()));
        let stretched = regrasp_mesh::ellipsoid(half_extents);
        let solids = solids.into_iter();
        let cases = solids.chain([(ellipsoid(half_extents), stretched)]);
        for (i, (exact, surface)) in cases.enumerate() {
            let corners: Vec<_> = surface.positions.iter().map(|p| p.map(f64::from)).collect();
            let mesh = of_triangles(&corners, &surface.triangles, MeshInertia::Legacy);
            assert!((mesh.kg / exact.kg - 1.0).abs() < 0.02, "solid {i}");
            let off = (mesh.moments - exact.moments).norm() / exact.moments.norm();
            assert!(off < 0.03, "solid {i}: {off}");
        }
    }

    #[test]
    fn two_masses_are_one_about_their_common_centre() {
        let point = |x: f64| Mass {
            kg: 2.0,
            center: Vector3::new(x, 0.0, 0.0),
            moments: Matrix3::zeros(),
        };
        let both = point(-0.5).and(&point(1.5));
        assert_eq!((both.kg, both.center.x), (4.0, 0.5));
        assert_eq!(both.moments[(1, 1)], 4.0);
        assert_eq!(both.inertia(), None, "a line has no inertia about itself");
    }
}
