//! Inertia given in an object's file.

use nalgebra::Matrix3;

use crate::fields::{Fields, Sign};
use crate::{Inertial, SceneError};

impl Inertial {
    pub(crate) fn scaled(&self, size: f64, mass: f64) -> Self {
        let factor = mass * size * size;
        Self {
            mass_center: self.mass_center.map(|x| x * size),
            inertia: self.inertia.map(|row| row.map(|x| x * factor)),
        }
    }
}

/// Reads `inertia` and `mass_center`, which defaults to the origin.
pub(crate) fn read(object: &Fields<'_>) -> Result<Option<Inertial>, SceneError> {
    let Some(moments) = object.get("inertia") else {
        object.without(&["mass_center"], "without `inertia`")?;
        return Ok(None);
    };
    let numbers = moments.numbers(Sign::Any)?;
    let [xx, yy, zz, xy, xz, yz] = match numbers.as_slice() {
        [xx, yy, zz] => [*xx, *yy, *zz, 0.0, 0.0, 0.0],
        [xx, yy, zz, xy, xz, yz] => [*xx, *yy, *zz, *xy, *xz, *yz],
        other => {
            let got = format!("a list of {}", other.len());
            return Err(moments.not_allowed(got, "xx, yy, zz, or these and xy, xz, yz"));
        }
    };
    let rows = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let matrix = Matrix3::from_fn(|row, column| rows[row][column]);
    if matrix.symmetric_eigenvalues().min() <= 0.0 {
        return Err(moments.not_allowed(
            format!("[{xx}, {yy}, {zz}, {xy}, {xz}, {yz}]"),
            "positive about every axis (xx, yy, zz, xy, xz, yz)",
        ));
    }
    Ok(Some(Inertial {
        mass_center: object.array_or("mass_center", Sign::Coordinate, [0.0; 3])?,
        inertia: rows,
    }))
}
