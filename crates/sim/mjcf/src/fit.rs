//! Primitives fitted to meshes, as MuJoCo does it.

use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use regrasp_api::Pose;

use crate::mass::of_mesh;
use crate::model::{GeomForm, MeshAsset};

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
                (
                    mass.center,
                    moments.map(|m| (1.5 * (all - 2.0 * m) / mass.kg).max(0.0).sqrt()),
                )
            }
            true => {
                let corners = mesh.surface.positions.iter();
                let own = corners.map(|p| axes.transpose() * Vector3::from(p.map(f64::from)));
                let empty = (
                    Vector3::repeat(f64::INFINITY),
                    Vector3::repeat(f64::NEG_INFINITY),
                );
                let (min, max) = own.fold(empty, |(min, max), p| (min.inf(&p), max.sup(&p)));
                (axes * (min + max) / 2.0, ((max - min) / 2.0).into())
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
