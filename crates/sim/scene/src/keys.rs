//! Keys common to many mappings: colour, mass, inertia, pose, zones, bounds.

use std::fmt::Display;
use std::path::Path;

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use regrasp_api::{Aabb, KnownZone, Pose, Shape, Upright};

use crate::fields::{Field, Fields, Sign};
use crate::source::Source;
use crate::yaml::Value;
use crate::{Inertial, Problem, Result, SceneError, formats};

#[derive(Debug, Clone, Copy)]
pub(crate) enum Mass {
    Fixed,
    Kg(f64),
    KgPerM3(f64),
}

pub(crate) fn axis(field: &Field<'_>) -> Result<Upright> {
    let word = field.text()?;
    word.parse()
        .map_err(|_| field.error(Problem::unknown_word("axis", word, Upright::WORDS)))
}

pub(crate) fn color(object: &Fields<'_>) -> Result<(Option<String>, [f32; 4])> {
    let named = object.maybe("color", |field| {
        let word = field.text()?;
        let unknown = || Problem::unknown_word("colour", word, color_names());
        color_by_name(word).ok_or_else(|| field.error(unknown()))
    })?;
    let rgba = match object.get("rgba") {
        None => named.map_or(DEFAULT_RGBA, |(_, rgba)| rgba),
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

const MASS: [&str; 2] = ["mass_kg", "density_kg_per_m3"];

pub(crate) fn mass(object: &Fields<'_>) -> Result<Mass> {
    if object.flag("fixed")? {
        no_mass_keys(object, "a fixed object")?;
        return Ok(Mass::Fixed);
    }
    let allowed = [MASS[0], MASS[1], "fixed: true"];
    given_mass(object)?.ok_or_else(|| object.none_of(&allowed))
}

/// Reads the mass of a body, `what`, that moves on a joint.
pub(crate) fn moving_mass(object: &Fields<'_>, what: impl Display) -> Result<Mass> {
    object.without(&["fixed"], format_args!("for {what}"))?;
    given_mass(object)?.ok_or_else(|| object.none_of(&MASS))
}

fn given_mass(object: &Fields<'_>) -> Result<Option<Mass>> {
    let number = |field: Field<'_>| field.number(Sign::Positive);
    Ok(match object.one_of(&MASS)? {
        Some(field) if field.key == MASS[0] => Some(Mass::Kg(number(field)?)),
        field => field.map(number).transpose()?.map(Mass::KgPerM3),
    })
}

pub(crate) fn no_mass_keys(object: &Fields<'_>, what: &str) -> Result<()> {
    object.one_of(&MASS)?;
    object.without(&MASS, format_args!("for {what}"))
}

/// Reads a pose: `position` (the origin by default) and a rotation.
pub(crate) fn posed(arm: &Fields<'_>) -> Result<Pose> {
    let position = arm.array_or("position", Sign::Coordinate, [0.0; 3])?;
    Ok(Pose::from_parts(position.into(), rotation(arm)?))
}

pub(crate) fn rotation(object: &Fields<'_>) -> Result<UnitQuaternion<f64>> {
    Ok(match object.one_of(&["yaw_rad", "quat_xyzw"])? {
        None => UnitQuaternion::identity(),
        Some(field) if field.key == "yaw_rad" => {
            UnitQuaternion::from_axis_angle(&Vector3::z_axis(), field.number(Sign::Any)?)
        }
        Some(field) => quaternion(&field)?,
    })
}

pub(crate) fn quaternion(field: &Field<'_>) -> Result<UnitQuaternion<f64>> {
    let [x, y, z, w] = field.array::<4>(Sign::Any)?;
    let quaternion = Quaternion::new(w, x, y, z);
    if (quaternion.norm() - 1.0).abs() > 1e-3 {
        let got = format!("[{x}, {y}, {z}, {w}] of length {:.4}", quaternion.norm());
        return Err(field.not_allowed(got, "a unit quaternion [x, y, z, w]"));
    }
    Ok(UnitQuaternion::from_quaternion(quaternion))
}

/// Reads named zones: `position` of the middle and `half_extents`, in the object's frame.
pub(crate) fn zones(object: &Fields<'_>) -> Result<Vec<KnownZone>> {
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
pub(crate) fn bounds(field: &Field<'_>) -> Result<Aabb> {
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
) -> Result<T> {
    let source = source.join(field.text()?);
    let value = match &source {
        Source::File(path) => read(path).map_err(|error| error.to_string()),
        Source::Builtin(_) => Err("built-in scenes cannot refer to files".to_owned()),
    };
    value.map_err(|message| field.error(Problem::bad_reference(what, &source.name(), &message)))
}

/// Reads one factor, or one for each axis.
pub(crate) fn scale(object: &Fields<'_>, along_axes: Sign) -> Result<[f64; 3]> {
    let scale = object.maybe("scale", |field| match field.node.value {
        Value::List(_) => field.array(along_axes),
        _ => Ok([field.number(Sign::Positive)?; 3]),
    })?;
    Ok(scale.unwrap_or([1.0; 3]))
}

/// Colours by name: red, green, blue in 0..1. Hues are saturated, so that a camera tells them
/// apart, and dark enough that shading stays visible.
const COLORS: [(&str, [f32; 3]); 14] = [
    ("red", [0.80, 0.12, 0.12]),
    ("green", [0.13, 0.62, 0.20]),
    ("blue", [0.12, 0.28, 0.80]),
    ("yellow", [0.92, 0.80, 0.10]),
    ("orange", [0.93, 0.50, 0.08]),
    ("purple", [0.50, 0.18, 0.62]),
    ("pink", [0.93, 0.50, 0.66]),
    ("cyan", [0.10, 0.70, 0.76]),
    ("brown", [0.45, 0.29, 0.15]),
    ("black", [0.06, 0.06, 0.06]),
    ("white", [0.94, 0.94, 0.92]),
    ("grey", [0.50, 0.50, 0.50]),
    ("beige", [0.83, 0.76, 0.63]),
    ("silver", [0.72, 0.73, 0.76]),
];

/// Default colour: light wood.
const DEFAULT_RGBA: [f32; 4] = [0.76, 0.68, 0.57, 1.0];

/// Returns the colour of a name (red, green, blue, opacity in 0..1), or light wood by default.
pub fn rgba(color: Option<&str>) -> [f32; 4] {
    let named = color.and_then(color_by_name);
    named.map_or(DEFAULT_RGBA, |(_, rgba)| rgba)
}

fn color_names() -> impl Iterator<Item = &'static str> {
    COLORS.iter().map(|(name, _)| *name)
}

/// Returns the canonical name (`gray` is `grey`) and its red, green, blue.
fn color_by_name(word: &str) -> Option<(&'static str, [f32; 4])> {
    let word = if word == "gray" { "grey" } else { word };
    let &(name, [r, g, b]) = COLORS.iter().find(|(name, _)| *name == word)?;
    Some((name, [r, g, b, 1.0]))
}

/// Returns the canonical name of a colour word, or `None` if the word is not a colour.
pub fn color_word(word: &str) -> Option<&'static str> {
    color_by_name(word).map(|(name, _)| name)
}

impl Inertial {
    pub(crate) fn scaled(&self, size: f64, mass: f64) -> Self {
        let factor = mass * size * size;
        Self {
            mass_center: self.mass_center.map(|x| x * size),
            inertia: self.inertia.map(|row| row.map(|x| x * factor)),
        }
    }
}

/// Factor by which moments of inertia may break the triangle inequality, since files round them.
const ROUNDING: f64 = 1.01;

/// Reads `inertia` and `mass_center`, which defaults to the origin, of an object of this shape.
pub(crate) fn inertia(object: &Fields<'_>, shape: &Shape) -> Result<Option<Inertial>> {
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
    let principal = matrix.symmetric_eigenvalues();
    if principal.min() <= 0.0 || 2.0 * principal.max() > principal.sum() * ROUNDING {
        return Err(moments.not_allowed(
            format!("[{xx}, {yy}, {zz}, {xy}, {xz}, {yz}]"),
            "positive about every axis, and no principal moment greater than the sum of the other \
             two (xx, yy, zz, xy, xz, yz)",
        ));
    }
    let mass_center = object.array_or("mass_center", Sign::Coordinate, [0.0; 3])?;
    let Aabb { min, max } = shape.aabb(&Pose::identity());
    let is_far = |i: usize| {
        // The centre of mass may be outside the collision shapes, which may leave out a part of the
        // body.
        let size = max[i] - min[i];
        mass_center[i] < min[i] - size || mass_center[i] > max[i] + size
    };
    if (0..3).any(is_far) {
        let allowed = format!("a point of the object, which reaches from {min:.3?} to {max:.3?} m");
        return object.refuse("mass_center", format!("{mass_center:?}"), allowed);
    }
    Ok(Some(Inertial {
        mass_center,
        inertia: rows,
    }))
}
