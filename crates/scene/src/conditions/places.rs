//! Reads the conditions on where objects are.

use nalgebra::Vector3;
use regrasp_api::{PortKind, Upright};

use super::{Context, object};
use crate::fields::{Field, Fields, Sign};
use crate::success::Inside;
use crate::{SceneError, Success};

/// `{object, target}` for a container, or `{object, region: {x, y, z}}`.
pub(super) fn inside(field: &Field<'_>, context: &Context<'_>) -> Result<Success, SceneError> {
    let fields = field.fields(&["object", "target", "region"])?;
    let what = object(&fields.need("object")?, context)?;
    let keys = ["target", "region"];
    let place = fields.one_of(&keys)?.ok_or_else(|| fields.none_of(&keys))?;
    if place.key == "target" {
        return Ok(Success::In {
            object: what,
            target: object(&place, context)?,
        });
    }
    let axes = ["x", "y", "z"];
    let ranges = place.fields(&axes)?;
    if axes.iter().all(|axis| ranges.get(axis).is_none()) {
        return Err(ranges.none_of(&axes));
    }
    Ok(Success::InRegion {
        object: what,
        region: [
            range(&ranges, "x")?,
            range(&ranges, "y")?,
            range(&ranges, "z")?,
        ],
    })
}

fn range<'a>(fields: &Fields<'a>, key: &'a str) -> Result<Option<[f64; 2]>, SceneError> {
    let field = fields.get(key);
    field.map(|f| f.range(Sign::Coordinate)).transpose()
}

pub(super) fn touching(field: &Field<'_>, context: &Context<'_>) -> Result<Success, SceneError> {
    let fields = field.fields(&["object", "target"])?;
    Ok(Success::Touching {
        object: object(&fields.need("object")?, context)?,
        target: object(&fields.need("target")?, context)?,
    })
}

pub(super) fn upright(field: &Field<'_>, context: &Context<'_>) -> Result<Success, SceneError> {
    let fields = field.fields(&["object", "axis", "max_tilt_rad"])?;
    let axis = fields.get("axis").map(|field| crate::object::axis(&field));
    Ok(Success::Upright {
        object: object(&fields.need("object")?, context)?,
        axis: axis.transpose()?.unwrap_or(Upright::Z),
        max_tilt_rad: fields.number("max_tilt_rad", Sign::Positive)?,
    })
}

pub(super) fn apart(field: &Field<'_>, context: &Context<'_>) -> Result<Success, SceneError> {
    let fields = field.fields(&["object", "target", "xy_m", "dz_m"])?;
    let keys = ["xy_m", "dz_m"];
    if keys.iter().all(|key| fields.get(key).is_none()) {
        return Err(fields.none_of(&keys));
    }
    let distance = |key| {
        let field = fields.get(key);
        field.map(|f| f.range(Sign::NotNegative)).transpose()
    };
    Ok(Success::Apart {
        object: object(&fields.need("object")?, context)?,
        target: object(&fields.need("target")?, context)?,
        xy_m: distance("xy_m")?,
        dz_m: distance("dz_m")?,
    })
}

pub(super) fn displaced_by(
    field: &Field<'_>,
    context: &Context<'_>,
) -> Result<Success, SceneError> {
    let fields = field.fields(&["object", "by_m", "tolerance_m"])?;
    Ok(Success::DisplacedBy {
        object: object(&fields.need("object")?, context)?,
        by_m: fields.need("by_m")?.array::<2>(Sign::Coordinate)?,
        tolerance_m: fields.number("tolerance_m", Sign::Positive)?,
    })
}

pub(super) fn displaced(field: &Field<'_>, context: &Context<'_>) -> Result<Success, SceneError> {
    let fields = field.fields(&["object", "direction", "min_m"])?;
    let direction = fields.get("direction").map(|f| direction(&f)).transpose()?;
    Ok(Success::Displaced {
        object: object(&fields.need("object")?, context)?,
        direction,
        min_m: fields.number("min_m", Sign::Positive)?,
    })
}

/// `[x, y]` or `[x, y, z]` of any length but none, as a unit vector.
fn direction(field: &Field<'_>) -> Result<[f64; 3], SceneError> {
    let given = match field.numbers(Sign::Coordinate)?.as_slice() {
        [x, y] => Vector3::new(*x, *y, 0.0),
        [x, y, z] => Vector3::new(*x, *y, *z),
        other => {
            let got = format!("a list of {}", other.len());
            return Err(field.not_allowed(got, "a list of 2 or 3 numbers"));
        }
    };
    let unit = given.try_normalize(1e-9);
    let unit = unit.ok_or_else(|| field.not_allowed("of no length", "a direction"))?;
    Ok(unit.into())
}

pub(super) fn inserted(field: &Field<'_>, context: &Context<'_>) -> Result<Success, SceneError> {
    let fields = field.fields(&[
        "object",
        "target",
        "min_depth_m",
        "max_aside_m",
        "depth_m",
        "tolerance_m",
        "max_angle_rad",
    ])?;
    let keys = ["min_depth_m", "depth_m"];
    let depth = fields.one_of(&keys)?.ok_or_else(|| fields.none_of(&keys))?;
    let inside = match depth.key {
        "min_depth_m" => Inside::AtLeast {
            min_depth_m: depth.number(Sign::Coordinate)?,
            max_aside_m: fields.number("max_aside_m", Sign::Positive)?,
        },
        _ => Inside::At {
            depth_m: depth.number(Sign::Coordinate)?,
            tolerance_m: fields.number("tolerance_m", Sign::Positive)?,
            max_angle_rad: fields.number("max_angle_rad", Sign::Positive)?,
        },
    };
    let has = |key, kind| {
        let named = fields.need(key)?;
        let id = object(&named, context)?;
        let of_kind = context.ports.iter().filter(|p| p.kind == kind);
        let known: Vec<_> = of_kind.map(|p| p.object.as_str()).collect();
        if known.contains(&id.as_str()) {
            return Ok(id);
        }
        let what = match kind {
            PortKind::Plug => "`plug`",
            PortKind::Hole => "`hole`",
        };
        let right = match known.as_slice() {
            [] => format!("an object with a {what}: this scene has none"),
            known => format!("an object with a {what}: {}", known.join(", ")),
        };
        Err(named.not_allowed(format!("`{id}`"), right))
    };
    Ok(Success::Inserted {
        object: has("object", PortKind::Plug)?,
        target: has("target", PortKind::Hole)?,
        inside,
    })
}
