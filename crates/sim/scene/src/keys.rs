//! Keys common to many mappings: colour, mass, pose, zones, bounds.

use std::path::Path;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use regrasp_api::{Aabb, KnownZone, Pose, Upright};

use crate::colors;
use crate::fields::{Field, Fields, Sign};
use crate::source::Source;
use crate::yaml::Value;
use crate::{Problem, SceneError, formats};

#[derive(Debug, Clone, Copy)]
pub(crate) enum Mass {
    Fixed,
    Kg(f64),
    KgPerM3(f64),
}

pub(crate) fn axis(field: &Field<'_>) -> Result<Upright, SceneError> {
    let word = field.text()?;
    word.parse()
        .map_err(|_| field.error(Problem::unknown_word("axis", word, Upright::WORDS)))
}

pub(crate) fn color(object: &Fields<'_>) -> Result<(Option<String>, [f32; 4]), SceneError> {
    let named = object.maybe("color", |field| {
        let word = field.text()?;
        let unknown = || Problem::unknown_word("colour", word, colors::names());
        colors::by_name(word).ok_or_else(|| field.error(unknown()))
    })?;
    let rgba = match object.get("rgba") {
        None => named.map_or(colors::DEFAULT_RGBA, |(_, rgba)| rgba),
        Some(field) => {
            let rgba = field.array::<4>(Sign::NotNegative)?;
            if rgba.iter().any(|&c| c > 1.0) {
                return Err(field.not_allowed(format!("{rgba:?}"), "four numbers from 0 to 1"));
            }
            // Single precision is enough for colours.
            rgba.map(|c| c as f32)
        }
    };
    Ok((named.map(|(name, _)| name.to_owned()), rgba))
}

pub(crate) fn mass(object: &Fields<'_>) -> Result<Mass, SceneError> {
    const KEYS: [&str; 2] = ["mass_kg", "density_kg_per_m3"];
    if object.flag("fixed")? {
        no_mass_keys(object, "a fixed object")?;
        return Ok(Mass::Fixed);
    }
    match object.one_of(&KEYS)? {
        Some(field) if field.key == "mass_kg" => Ok(Mass::Kg(field.number(Sign::Positive)?)),
        Some(field) => Ok(Mass::KgPerM3(field.number(Sign::Positive)?)),
        None => Err(object.none_of(&["mass_kg", "density_kg_per_m3", "fixed: true"])),
    }
}

pub(crate) fn no_mass_keys(object: &Fields<'_>, what: &str) -> Result<(), SceneError> {
    let keys = ["mass_kg", "density_kg_per_m3"];
    object.one_of(&keys)?;
    object.without(&keys, format_args!("for {what}"))
}

/// Reads a pose: `position` (the origin by default) and a rotation.
pub(crate) fn posed(arm: &Fields<'_>) -> Result<Pose, SceneError> {
    let position = arm.array_or("position", Sign::Coordinate, [0.0; 3])?;
    Ok(Pose::from_parts(position.into(), rotation(arm)?))
}

pub(crate) fn rotation(object: &Fields<'_>) -> Result<UnitQuaternion<f64>, SceneError> {
    Ok(match object.one_of(&["yaw_rad", "quat_xyzw"])? {
        None => UnitQuaternion::identity(),
        Some(field) if field.key == "yaw_rad" => {
            UnitQuaternion::from_axis_angle(&Vector3::z_axis(), field.number(Sign::Any)?)
        }
        Some(field) => quaternion(&field)?,
    })
}

pub(crate) fn quaternion(field: &Field<'_>) -> Result<UnitQuaternion<f64>, SceneError> {
    let [x, y, z, w] = field.array::<4>(Sign::Any)?;
    let quaternion = Quaternion::new(w, x, y, z);
    if (quaternion.norm() - 1.0).abs() > 1e-3 {
        return Err(field.not_allowed(
            format!("[{x}, {y}, {z}, {w}] of length {:.4}", quaternion.norm()),
            "a unit quaternion [x, y, z, w]",
        ));
    }
    Ok(UnitQuaternion::from_quaternion(quaternion))
}

/// Reads named zones: `position` of the middle and `half_extents`, in the object's frame.
pub(crate) fn zones(object: &Fields<'_>) -> Result<Vec<KnownZone>, SceneError> {
    let zone = |entry: Field<'_>| {
        let fields = entry.fields(formats::keys("zone"))?;
        let turn = rotation(&fields)?;
        Ok(KnownZone {
            name: entry.key.to_owned(),
            position: fields.need("position")?.array(Sign::Any)?,
            half_extents: fields.need("half_extents")?.array(Sign::Positive)?,
            quat_xyzw: turn.coords.into(),
        })
    };
    let zones = object.maybe("zones", |field| field.entries()?.map(zone).collect())?;
    Ok(zones.unwrap_or_default())
}

/// Reads a box given by two corners, in the frame that the key names.
pub(crate) fn bounds(field: &Field<'_>) -> Result<Aabb, SceneError> {
    let corners = field.fields(formats::keys("bounds"))?;
    let min = corners.need("min")?.array::<3>(Sign::Coordinate)?;
    let max = corners.need("max")?.array::<3>(Sign::Coordinate)?;
    if (0..3).any(|i| min[i] >= max[i]) {
        let allowed = format!("greater than `min` on every axis, which is {min:?}");
        return corners.refuse("max", format!("{max:?}"), allowed);
    }
    Ok(Aabb { min, max })
}

pub(crate) fn bad_shape(field: &Field<'_>, what: &str, message: String) -> SceneError {
    field.error(format!("{what}: {message}"))
}

pub(crate) fn from_file<T, E: ToString>(
    field: &Field<'_>,
    source: &Source,
    what: &str,
    read: impl FnOnce(&Path) -> Result<T, E>,
) -> Result<T, SceneError> {
    let source = source.join(field.text()?);
    let value = match &source {
        Source::File(path) => read(path).map_err(|error| error.to_string()),
        Source::Builtin(_) => Err("built-in scenes cannot refer to files".to_owned()),
    };
    value.map_err(|message| field.error(Problem::bad_reference(what, &source.name(), &message)))
}

/// Reads one factor, or one for each axis.
pub(crate) fn scale(object: &Fields<'_>, along_axes: Sign) -> Result<[f64; 3], SceneError> {
    let scale = object.maybe("scale", |field| match field.node.value {
        Value::List(_) => field.array(along_axes),
        _ => Ok([field.number(Sign::Positive)?; 3]),
    })?;
    Ok(scale.unwrap_or([1.0; 3]))
}
