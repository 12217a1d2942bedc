//! Reads one object of a scene file: definitions of one or more bodies.

use regrasp_api::{ObjectId, Pose, Upright};

use crate::defs::{ObjectDef, Parsed, PlacementSpec, Solid};
use crate::fields::{Field, Fields, Sign};
use crate::keys::{Mass, axis, color, mass, no_mass_keys, rotation, zones};
use crate::kinds::{self, Body, Housed};
use crate::source::Source;
use crate::types::DEFAULT_FRICTION;
use crate::yaml::{Node, Value};
use crate::{
    Problem, Result, SceneJoint, SceneObject, articulated, beads, drawn, formats, keys, ports,
};

pub(crate) fn parse(file: &str, node: &Node, source: &Source) -> Result<Parsed> {
    let kind = match &node.value {
        Value::Map(entries) => {
            let entry = entries.iter().find(|e| e.key == "kind");
            let missing = || Problem::missing_key("kind", "an object").at(file, node.line);
            let entry = entry.ok_or_else(missing)?;
            Some(formats::kind(&Field::new(file, "kind", &entry.node))?)
        }
        // An object that is not a mapping is rejected below.
        _ => None,
    };
    let own = kind.into_iter().flat_map(|kind| &kind.keys);
    let allowed: Vec<&str> = formats::keys("object").iter().chain(own).copied().collect();
    let kind = kind.map_or("", |kind| kind.name);
    let within = match kind {
        "" => "an object".to_owned(),
        kind => format!("an object of kind `{kind}`"),
    };
    let object = Fields::new(file, node, &within, &allowed)?;
    let id = object_id(&object)?;
    if kind == "beads" {
        return Ok(Parsed {
            objects: beads::parse(&object, &id)?,
            ..Parsed::default()
        });
    }
    let ports = ports::parse(&object, &id)?;
    let visuals = drawn::visuals(&object, source)?;
    let mut parsed = bodies(kind, &object, id.clone(), source)?;
    parsed.ports = ports;
    if let Some(named) = parsed.objects.iter_mut().find(|o| o.body.id == id) {
        named.body.visuals = visuals;
    }
    Ok(parsed)
}

fn bodies(kind: &str, object: &Fields<'_>, id: ObjectId, source: &Source) -> Result<Parsed> {
    match kinds::body(kind, object, source)? {
        Body::Solid(own) => solid(object, id, kind, own, place(object)?),
        Body::Table { shape, center_z } => {
            let place = table_place(object, center_z)?;
            solid(object, id, kind, shape.into(), place)
        }
        Body::Housed(parts) => housed(object, id, *parts),
        Body::Articulated(base) => {
            let base = solid(object, id, kind, base, place(object)?)?;
            articulated::bodies(object, base, source)
        }
    }
}

fn object_id(object: &Fields<'_>) -> Result<ObjectId> {
    let field = object.need("id")?;
    let id = field.text()?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if id.chars().all(is_word) {
        return Ok(ObjectId::new(id));
    }
    let allowed = "one word of letters, digits, `_` and `-`";
    Err(field.not_allowed(format!("`{id}`"), allowed))
}

fn solid(
    object: &Fields<'_>,
    id: ObjectId,
    kind: &str,
    own: Solid,
    place: PlacementSpec,
) -> Result<Parsed> {
    let (color, rgba) = color(object)?;
    let category = object.text_or("category", kind)?;
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
            body: SceneObject {
                color,
                rgba,
                inertial: keys::inertia(object, &own.shape)?,
                friction: object.number_or("friction", Sign::NotNegative, DEFAULT_FRICTION)?,
                upright: upright(object, kind)?,
                zones: zones(object)?,
                mesh: own.mesh,
                mesh_report: own.report,
                ..SceneObject::new(id, category, own.shape, Pose::identity())
            },
            line: object.line,
            mass,
            place,
        }],
        ..Parsed::default()
    })
}

/// Reads the upright axis. By default it is z for kinds with an opening or a top, and for meshes
/// with the key `up`; other objects have none.
fn upright(object: &Fields<'_>, kind: &str) -> Result<Option<Upright>> {
    if let Some(field) = object.get("upright") {
        return axis(&field).map(Some);
    }
    let has_top = match kind {
        "mug" | "bowl" | "tray" | "plate" | "lathe" | "drawer" | "button" | "articulated" => true,
        "mesh" | "convex" | "decomposition" => object.get("up").is_some(),
        _ => false,
    };
    Ok(has_top.then_some(Upright::Z))
}

fn housed(object: &Fields<'_>, id: ObjectId, parts: Housed) -> Result<Parsed> {
    let housing_id = ObjectId::new(format!("{id}_{}", parts.category));
    keys::moving_mass(object, format_args!("a moving {}", parts.kind))?;
    let place = place(object)?;
    let moving = parts.moving.into();
    let mut parsed = solid(object, id.clone(), parts.kind, moving, place.clone())?;
    let [moving] = parsed.objects.as_mut_slice() else {
        return Ok(parsed);
    };
    let housing = ObjectDef {
        body: SceneObject {
            id: housing_id.clone(),
            category: parts.category.to_owned(),
            shape: parts.housing,
            ..moving.body.clone()
        },
        line: moving.line,
        mass: Mass::Fixed,
        place,
    };
    moving.place = PlacementSpec::Attached {
        parent: housing_id.clone(),
        parent_from_object: parts.housing_from_moving,
    };
    parsed.objects.insert(0, housing);
    parsed.joints.push(SceneJoint {
        id: ObjectId::new(format!("{id}_{}", parts.joint.id)),
        parent: housing_id,
        child: id,
        ..parts.joint
    });
    Ok(parsed)
}

fn place(object: &Fields<'_>) -> Result<PlacementSpec> {
    let rotation = rotation(object)?;
    let field = object.just_one_of(&["position", "on"])?;
    if field.key == "position" {
        for beside in ["xy", "zone"] {
            object.one_of(&["position", beside])?;
        }
        let [x, y, z] = field.array::<3>(Sign::Coordinate)?;
        return Ok(PlacementSpec::At {
            world_from_object: Pose::from_parts([x, y, z].into(), rotation),
        });
    }
    object.one_of(&["xy", "zone"])?;
    Ok(PlacementSpec::On {
        support: field.word()?,
        xy: object.maybe("xy", |field| field.array(Sign::Coordinate))?,
        zone: object.maybe("zone", |field| field.word())?,
        rotation,
    })
}

fn table_place(object: &Fields<'_>, center_z: f64) -> Result<PlacementSpec> {
    let when = "for a table, which has `xy`, `yaw_rad` and `top_z`";
    object.without(&["position", "on", "quat_xyzw"], when)?;
    let [x, y] = object.need("xy")?.array::<2>(Sign::Coordinate)?;
    Ok(PlacementSpec::At {
        world_from_object: Pose::from_parts([x, y, center_z].into(), rotation(object)?),
    })
}
