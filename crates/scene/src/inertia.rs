//! Where the mass of an object is, if its file says so.

use nalgebra::Matrix3;
use serde::{Deserialize, Serialize};

use crate::SceneError;
use crate::fields::{Fields, Sign};

/// Where the mass of an object is, in the object's frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inertia {
    /// Centre of mass, m.
    pub mass_center: [f64; 3],
    /// Moments of inertia about the centre of mass, kg m²: the rows of a symmetric matrix.
    pub inertia_kg_m2: [[f64; 3]; 3],
}

impl Inertia {
    /// The same for lengths and a mass times these factors.
    pub(crate) fn scaled(&self, size: f64, mass: f64) -> Self {
        let factor = mass * size * size;
        Self {
            mass_center: self.mass_center.map(|x| x * size),
            inertia_kg_m2: self.inertia_kg_m2.map(|row| row.map(|x| x * factor)),
        }
    }
}

/// Reads `mass_center` and `inertia_kg_m2`, which go together and with `mass_kg`.
pub(crate) fn read(object: &Fields<'_>) -> Result<Option<Inertia>, SceneError> {
    let fields = ["mass_center", "inertia_kg_m2"].map(|key| object.get(key));
    let (center, moments) = match fields {
        [None, None] => return Ok(None),
        [Some(center), Some(moments)] => (center, moments),
        _ => return Err(object.none_of(&["mass_center and inertia_kg_m2", "neither of them"])),
    };
    if object.get("mass_kg").is_none() {
        return Err(object.none_of(&["mass_kg, which inertia_kg_m2 goes with"]));
    }
    let [xx, yy, zz, xy, xz, yz] = moments.array::<6>(Sign::Any)?;
    let rows = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let matrix = Matrix3::from_fn(|row, column| rows[row][column]);
    if matrix.symmetric_eigenvalues().min() <= 0.0 {
        return Err(moments.not_allowed(
            format!("[{xx}, {yy}, {zz}, {xy}, {xz}, {yz}]"),
            "xx, yy, zz, xy, xz, yz of a solid: positive about every axis",
        ));
    }
    Ok(Some(Inertia {
        mass_center: center.array(Sign::Coordinate)?,
        inertia_kg_m2: rows,
    }))
}
