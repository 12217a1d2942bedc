//! Checks a line: returns a percept, or a sentence with the mistake.

use std::collections::BTreeSet;

use regrasp_api::{ObjectId, PerceivedObject, Percept, Pose, Shape, solids};

use crate::placement::{FURTHEST_M, Placement};
use crate::wire::{LineFrame, LineObject, LineShape, PerceptLine};

/// Reads a line; an error names the field.
pub(crate) fn line(text: &str) -> Result<PerceptLine, String> {
    let reader = &mut serde_json::Deserializer::from_str(text);
    let line: PerceptLine = serde_path_to_error::deserialize(&mut *reader).map_err(|e| {
        // The text is a single line; the caller adds its number in the file.
        let what = e.inner().to_string();
        let what = what.replace(" at line 1 column ", ", at column ");
        match e.path().to_string().as_str() {
            "." | "?" => what,
            path => format!("{path}: {what}"),
        }
    })?;
    reader.end().map_err(|e| e.to_string())?;
    if line.stamp_unix_s.is_none() && line.sequence.is_none() {
        return Err(
            "it has neither `stamp_unix_s` (Unix time, s) nor `sequence`, \
                    so its age is unknown"
                .into(),
        );
    }
    let mut known = BTreeSet::new();
    for (idx, object) in line.objects.iter().enumerate() {
        check(object).map_err(|problem| format!("objects[{idx}].{problem}"))?;
        if !known.insert(&object.id) {
            return Err(format!(
                "objects[{idx}].id: `{}` is used twice; every object needs its own id",
                object.id
            ));
        }
    }
    Ok(line)
}

fn placement(object: &LineObject) -> Placement {
    Placement {
        position: object.position,
        quat_xyzw: object.quat_xyzw,
    }
}

fn check(object: &LineObject) -> Result<(), String> {
    for (field, text) in [("id", &object.id), ("category", &object.category)] {
        if text.trim().is_empty() {
            return Err(format!("{field}: it is empty"));
        }
    }
    placement(object).pose()?;
    let std = object.position_std_m;
    if !std.is_finite() || std < 0.0 {
        return Err(format!("position_std_m: {std} is not 0 or greater"));
    }
    shape(&object.shape).map(drop)
}

fn positive(field: &str, value: f64) -> Result<(), String> {
    match value.is_finite() && value > 0.0 {
        true if value < FURTHEST_M => Ok(()),
        _ => Err(format!(
            "shape.{field}: {value} is not greater than 0 and below {FURTHEST_M} m"
        )),
    }
}

fn positive_or_none(field: &str, value: f64) -> Result<(), String> {
    match value {
        0.0 => Ok(()),
        value => positive(field, value),
    }
}

/// Checks a wall against the limit that scene files have for the shape.
fn thin(wall: f64, thickest: f64) -> Result<(), String> {
    match wall <= thickest {
        true => positive("wall", wall),
        false => Err(format!(
            "shape.wall: {wall} m is more than {thickest} m, the limit for this size"
        )),
    }
}

/// Returns the shape if all its lengths are valid.
fn shape(shape: &LineShape) -> Result<Shape, String> {
    let sizes = |all: &[f64]| all.iter().try_for_each(|size| positive("size", *size));
    let round =
        |radius, height| positive("radius", radius).and_then(|()| positive("height", height));
    Ok(match *shape {
        LineShape::Box { size } => {
            sizes(&size)?;
            Shape::cuboid(size.map(|s| 0.5 * s))
        }
        LineShape::Sphere { radius } => {
            positive("radius", radius)?;
            Shape::Sphere { radius }
        }
        LineShape::Cylinder { radius, height } => {
            round(radius, height)?;
            Shape::cylinder(radius, 0.5 * height)
        }
        LineShape::Capsule { radius, height } => {
            positive("radius", radius)?;
            if height <= 2.0 * radius {
                return Err(format!(
                    "shape.height: {height} m is not more than twice the radius ({} m), caps \
                     included",
                    2.0 * radius
                ));
            }
            positive("height", height)?;
            Shape::capsule(radius, 0.5 * height - radius)
        }
        LineShape::Bowl {
            radius,
            height,
            wall,
        } => {
            round(radius, height)?;
            thin(wall, 0.25 * radius.min(height))?;
            solids::bowl(radius, height, wall)
        }
        LineShape::Tray { size, height, wall } => {
            sizes(&size)?;
            positive("height", height)?;
            thin(wall, 0.25 * size[0].min(size[1]).min(2.0 * height))?;
            solids::tray(size, height, wall)
        }
        LineShape::Plate {
            radius,
            thickness,
            rim,
        } => {
            positive("radius", radius)?;
            positive("thickness", thickness)?;
            positive_or_none("rim", rim)?;
            solids::plate(radius, thickness, rim)
        }
        LineShape::Mug {
            height,
            diameter,
            handle,
            wall,
        } => {
            positive("height", height)?;
            positive("diameter", diameter)?;
            thin(wall, 0.25 * diameter.min(height))?;
            positive_or_none("handle", handle)?;
            solids::mug(height, diameter, wall, handle)
        }
    })
}

/// Converts a line to a percept in World.
pub(crate) fn percept(
    line: &PerceptLine,
    time_secs: f64,
    world_from_base: &Pose,
) -> Result<Percept, String> {
    let world_from_frame = match line.frame {
        LineFrame::Base => *world_from_base,
        LineFrame::World => Pose::identity(),
    };
    let mut objects = Vec::new();
    for object in &line.objects {
        objects.push(PerceivedObject {
            id: ObjectId::new(&object.id),
            category: object.category.clone(),
            color: object.color.clone(),
            shape: shape(&object.shape)?,
            world_from_object: world_from_frame * placement(object).pose()?,
            position_std_m: object.position_std_m,
            movable: object.movable,
        });
    }
    let hidden = line.objects.iter().filter(|o| o.hidden);
    Ok(Percept {
        time_secs,
        objects,
        hidden: hidden.map(|o| ObjectId::new(&o.id)).collect(),
        ..Percept::default()
    })
}
