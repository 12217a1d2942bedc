//! One object of a scene file → definitions of one or two bodies.

use std::sync::Arc;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use regrasp_api::{JointKind, KnownZone, ObjectId, ObjectPort, Pose, Shape, Upright};

use crate::colors;
use crate::fields::{Field, Fields, Located, Sign};
use crate::kinds::{self, Body, Button};
use crate::source::Source;
use crate::yaml::Node;
use crate::{MeshBody, Problem, SceneError, SceneJoint, Spring, beads, ports};

/// A body whose size, mass, colour and place may still be varied.
#[derive(Debug, Clone)]
pub(crate) struct ObjectDef {
    pub(crate) id: ObjectId,
    pub(crate) line: usize,
    pub(crate) category: String,
    pub(crate) color: Option<String>,
    pub(crate) rgba: [f32; 4],
    pub(crate) shape: Shape,
    /// Its surface, if it was read from a mesh.
    pub(crate) mesh: Option<Arc<MeshBody>>,
    pub(crate) mass: Mass,
    pub(crate) friction: f64,
    pub(crate) place: Place,
    /// Which way up it stands, if the file or the kind says so.
    pub(crate) upright: Option<Upright>,
    /// Places of it that have a name.
    pub(crate) zones: Vec<KnownZone>,
    /// Of what many small things it is one, if it is.
    pub(crate) group: Option<ObjectId>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Mass {
    /// Cannot move.
    Fixed,
    Kg(f64),
    KgPerM3(f64),
}

/// Where a body starts.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    /// In the world.
    At { world_from_object: Pose },
    /// On top of another object; above its origin if `xy` is absent.
    On {
        support: Located<String>,
        xy: Option<[f64; 2]>,
        rotation: UnitQuaternion<f64>,
    },
    /// One of several small balls in a container.
    Within {
        container: Located<String>,
        /// Which of them.
        idx: usize,
        /// How many they are.
        n: usize,
    },
    /// Fixed to another body of the same kind at the start.
    Attached {
        parent: ObjectId,
        parent_from_object: Pose,
    },
}

/// What one entry of `objects:` defines.
pub(crate) struct Parsed {
    pub(crate) objects: Vec<ObjectDef>,
    pub(crate) joint: Option<SceneJoint>,
    pub(crate) ports: Vec<ObjectPort>,
}

pub(crate) const COMMON_KEYS: [&str; 18] = [
    "id",
    "kind",
    "category",
    "color",
    "rgba",
    "mass_kg",
    "density_kg_per_m3",
    "friction",
    "fixed",
    "position",
    "xy",
    "on",
    "yaw_rad",
    "quat_xyzw",
    "upright",
    "zones",
    "plug",
    "hole",
];

/// Dry wood on wood, the middle of 0.25 to 0.5 and more in engineering tables.
pub(crate) const DEFAULT_FRICTION: f64 = 0.5;

pub(crate) fn parse(file: &str, node: &Node, source: &Source) -> Result<Parsed, SceneError> {
    let kind_field = match &node.value {
        crate::yaml::Value::Map(entries) if !entries.iter().any(|e| e.key == "kind") => {
            let within = "an object".to_owned();
            let key = "kind".to_owned();
            return Err(Problem::MissingKey { key, within }.at(file, node.line));
        }
        crate::yaml::Value::Map(entries) => entries.iter().find(|e| e.key == "kind"),
        _ => None,
    };
    let kind_keys = match kind_field {
        Some(entry) => kinds::keys_of(&crate::fields::Field::new(file, "kind", &entry.node))?,
        None => &[],
    };
    let allowed: Vec<&str> = COMMON_KEYS.iter().chain(kind_keys).copied().collect();
    let kind = kind_field.map_or("", |entry| match &entry.node.value {
        crate::yaml::Value::Text(kind) => kind,
        _ => "",
    });
    let within = match kind {
        "" => "an object".to_owned(),
        kind => format!("an object of the kind {kind}"),
    };
    let object = Fields::new(file, node, &within, &allowed)?;
    let id = object_id(&object)?;
    if kind == "beads" {
        return Ok(Parsed {
            objects: beads::parse(&object, &id)?,
            joint: None,
            ports: vec![],
        });
    }
    let ports = ports::parse(&object, &id)?;
    let mut parsed = bodies(kind, &object, id, source)?;
    parsed.ports = ports;
    Ok(parsed)
}

/// The bodies of an object of a kind.
fn bodies(
    kind: &str,
    object: &Fields<'_>,
    id: ObjectId,
    source: &Source,
) -> Result<Parsed, SceneError> {
    match kinds::body(kind, object, source)? {
        Body::Solid(shape) => solid(object, id, kind, shape, place(object)?),
        Body::Mesh(shape, mesh) => {
            let mut parsed = solid(object, id, kind, shape, place(object)?)?;
            let bodies = parsed.objects.iter_mut();
            bodies.for_each(|o| o.mesh = Some(Arc::clone(&mesh)));
            Ok(parsed)
        }
        Body::Table { shape, center_z } => {
            let place = table_place(object, center_z)?;
            let mut parsed = solid(object, id, kind, shape, place)?;
            parsed.objects.iter_mut().for_each(|o| o.mass = Mass::Fixed);
            Ok(parsed)
        }
        Body::Drawer {
            cabinet,
            drawer,
            handle,
            travel_m,
            open_m,
        } => {
            let mut parsed = two_bodies(object, id, [cabinet, drawer], travel_m, open_m)?;
            if let Some(joint) = &mut parsed.joint {
                joint.handle = Some(handle);
            }
            Ok(parsed)
        }
        Body::Button(parts) => button(object, id, parts),
    }
}

fn object_id(object: &Fields<'_>) -> Result<ObjectId, SceneError> {
    let field = object.need("id")?;
    let id = field.text()?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if id.chars().all(is_word) {
        return Ok(ObjectId::new(id));
    }
    Err(field.not_allowed(
        format!("`{id}`"),
        "one word of letters, digits, `_` and `-`",
    ))
}

fn solid(
    object: &Fields<'_>,
    id: ObjectId,
    kind: &str,
    shape: Shape,
    place: Place,
) -> Result<Parsed, SceneError> {
    let (color, rgba) = color(object)?;
    let category = match object.get("category") {
        Some(field) => field.text()?.to_owned(),
        None => kind.to_owned(),
    };
    let still = match kind {
        "table" => Some("a table"),
        "height_field" => Some("a height field, which never moves"),
        "point_cloud" => Some("a point cloud, which never moves"),
        _ => None,
    };
    let mass = match still {
        Some(what) => {
            no_mass_keys(object, what)?;
            Mass::Fixed
        }
        None => mass(object)?,
    };
    Ok(Parsed {
        objects: vec![ObjectDef {
            id,
            line: object.line,
            category,
            color,
            rgba,
            shape,
            mesh: None,
            mass,
            friction: object.number_or("friction", Sign::NotNegative, DEFAULT_FRICTION)?,
            place,
            upright: upright(object, kind)?,
            zones: zones(object)?,
            group: None,
        }],
        joint: None,
        ports: vec![],
    })
}

/// As the object says, else by its kind: what has an opening, a top or a file that says which
/// of its axes is up stands on its bottom.
fn upright(object: &Fields<'_>, kind: &str) -> Result<Option<Upright>, SceneError> {
    if let Some(field) = object.get("upright") {
        return axis(&field).map(Some);
    }
    let has_top = match kind {
        "mug" | "bowl" | "tray" | "plate" | "lathe" | "drawer" | "button" => true,
        "mesh" | "convex" | "decomposition" => object.get("up").is_some(),
        _ => false,
    };
    Ok(has_top.then_some(Upright::Z))
}

/// Places that the object says it has: name, `position` of the middle and `half_extents`, in its
/// own frame.
fn zones(object: &Fields<'_>) -> Result<Vec<KnownZone>, SceneError> {
    let Some(field) = object.get("zones") else {
        return Ok(vec![]);
    };
    let zone = |entry: Field<'_>| {
        let fields = entry.fields(&["position", "half_extents"])?;
        Ok(KnownZone {
            name: entry.key.to_owned(),
            position: fields.need("position")?.array(Sign::Any)?,
            half_extents: fields.need("half_extents")?.array(Sign::Positive)?,
        })
    };
    field.entries()?.map(zone).collect()
}

/// The axis that a field names.
pub(crate) fn axis(field: &Field<'_>) -> Result<Upright, SceneError> {
    let word = field.text()?;
    word.parse()
        .map_err(|_| field.error(Problem::unknown_word("axis", word, Upright::WORDS)))
}

/// The moving part takes the id; the housing is `<id>_cabinet` and fixed.
fn two_bodies(
    object: &Fields<'_>,
    id: ObjectId,
    [cabinet, drawer]: [Shape; 2],
    travel_m: f64,
    open_m: f64,
) -> Result<Parsed, SceneError> {
    let cabinet_id = ObjectId::new(format!("{id}_cabinet"));
    let place = place(object)?;
    let mut parsed = solid(object, id.clone(), "drawer", drawer, place.clone())?;
    let [moving] = parsed.objects.as_mut_slice() else {
        return Ok(parsed);
    };
    if matches!(moving.mass, Mass::Fixed) {
        return Err(object
            .need("fixed")?
            .not_allowed("true", "left out: a drawer moves"));
    }
    let housing = ObjectDef {
        id: cabinet_id.clone(),
        category: "cabinet".to_owned(),
        shape: cabinet,
        mass: Mass::Fixed,
        place,
        ..moving.clone()
    };
    moving.place = Place::Attached {
        parent: cabinet_id.clone(),
        parent_from_object: Pose::translation(open_m, 0.0, 0.0),
    };
    parsed.objects.insert(0, housing);
    parsed.joint = Some(SceneJoint {
        id: ObjectId::new(format!("{id}_slide")),
        parent: cabinet_id,
        child: id,
        kind: JointKind::Prismatic,
        axis_in_parent: [1.0, 0.0, 0.0],
        lower: -open_m,
        upper: travel_m - open_m,
        // A wooden slide: 0.1 m/s takes about 0.5 N.
        damping: 5.0,
        handle: None,
        spring: None,
    });
    Ok(parsed)
}

/// The cap takes the id; the housing is `<id>_housing` and fixed.
fn button(object: &Fields<'_>, id: ObjectId, button: Button) -> Result<Parsed, SceneError> {
    let housing_id = ObjectId::new(format!("{id}_housing"));
    let spring = spring(&button);
    let place = place(object)?;
    let mut parsed = solid(object, id.clone(), "button", button.cap, place.clone())?;
    let [cap] = parsed.objects.as_mut_slice() else {
        return Ok(parsed);
    };
    if matches!(cap.mass, Mass::Fixed) {
        return Err(object
            .need("fixed")?
            .not_allowed("true", "left out: a button moves"));
    }
    let housing = ObjectDef {
        id: housing_id.clone(),
        category: "housing".to_owned(),
        shape: button.housing,
        mass: Mass::Fixed,
        place,
        ..cap.clone()
    };
    cap.place = Place::Attached {
        parent: housing_id.clone(),
        parent_from_object: Pose::translation(0.0, 0.0, button.cap_z),
    };
    parsed.objects.insert(0, housing);
    parsed.joint = Some(SceneJoint {
        id: ObjectId::new(format!("{id}_plunger")),
        parent: housing_id,
        child: id,
        kind: JointKind::Prismatic,
        axis_in_parent: [0.0, 0.0, -1.0],
        lower: 0.0,
        upper: button.travel_m,
        // Stops the cap within a few hundredths of a second.
        damping: 2.0,
        handle: None,
        spring: Some(spring),
    });
    Ok(parsed)
}

/// Reaches its force at the end of the travel; a fifth of it holds the cap up.
fn spring(button: &Button) -> Spring {
    const PRELOAD: f64 = 0.2;
    let stiffness = (1.0 - PRELOAD) * button.force_n / button.travel_m;
    Spring {
        stiffness,
        rest: -PRELOAD * button.force_n / stiffness,
        press_at: button.press_at_m,
    }
}

pub(crate) fn color(object: &Fields<'_>) -> Result<(Option<String>, [f32; 4]), SceneError> {
    let named = match object.get("color") {
        None => None,
        Some(field) => {
            let word = field.text()?;
            let found = colors::by_name(word).ok_or_else(|| {
                field.error(Problem::unknown_word("colour", word, colors::names()))
            })?;
            Some(found)
        }
    };
    let rgba = match object.get("rgba") {
        None => named.map_or(colors::DEFAULT_RGBA, |(_, rgba)| rgba),
        Some(field) => {
            let rgba = field.array::<4>(Sign::NotNegative)?;
            if rgba.iter().any(|&c| c > 1.0) {
                return Err(field.not_allowed(format!("{rgba:?}"), "four numbers from 0 to 1"));
            }
            // Colours are for eyes: single precision is plenty.
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

fn no_mass_keys(object: &Fields<'_>, what: &str) -> Result<(), SceneError> {
    match object.one_of(&["mass_kg", "density_kg_per_m3"])? {
        None => Ok(()),
        Some(field) => Err(field.not_allowed("given", format!("left out for {what}"))),
    }
}

fn rotation(object: &Fields<'_>) -> Result<UnitQuaternion<f64>, SceneError> {
    Ok(match object.one_of(&["yaw_rad", "quat_xyzw"])? {
        None => UnitQuaternion::identity(),
        Some(field) if field.key == "yaw_rad" => {
            UnitQuaternion::from_axis_angle(&Vector3::z_axis(), field.number(Sign::Any)?)
        }
        Some(field) => quaternion(&field)?,
    })
}

pub(crate) fn quaternion(
    field: &crate::fields::Field<'_>,
) -> Result<UnitQuaternion<f64>, SceneError> {
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

/// Reads `position` or `xy`/`on`, and a rotation.
fn place(object: &Fields<'_>) -> Result<Place, SceneError> {
    let rotation = rotation(object)?;
    let Some(field) = object.one_of(&["position", "on"])? else {
        return Err(object.none_of(&["position", "on"]));
    };
    if field.key == "position" {
        if object.get("xy").is_some() {
            object.one_of(&["position", "xy"])?;
        }
        let [x, y, z] = field.array::<3>(Sign::Coordinate)?;
        return Ok(Place::At {
            world_from_object: Pose::from_parts([x, y, z].into(), rotation),
        });
    }
    let support = Located {
        line: field.node.line,
        value: field.text()?.to_owned(),
    };
    let xy = object
        .get("xy")
        .map(|xy| xy.array::<2>(Sign::Coordinate))
        .transpose()?;
    Ok(Place::On {
        support,
        xy,
        rotation,
    })
}

fn table_place(object: &Fields<'_>, center_z: f64) -> Result<Place, SceneError> {
    for key in ["position", "on", "quat_xyzw"] {
        if let Some(field) = object.get(key) {
            return Err(
                field.not_allowed("given", "left out: a table has `xy`, `yaw_rad` and `top_z`")
            );
        }
    }
    let [x, y] = object.need("xy")?.array::<2>(Sign::Coordinate)?;
    Ok(Place::At {
        world_from_object: Pose::from_parts([x, y, center_z].into(), rotation(object)?),
    })
}

/// Reads a pose: `position` (the origin, if it is left out) and a rotation.
pub(crate) fn posed(arm: &Fields<'_>) -> Result<Pose, SceneError> {
    let position = match arm.get("position") {
        Some(field) => field.array::<3>(Sign::Coordinate)?,
        None => [0.0; 3],
    };
    Ok(Pose::from_parts(position.into(), rotation(arm)?))
}
