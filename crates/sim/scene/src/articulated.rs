//! The kind `articulated`: an object of several jointed bodies, such as a cabinet with drawers, a
//! microwave with a door, a stove with a knob.

use nalgebra::{Point3, Vector3};
use regrasp_api::{JointKind, JointRole, ObjectId, Part, Pose, Shape};

use crate::defs::{ObjectDef, Parsed, PlacementSpec};
use crate::fields::{Field, Fields, Sign};
use crate::formats::keys;
use crate::keys::{color, moving_mass, posed, zones};
use crate::kinds;
use crate::source::Source;
use crate::{Gear, Problem, Result, SceneJoint, SceneObject, drawn, keys};

/// Adds the moving bodies and their joints to the base.
pub(crate) fn bodies(object: &Fields<'_>, mut all: Parsed, source: &Source) -> Result<Parsed> {
    let field = object.need("bodies")?;
    let entries: Vec<Field<'_>> = field.entries()?.collect();
    if entries.is_empty() {
        return Err(field.not_allowed("empty", "a mapping with at least one body"));
    }
    let names: Vec<&str> = entries.iter().map(|entry| entry.key).collect();
    for entry in &entries {
        let body = body(entry, &names, &all.objects, source)?;
        all.objects.push(body.0);
        all.joints.push(body.1);
    }
    Ok(all)
}

fn body(
    entry: &Field<'_>,
    names: &[&str],
    before: &[ObjectDef],
    source: &Source,
) -> Result<(ObjectDef, SceneJoint)> {
    let fields = entry.fields(keys("body"))?;
    let base = &before[0].body;
    let id_of = |name: &str| ObjectId::new(format!("{}_{name}", base.id));
    if !entry.key.chars().all(|c| c.is_alphanumeric() || c == '_') {
        let got = format!("`{}`", entry.key);
        return Err(entry.not_allowed(got, "a name of letters, digits and `_`"));
    }
    let earlier = |field: &Field<'_>| {
        let word = field.text()?;
        let id = id_of(word);
        if before.iter().any(|o| o.body.id == id) {
            return Ok(id);
        }
        let known = names.iter().copied().take_while(|name| *name != entry.key);
        Err(field.error(Problem::unknown_word("earlier body", word, known)))
    };
    let parent = fields.get("on").as_ref().map(&earlier).transpose()?;
    let parent = parent.unwrap_or_else(|| base.id.clone());
    let solid = kinds::compound(&fields, source)?;
    let mass = moving_mass(&fields, "a body that moves on a joint")?;
    let (own_color, own_rgba) = match (fields.get("color"), fields.get("rgba")) {
        (None, None) => (base.color.clone(), base.rgba),
        _ => color(&fields)?,
    };
    let parent_from_zero = posed(&fields)?;
    let ends = [parent, id_of(entry.key)];
    let mut joint = joint(&fields, ends, &parent_from_zero, &earlier)?;
    joint.handle = handle(&fields, &solid.shape)?;
    let parent_from_object = joint.motion(joint.start) * parent_from_zero;
    // The noun is the last word: `top_drawer` is a drawer.
    let noun = entry.key.rsplit('_').next().unwrap_or(entry.key);
    let category = fields.text_or("category", noun)?;
    let object = ObjectDef {
        body: SceneObject {
            color: own_color,
            rgba: own_rgba,
            mesh: solid.mesh,
            friction: fields.number_or("friction", Sign::NotNegative, base.friction)?,
            zones: zones(&fields)?,
            part_of: Some(base.id.clone()),
            inertial: keys::inertia(&fields, &solid.shape)?,
            visuals: drawn::visuals(&fields, source)?,
            ..SceneObject::new(id_of(entry.key), category, solid.shape, Pose::identity())
        },
        line: fields.line,
        mass,
        place: PlacementSpec::Attached {
            parent: joint.parent.clone(),
            parent_from_object,
        },
    };
    Ok((object, joint))
}

fn joint(
    body: &Fields<'_>,
    [parent, child]: [ObjectId; 2],
    parent_from_zero: &Pose,
    earlier: &dyn Fn(&Field<'_>) -> Result<ObjectId>,
) -> Result<SceneJoint> {
    let field = body.need("joint")?;
    let fields = field.fields(keys("joint"))?;
    let kinds = [
        ("hinge", JointKind::Revolute),
        ("slide", JointKind::Prismatic),
    ];
    let kind = fields.need("kind")?.choice("kind of joint", &kinds)?;
    let roles = [("opens", JointRole::Opens), ("sets", JointRole::Sets)];
    let role = fields.maybe("role", |field| field.choice("role", &roles))?;
    let axis_field = fields.need("axis")?;
    let axis = Vector3::from(axis_field.array::<3>(Sign::Any)?);
    let axis = axis
        .try_normalize(1e-6)
        .ok_or_else(|| axis_field.not_allowed("of length 0", "a vector with a direction"))?;
    let point = fields.array_or("point", Sign::Coordinate, [0.0; 3])?;
    let range = fields.need("range")?;
    let limits = range.array::<2>(Sign::Any)?;
    if kind == JointKind::Revolute && limits[1] - limits[0] > MOST_TURN_RAD {
        let got = format!("{:.3} rad", limits[1] - limits[0]);
        return Err(range.not_allowed(got, format!("at most {MOST_TURN_RAD} rad")));
    }
    let optional = |key| fields.maybe(key, |field| field.number(Sign::Any));
    let axis = parent_from_zero.rotation * axis;
    let joint = SceneJoint {
        point_in_parent: Some((parent_from_zero * Point3::from(point)).coords.into()),
        start: optional("start")?
            .unwrap_or_else(|| 0.0_f64.clamp(limits[0].min(limits[1]), limits[1])),
        closed_at: optional("closed_at")?,
        role: role.unwrap_or_default(),
        open_from: optional("open_from")?,
        closed_up_to: optional("closed_up_to")?,
        damping: fields.number_or("damping", Sign::NotNegative, 0.0)?,
        friction: fields.number_or("friction", Sign::NotNegative, 0.0)?,
        armature: fields.number_or("armature", Sign::NotNegative, 0.0)?,
        collides: fields.flag("collides")?,
        geared: fields.maybe("geared", |field| gear(&field, earlier))?,
        ..SceneJoint::new(joint_of(&child), [parent, child], kind, axis.into(), limits)
    };
    if let Some(flaw) = joint.flaw() {
        return Err(range.error(format!("the joint is invalid: {flaw}")));
    }
    let travel = joint.travel();
    for opening in ["open_from", "closed_up_to"] {
        let allowed = format!("an opening from 0 to {travel}, the travel of the joint");
        let is_reached = |x| (0.0..=travel).contains(&x);
        fields.maybe(opening, |field| {
            field.number_if(Sign::Any, is_reached, allowed)
        })?;
    }
    Ok(joint)
}

fn gear(field: &Field<'_>, earlier: &dyn Fn(&Field<'_>) -> Result<ObjectId>) -> Result<Gear> {
    let fields = field.fields(keys("gear"))?;
    let ratio = fields.need("ratio")?;
    Ok(Gear {
        to: joint_of(&earlier(&fields.need("to")?)?),
        ratio: match ratio.number(Sign::Any)? {
            0.0 => return Err(ratio.not_allowed(0, "a number that is not 0")),
            ratio => ratio,
        },
        offset: fields.number_or("offset", Sign::Any, 0.0)?,
    })
}

fn joint_of(child: &ObjectId) -> ObjectId {
    ObjectId::new(format!("{child}_joint"))
}

/// Largest range of a hinge, rad. It is below 2 pi, since positions a whole turn apart look the
/// same.
pub const MOST_TURN_RAD: f64 = 6.2;

/// Reads the part to grasp, given by its index from 0.
fn handle(body: &Fields<'_>, shape: &Shape) -> Result<Option<Part>> {
    let Some(field) = body.get("handle") else {
        return Ok(None);
    };
    let idx = field.number(Sign::NotNegative)?;
    let whole = [Part::new(Pose::identity(), shape.clone())];
    let parts = match shape {
        Shape::Compound { parts } => parts.as_slice(),
        _ => &whole,
    };
    let part = parts.iter().enumerate().find(|(i, _)| *i as f64 == idx);
    let allowed = || format!("the index of a part, from 0 to {}", parts.len() - 1);
    let part = part.ok_or_else(|| field.not_allowed(idx, allowed()));
    part.map(|(_, part)| Some(part.clone()))
}
