//! `visuals` of an object and `scenery` of a scene: what is drawn and not touched.

use std::sync::Arc;

use regrasp_api::Shape;
use regrasp_mesh::{Mapping, Surface, cuboid, cylinder, ellipsoid, plane, primitive, read_surface};

use super::{Visual, read_texture};
use crate::fields::{Field, Fields, Sign};
use crate::keys::{bad_shape, color, posed};
use crate::mesh::up;
use crate::source::Source;
use crate::yaml::Value;
use crate::{Problem, SceneError, formats};

/// Words for `kind`.
const KINDS: [&str; 6] = ["mesh", "box", "sphere", "cylinder", "capsule", "plane"];
/// Words for `mapping`.
const MAPPINGS: [&str; 3] = ["coordinates", "planar", "cube"];
/// Nothing that is drawn is longer, m: what is further than 30 m is not seen.
const LONGEST_M: f64 = 100.0;
/// As glossy as things are unless said otherwise.
const GLOSS: f64 = 0.15;

/// What is drawn in a scene and belongs to no object.
pub(crate) fn scenery(scene: &Fields<'_>, source: &Source) -> Result<Vec<Visual>, SceneError> {
    list(scene.get("scenery"), source)
}

/// What is drawn of an object in the place of its shape.
pub(crate) fn visuals(object: &Fields<'_>, source: &Source) -> Result<Vec<Visual>, SceneError> {
    list(object.get("visuals"), source)
}

fn list(field: Option<Field<'_>>, source: &Source) -> Result<Vec<Visual>, SceneError> {
    let Some(field) = field else {
        return Ok(vec![]);
    };
    field.items()?.map(|item| visual(&item, source)).collect()
}

fn visual(item: &Field<'_>, source: &Source) -> Result<Visual, SceneError> {
    let fields = item.fields(formats::keys("visual"))?;
    let surface = surface(item, &fields, source)?;
    let texture = match fields.get("texture") {
        None => None,
        Some(field) => Some((mapping(&fields, &surface)?, image(&field, source)?)),
    };
    if texture.is_none() {
        for key in ["mapping", "repeat", "per_metre", "stretched"] {
            if let Some(field) = fields.get(key) {
                return Err(field.not_allowed("given", "left out where there is no `texture`"));
            }
        }
    }
    let (surface, texture) = match texture {
        None => (surface, None),
        Some((mapping, texture)) => (surface.mapped(mapping), Some(Arc::new(texture))),
    };
    let surface = match fields.flag("two_sided")? {
        true => surface.two_sided(),
        false => surface,
    };
    // A tint of grey would darken an image that nobody wants tinted.
    let has_colour = fields.get("color").is_some() || fields.get("rgba").is_some();
    let rgba = match texture.is_some() && !has_colour {
        true => [1.0; 4],
        false => color(&fields)?.1,
    };
    let gloss = fields.number_or("gloss", Sign::NotNegative, GLOSS)?;
    if let Some(field) = fields.get("gloss")
        && gloss > 1.0
    {
        return Err(field.not_allowed(gloss, "from 0 to 1"));
    }
    Ok(Visual {
        frame_from_visual: posed(&fields)?,
        surface: Arc::new(surface),
        rgba,
        texture,
        gloss: gloss as f32,
    })
}

fn surface(item: &Field<'_>, fields: &Fields<'_>, source: &Source) -> Result<Surface, SceneError> {
    let kind = match fields.get("kind") {
        None => "mesh".to_owned(),
        Some(_) => fields.text("kind")?,
    };
    let own: &[&str] = match kind.as_str() {
        "mesh" => &["file", "scale", "up"],
        "box" => &["size", "half_extents"],
        "sphere" => &["radius", "radii"],
        "cylinder" | "capsule" => &["radius", "height"],
        "plane" => &["size"],
        word => return Err(item.error(Problem::unknown_word("kind of surface", word, KINDS))),
    };
    let all = [
        "file",
        "scale",
        "up",
        "size",
        "half_extents",
        "radius",
        "radii",
        "height",
    ];
    for key in all.into_iter().filter(|key| !own.contains(key)) {
        if let Some(field) = fields.get(key) {
            return Err(field.not_allowed("given", format!("left out for a {kind}")));
        }
    }
    let half = |key| Ok(0.5 * fields.number(key, Sign::Length)?);
    Ok(match kind.as_str() {
        "mesh" => return from_file(fields, source),
        "box" => cuboid(half_extents(fields)?),
        "sphere" => ellipsoid(match fields.get("radii") {
            Some(field) => field.array(Sign::Length)?,
            None => [fields.number("radius", Sign::Length)?; 3],
        }),
        "cylinder" => cylinder(fields.number("radius", Sign::Length)?, half("height")?),
        "capsule" => {
            let radius = fields.number("radius", Sign::Length)?;
            let half_height = half("height")? - radius;
            if half_height < 0.0 {
                let allowed = format!("at least {}, caps included", 2.0 * radius);
                return Err(fields
                    .need("height")?
                    .not_allowed(2.0 * (half_height + radius), allowed));
            }
            let capsule = Shape::Capsule {
                radius,
                half_height,
            };
            primitive(&capsule).unwrap_or_default()
        }
        _ => {
            let size = fields.need("size")?;
            let half = size.array::<2>(Sign::Positive)?.map(|edge| 0.5 * edge);
            if half.iter().any(|h| *h > LONGEST_M) {
                return Err(size.not_allowed(
                    format!("{:?}", half.map(|h| 2.0 * h)),
                    format!("at most {} m", 2.0 * LONGEST_M),
                ));
            }
            plane(half)
        }
    })
}

fn half_extents(fields: &Fields<'_>) -> Result<[f64; 3], SceneError> {
    let field = fields.just_one_of(&["size", "half_extents"])?;
    let edges = field.array::<3>(Sign::Length)?;
    Ok(match field.key {
        "size" => edges.map(|edge| 0.5 * edge),
        _ => edges,
    })
}

fn from_file(fields: &Fields<'_>, source: &Source) -> Result<Surface, SceneError> {
    let field = fields.need("file")?;
    let path = source.join(field.text()?);
    let Source::File(file) = &path else {
        return Err(bad_file(
            &field,
            "the mesh file",
            path.name(),
            "built-in scenes have no files",
        ));
    };
    let surface = read_surface(file, up(fields)?)
        .map_err(|message| bad_file(&field, "the mesh file", path.name(), &message.to_string()))?;
    let scale = match fields.get("scale") {
        None => [1.0; 3],
        Some(scale) if matches!(scale.node.value, Value::List(_)) => {
            let factors = scale.array::<3>(Sign::Any)?;
            if factors.contains(&0.0) {
                return Err(scale.not_allowed(0, "factors that are not 0; one below it mirrors"));
            }
            factors
        }
        Some(scale) => [scale.number(Sign::Positive)?; 3],
    };
    let surface = surface.scaled(scale);
    let bounds = surface.bounds();
    let far = bounds.min.iter().chain(&bounds.max);
    let far = far.fold(0.0f64, |m, x| m.max(x.abs()));
    if far > LONGEST_M {
        let message = format!(
            "it reaches {far:.1} m from its origin, more than {LONGEST_M} m; is it in \
             millimetres? then set `scale: 0.001`"
        );
        return Err(bad_shape(
            &field,
            &format!("the mesh `{}`", path.name()),
            message,
        ));
    }
    Ok(surface)
}

fn image(field: &Field<'_>, source: &Source) -> Result<super::Texture, SceneError> {
    let path = source.join(field.text()?);
    let read = match &path {
        Source::File(file) => read_texture(file),
        Source::Builtin(_) => Err("built-in scenes have no files".to_owned()),
    };
    read.map_err(|message| bad_file(field, "the image", path.name(), &message))
}

fn bad_file(field: &Field<'_>, what: &str, path: String, message: &str) -> SceneError {
    field.error(Problem::bad_reference(what, &path, message))
}

/// As the file says; else at the surface's own coordinates, and from all sides without any.
fn mapping(fields: &Fields<'_>, surface: &Surface) -> Result<Mapping, SceneError> {
    let word = match fields.get("mapping") {
        Some(field) => field.text()?.to_owned(),
        None if surface.texcoords.is_empty() => "cube".to_owned(),
        None => "coordinates".to_owned(),
    };
    let only = |keys: &[&str]| -> Result<(), SceneError> {
        for key in ["repeat", "per_metre", "stretched"] {
            if let Some(field) = fields.get(key)
                && !keys.contains(&key)
            {
                let allowed = format!("left out for the mapping `{word}`");
                return Err(field.not_allowed("given", allowed));
            }
        }
        Ok(())
    };
    match word.as_str() {
        "coordinates" => {
            only(&[])?;
            match fields.get("mapping") {
                Some(field) if surface.texcoords.is_empty() => {
                    Err(field.not_allowed("coordinates", "planar or cube: the surface has none"))
                }
                _ => Ok(Mapping::Coordinates),
            }
        }
        "planar" => {
            only(&["repeat", "per_metre"])?;
            Ok(Mapping::Planar {
                repeat: match fields.get("repeat") {
                    Some(field) => field.array(Sign::Positive)?,
                    None => [1.0; 2],
                },
                per_metre: fields.flag("per_metre")?,
            })
        }
        "cube" => {
            only(&["stretched"])?;
            Ok(Mapping::Cube {
                stretched: fields.get("stretched").is_none() || fields.flag("stretched")?,
            })
        }
        word => Err(fields
            .need("mapping")?
            .error(Problem::unknown_word("mapping", word, MAPPINGS))),
    }
}
