//! Poses: the five notations of MJCF for rotations, and frames.

use nalgebra::{Matrix3, Quaternion, Rotation3, Unit, UnitQuaternion, Vector3};
use regrasp_api::Pose;

use crate::MjcfError;
use crate::values::Values;

/// Settings for angles in a model.
#[derive(Clone, Debug)]
pub(crate) struct Angles {
    pub(crate) unit_rad: f64,
    /// Axes of `euler`: lower case for intrinsic rotations, upper case for extrinsic ones.
    pub(crate) sequence: String,
}

impl Default for Angles {
    fn default() -> Self {
        Self {
            unit_rad: std::f64::consts::PI / 180.0,
            sequence: "xyz".to_owned(),
        }
    }
}

/// Reads `pos` and a rotation.
pub(crate) fn pose(values: &Values<'_>, angles: &Angles) -> Result<Pose, MjcfError> {
    let position = values.array::<3>("pos")?.unwrap_or_default();
    Ok(Pose::from_parts(position.into(), turn(values, angles)?))
}

/// Reads at most one of `quat`, `axisangle`, `euler`, `xyaxes`, `zaxis`; an element's own replaces
/// its class's.
fn turn(values: &Values<'_>, angles: &Angles) -> Result<UnitQuaternion<f64>, MjcfError> {
    const KEYS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];
    let attribute = match values.nearest(&KEYS).as_slice() {
        [] => return Ok(UnitQuaternion::identity()),
        [one] => *one,
        [_, second, ..] => {
            let allowed = format!("left out: only one of {} may be given", KEYS.join(", "));
            return Err(values.bad(second, &allowed));
        }
    };
    let no_way = || values.bad(attribute, "longer than 0");
    let unit = |v: Vector3<f64>| Unit::try_new(v, 1e-9).ok_or_else(no_way);
    let name = attribute.name.as_str();
    Ok(match name {
        "quat" => {
            let [w, x, y, z] = values.array(name)?.unwrap_or_default();
            let quaternion = Quaternion::new(w, x, y, z);
            UnitQuaternion::try_new(quaternion, 1e-9).ok_or_else(no_way)?
        }
        "axisangle" => {
            let [x, y, z, angle] = values.array(name)?.unwrap_or_default();
            UnitQuaternion::from_axis_angle(&unit(Vector3::new(x, y, z))?, angle * angles.unit_rad)
        }
        "euler" => euler(values.array(name)?.unwrap_or_default(), angles),
        "xyaxes" => {
            let [x0, x1, x2, y0, y1, y2] = values.array(name)?.unwrap_or_default();
            let x = unit(Vector3::new(x0, x1, x2))?;
            let y = Vector3::new(y0, y1, y2);
            let y = unit(y - x.into_inner() * x.dot(&y))?;
            let axes = Matrix3::from_columns(&[x.into_inner(), y.into_inner(), x.cross(&y)]);
            UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes))
        }
        _ => along(&unit(values.array::<3>(name)?.unwrap_or_default().into())?),
    })
}

pub(crate) fn euler(turns: [f64; 3], angles: &Angles) -> UnitQuaternion<f64> {
    let mut whole = UnitQuaternion::identity();
    for (axis, turn) in angles.sequence.chars().zip(turns) {
        let about = match axis.to_ascii_lowercase() {
            'x' => Vector3::x_axis(),
            'y' => Vector3::y_axis(),
            _ => Vector3::z_axis(),
        };
        let turn = UnitQuaternion::from_axis_angle(&about, turn * angles.unit_rad);
        whole = match axis.is_ascii_lowercase() {
            true => whole * turn,
            false => turn * whole,
        };
    }
    whole
}

/// Shortest rotation from z to a direction.
pub(crate) fn along(direction: &Unit<Vector3<f64>>) -> UnitQuaternion<f64> {
    UnitQuaternion::rotation_between_axis(&Vector3::z_axis(), direction)
        // Straight down.
        .unwrap_or_else(|| {
            UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI)
        })
}
