//! Reads `visuals` of an object and `scenery` of a scene: geometry without collision.

use std::sync::Arc;

use regrasp_api::Shape;
use regrasp_mesh::{Mapping, Surface, cuboid, cylinder, ellipsoid, plane, primitive, read_surface};

use super::{Visual, read_texture};
use crate::fields::{Field, Fields, Sign};
use crate::keys::{bad_shape, color, from_file, posed, scale};
use crate::kinds::half_extents;
use crate::mesh::up;
use crate::source::Source;
use crate::{Problem, Result, formats};

const KINDS: [&str; 6] = ["mesh", "box", "sphere", "cylinder", "capsule", "plane"];
const MAPPINGS: [&str; 3] = ["coordinates", "planar", "cube"];
/// Largest coordinate of a visual in its own frame, m: cameras see at most 30 m.
const LONGEST_M: f64 = 100.0;
const GLOSS: f64 = 0.15;

pub(crate) fn scenery(scene: &Fields<'_>, source: &Source) -> Result<Vec<Visual>> {
    scene.each("scenery", |item| visual(&item, source))
}

pub(crate) fn visuals(object: &Fields<'_>, source: &Source) -> Result<Vec<Visual>> {
    object.each("visuals", |item| visual(&item, source))
}

fn visual(item: &Field<'_>, source: &Source) -> Result<Visual> {
    let fields = item.fields(formats::keys("visual"))?;
    let surface = surface(item, &fields, source)?;
    let texture = fields.maybe("texture", |field| {
        let mapping = mapping(&fields, &surface)?;
        let image = from_file(&field, source, "the image", read_texture);
        Ok((mapping, image?))
    })?;
    if texture.is_none() {
        let keys = ["mapping", "repeat", "per_metre", "stretched"];
        fields.without(&keys, "without `texture`")?;
    }
    let (surface, texture) = match texture {
        None => (surface, None),
        Some((mapping, texture)) => (surface.mapped(mapping), Some(Arc::new(texture))),
    };
    let surface = match fields.flag("two_sided")? {
        true => surface.two_sided(),
        false => surface,
    };
    // The default tint would darken an image for which the file gives no colour.
    let has_colour = fields.get("color").is_some() || fields.get("rgba").is_some();
    let rgba = match texture.is_some() && !has_colour {
        true => [1.0; 4],
        false => color(&fields)?.1,
    };
    let gloss = fields.number_in("gloss", Sign::NotNegative, GLOSS, ..=1.0, "from 0 to 1")?;
    Ok(Visual {
        frame_from_visual: posed(&fields)?,
        surface: Arc::new(surface),
        rgba,
        texture,
        gloss: gloss as f32,
    })
}

fn surface(item: &Field<'_>, fields: &Fields<'_>, source: &Source) -> Result<Surface> {
    let kind = fields.text_or("kind", "mesh")?;
    let own: &[&str] = match kind.as_str() {
        "mesh" => &["file", "scale", "up"],
        "box" => &["size", "half_extents"],
        "sphere" => &["radius", "radii"],
        "cylinder" | "capsule" => &["radius", "height"],
        "plane" => &["size"],
        word => return Err(item.error(Problem::unknown_word("kind of surface", word, KINDS))),
    };
    let others = "file scale up size half_extents radius radii height".split(' ');
    let others: Vec<&str> = others.filter(|key| !own.contains(key)).collect();
    fields.without(&others, format_args!("for a {kind}"))?;
    let half = |key| Ok(0.5 * fields.number(key, Sign::Length)?);
    Ok(match kind.as_str() {
        "mesh" => return mesh(fields, source),
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
                return fields.refuse("height", 2.0 * (half_height + radius), allowed);
            }
            let capsule = Shape::capsule(radius, half_height);
            primitive(&capsule).unwrap_or_default()
        }
        _ => {
            let size = fields.need("size")?;
            let half = size.array::<2>(Sign::Positive)?.map(|edge| 0.5 * edge);
            if half.iter().any(|h| *h > LONGEST_M) {
                let allowed = format!("at most {} m", 2.0 * LONGEST_M);
                let size_m = half.map(|h| 2.0 * h);
                return Err(size.not_allowed(format!("{size_m:?}"), allowed));
            }
            plane(half)
        }
    })
}

fn mesh(fields: &Fields<'_>, source: &Source) -> Result<Surface> {
    let field = fields.need("file")?;
    let up = up(fields)?;
    let surface = from_file(&field, source, "the mesh file", |path| {
        read_surface(path, up)
    })?;
    let scale = scale(fields, Sign::Any)?;
    if scale.contains(&0.0) {
        let allowed = "factors other than 0 (a negative one mirrors)";
        return fields.refuse("scale", 0, allowed);
    }
    let surface = surface.scaled(scale);
    let bounds = surface.bounds();
    let far = bounds.min.iter().chain(&bounds.max);
    let far = far.fold(0.0f64, |m, x| m.max(x.abs()));
    if far > LONGEST_M {
        let message = format!(
            "it reaches {far:.1} m from its origin, more than {LONGEST_M} m; if it is in \
                millimetres, multiply its `scale` by 0.001"
        );
        let what = format!("the mesh `{}`", source.join(field.text()?).name());
        return Err(bad_shape(&field, &what, message));
    }
    Ok(surface)
}

/// Reads the mapping. The default is the surface's own coordinates, or else a cube mapping.
fn mapping(fields: &Fields<'_>, surface: &Surface) -> Result<Mapping> {
    let usual = match surface.texcoords.is_empty() {
        true => "cube",
        false => "coordinates",
    };
    let word = fields.text_or("mapping", usual)?;
    let without =
        |keys: &[&'static str]| fields.without(keys, format_args!("with the mapping `{word}`"));
    match word.as_str() {
        "coordinates" => {
            without(&["repeat", "per_metre", "stretched"])?;
            if surface.texcoords.is_empty() {
                let allowed = "planar or cube, since the mesh has no texture coordinates";
                return fields.refuse("mapping", "coordinates", allowed);
            }
            Ok(Mapping::Coordinates)
        }
        "planar" => {
            without(&["stretched"])?;
            Ok(Mapping::Planar {
                repeat: fields.array_or("repeat", Sign::Positive, [1.0; 2])?,
                per_metre: fields.flag("per_metre")?,
            })
        }
        "cube" => {
            without(&["repeat", "per_metre"])?;
            Ok(Mapping::Cube {
                stretched: fields.get("stretched").is_none() || fields.flag("stretched")?,
            })
        }
        word => Err(fields
            .need("mapping")?
            .error(Problem::unknown_word("mapping", word, MAPPINGS))),
    }
}
