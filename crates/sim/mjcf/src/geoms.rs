//! `<geom>` and `<site>`.

use nalgebra::{Unit, Vector3};
use regrasp_api::Pose;

use crate::Result;
use crate::assets::{Reader, find};
use crate::ledger::Fate;
use crate::mass::Fitted;
use crate::model::{Geom, GeomForm, Site};
use crate::values::{Values, along, pose};

/// Colour of a geom without `rgba` and material, as in MuJoCo.
pub(crate) const UNPAINTED: [f32; 4] = [0.5, 0.5, 0.5, 1.0];
/// Default density, kg/m³, as in MuJoCo.
const WATER: f64 = 1000.0;

/// Reads a geom; `None` if it is not supported.
pub(crate) fn geom(values: &Values<'_>, reader: &mut Reader<'_>) -> Result<Option<Geom>> {
    let kind = values.text("type").unwrap_or("sphere").to_owned();
    if ["hfield", "sdf"].contains(&kind.as_str()) {
        let what = format!("geom type=\"{kind}\"");
        let why = "only planes, boxes, balls, ellipsoids, capsules, cylinders and meshes are read";
        let place = values.place();
        (reader.ledger).note(Fate::Unsupported, &what, why, place);
        return Ok(None);
    }
    let mut own = pose(values, &reader.compiler.angles)?;
    let mesh = values.get("mesh");
    let mesh = mesh.map(|a| find(&reader.assets.meshes, &a.value, "mesh", &a.place));
    let mesh = mesh.transpose()?.cloned();
    let form = match mesh {
        Some(mesh) if kind == "mesh" => GeomForm::Mesh(mesh),
        Some(mesh) => {
            if let Some(attribute) = values.get("fromto") {
                return Err(values.bad(attribute, "left out: the geom is fitted to its `mesh`"));
            }
            let scale = values.number("fitscale", 1.0)?;
            let fitted = Fitted::to(&mesh, &kind, reader.compiler.fits_box, scale);
            let Some(fitted) = fitted else {
                let allowed = "`mesh`, or a solid that can be fitted to one: `sphere`, `capsule`, \
                               `ellipsoid`, `cylinder` or `box`";
                return Err(values.wrong("type", allowed));
            };
            own *= fitted.mesh_from_solid;
            fitted.form
        }
        None => {
            let (size, from_to) = sized(values, &kind, true)?;
            own = from_to.unwrap_or(own);
            GeomForm::of(&kind, size).ok_or_else(|| values.lacks("mesh"))?
        }
    };
    let material = reader.assets.material_of(values)?;
    let mask = |name: &str| values.integer(name, 1);
    let touches = [mask("contype")?, mask("conaffinity")?];
    let friction = values.numbers("friction", [1, 3])?;
    let friction = friction.and_then(|f| f.first().copied());
    let mass_kg = values.get("mass").map(|_| values.amount("mass", 0.0));
    let mass_kg = mass_kg.transpose()?;
    let of_material = material.as_ref().map(|m| m.rgba);
    Ok(Some(Geom {
        name: values.name(),
        body_from_geom: own,
        form,
        group: values.integer("group", 0)?,
        touches,
        mass_kg,
        density: values.amount("density", WATER)?,
        is_shell: values.flag("shellinertia")?.unwrap_or(false),
        friction: friction.unwrap_or(1.0).max(0.0),
        rgba: values.rgba("rgba")?.or(of_material).unwrap_or(UNPAINTED),
        material,
        place: values.place().clone(),
    }))
}

pub(crate) fn site(values: &Values<'_>, reader: &mut Reader<'_>) -> Result<Site> {
    let kind = values.text("type").unwrap_or("sphere").to_owned();
    if !["box", "sphere", "ellipsoid", "capsule", "cylinder"].contains(&kind.as_str()) {
        let allowed = "`box`, `sphere`, `ellipsoid`, `capsule` or `cylinder`";
        return Err(values.wrong("type", allowed));
    }
    let (size, from_to) = sized(values, &kind, false)?;
    let of_material = reader.assets.material_of(values)?.map(|m| m.rgba);
    let own = pose(values, &reader.compiler.angles)?;
    Ok(Site {
        name: values.name(),
        body_from_site: from_to.unwrap_or(own),
        form: GeomForm::of(&kind, size).ok_or_else(|| values.lacks("type"))?,
        size,
        rgba: values.rgba("rgba")?.or(of_material).unwrap_or(UNPAINTED),
        place: values.place().clone(),
    })
}

/// Smallest number of entries of `size` for a form, without and with `fromto`.
fn needed(kind: &str) -> Option<[usize; 2]> {
    Some(match kind {
        "sphere" => [1, 1],
        "capsule" | "cylinder" => [2, 1],
        "box" | "ellipsoid" => [3, 1],
        "plane" => [2, 2],
        "mesh" => [0, 0],
        _ => return None,
    })
}

/// Reads `size`, and the pose that `fromto` gives.
fn sized(values: &Values<'_>, kind: &str, is_geom: bool) -> Result<([f64; 3], Option<Pose>)> {
    let Some([needed, with_ends]) = needed(kind) else {
        let allowed = "`plane`, `sphere`, `capsule`, `ellipsoid`, `cylinder`, `box` or `mesh`";
        return Err(values.wrong("type", allowed));
    };
    let ends = values.array::<6>("fromto")?;
    if let Some(attribute) = values.get("fromto")
        && !["capsule", "cylinder", "box", "ellipsoid"].contains(&kind)
    {
        let allowed = "left out: only a capsule, cylinder, box or ellipsoid has two ends";
        return Err(values.bad(attribute, allowed));
    }
    let needed = if ends.is_some() { with_ends } else { needed };
    let given = values.numbers("size", [1, 3])?;
    let given = match given {
        Some(given) => given,
        None if is_geom && needed > 0 => return Err(values.lacks("size")),
        None => vec![],
    };
    // An infinite plane has the sizes 0; MuJoCo does not check the sizes of a site either.
    let is_plane = kind == "plane";
    let is_wrong = |x: &f64| if is_plane { *x < 0.0 } else { *x <= 0.0 };
    if is_geom && (given.len() < needed || given.iter().take(needed).any(is_wrong)) {
        let numbers = if needed == 1 { "number" } else { "numbers" };
        let least = if is_plane {
            "of at least"
        } else {
            "greater than"
        };
        let allowed = format!("at least {needed} {numbers} {least} 0 for a {kind}");
        return Err(values.wrong("size", &allowed));
    }
    // A site is by default a sphere with a radius of 5 mm.
    let mut size = if is_geom { [0.0; 3] } else { [0.005; 3] };
    for (to, from) in size.iter_mut().zip(&given) {
        *to = *from;
    }
    let Some([ax, ay, az, bx, by, bz]) = ends else {
        return Ok((size, None));
    };
    let (a, b) = (Vector3::new(ax, ay, az), Vector3::new(bx, by, bz));
    let Some((axis, length)) = Unit::try_new_and_get(a - b, 1e-9) else {
        return Err(values.wrong("fromto", "two different points"));
    };
    match kind {
        "capsule" | "cylinder" => size[1] = 0.5 * length,
        // `fromto` gives the length; both half widths are the first size.
        _ => size = [size[0], size[0], 0.5 * length],
    }
    let middle = 0.5 * (a + b);
    Ok((size, Some(Pose::from_parts(middle.into(), along(&axis)))))
}
