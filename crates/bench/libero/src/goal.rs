//! Goals: LIBERO's predicates as LIBERO tests them, and our stricter condition.

use nalgebra::UnitQuaternion;
use regrasp_api::ObjectId;
use regrasp_ground_truth::Success;
use regrasp_ground_truth::success::{All, Box3, On, Predicate, Predicates, Released, Static};

use crate::arena::Arena;
use crate::class::{JointRule, OF_JOINTS, Side};
use crate::draw::{Placed, named_joints};
use crate::error::LiberoError;
use crate::problem::{Atom, PREDICATES, Problem};

/// Largest horizontal distance between the origins of an object and of the object below it, m.
const ON_WITHIN_M: f64 = 0.03;
/// Half the height of a workspace region's site, m.
const REGION_HALF_M: f64 = 0.007;
/// Least height in World for the predicate `up`, m.
const UP_FROM_M: f64 = 1.0;

pub(crate) fn success(
    problem: &Problem,
    arena: &Arena,
    all: &[Placed<'_>],
) -> Result<Predicates, LiberoError> {
    let predicate = |atom: &Atom| {
        let made = predicate(problem, arena, all, atom);
        made.map_err(|message| problem.wrong(atom.at, message))
    };
    let all: Result<Vec<_>, _> = problem.goal.iter().map(predicate).collect();
    let goal = Predicates(all?);
    if let Some(conflict) = Success::from(goal.clone()).conflict() {
        let at = problem.goal.first().map_or(problem.at, |atom| atom.at);
        return Err(problem.wrong(at, format!("the goal can never hold: {conflict}")));
    }
    Ok(goal)
}

fn predicate(
    problem: &Problem,
    arena: &Arena,
    all: &[Placed<'_>],
    atom: &Atom,
) -> Result<Predicate, String> {
    let args: Vec<&str> = atom.args.iter().map(String::as_str).collect();
    match (atom.name.as_str(), args.as_slice()) {
        ("on" | "in", [name, other]) if name == other => {
            Err(format!("`{name}` cannot be in a relation to itself"))
        }
        ("true" | "printjointstate", _) => Ok(Predicate::Constant { holds: true }),
        ("false", _) => Err("`false` never holds, so it cannot be a goal".to_owned()),
        ("up", [name]) => Ok(Predicate::Up {
            object: ObjectId::new(*name),
            from_m: UP_FROM_M,
        }),
        ("on", [name, target]) if problem.has(target) && *target != arena.workspace => {
            Ok(Predicate::Upon {
                object: ObjectId::new(*name),
                target: ObjectId::new(*target),
                within_m: ON_WITHIN_M,
            })
        }
        ("on", [name, place]) => {
            let (place, touching) = place_named(problem, arena, all, place)?;
            Ok(Predicate::OnPlace {
                object: ObjectId::new(*name),
                place,
                touching,
            })
        }
        ("in", [_, target]) if problem.has(target) => Err(format!(
            "`{target}` is an object; in LIBERO an object can only be in one of its sites"
        )),
        ("in", [name, place]) => Ok(Predicate::InPlace {
            object: ObjectId::new(*name),
            place: place_named(problem, arena, all, place)?.0,
        }),
        (name, [what]) if OF_JOINTS.contains(&name) => joints(all, name, what),
        (name, args) => Err(format!(
            "`{name}` with {} arguments is not a predicate (known: {PREDICATES})",
            args.len()
        )),
    }
}

fn joints(all: &[Placed<'_>], name: &str, what: &str) -> Result<Predicate, String> {
    // The name of an instance may be a prefix of another's, so the longest match is right.
    let owners = all.iter().filter(|p| {
        let own = p.instance.name.as_str();
        what == own || what.starts_with(&format!("{own}_"))
    });
    let owner = owners.max_by_key(|p| p.instance.name.len());
    let owner = owner.ok_or_else(|| format!("`{what}` has no joints"))?;
    let meant = named_joints(&owner.instance.name, &owner.model, what);
    let is_any = matches!(name, "open" | "turnon");
    let mut joints = owner.model.pieces.joints.iter();
    let Some(first) = joints.find(|j| meant.contains(&j.id)) else {
        // As in LIBERO, a site on a body without joints is never open and always closed.
        return match is_any {
            true => Err(format!("`{name}` never holds: `{what}` has no joint")),
            false => Ok(Predicate::Constant { holds: true }),
        };
    };
    let rule = JointRule::of(&owner.instance.class, name, [first.lower, first.upper]);
    let is = |side| (rule.side == side).then_some(rule.limit);
    Ok(Predicate::Joints {
        joints: meant,
        any: is_any,
        above: is(Side::Above),
        below: is(Side::Below),
        or_at: rule.or_at,
    })
}

/// Returns a region as a box, and the objects that can support an object on the region: it has to
/// touch one of them. A workspace region has none and needs no contact.
fn place_named(
    problem: &Problem,
    arena: &Arena,
    all: &[Placed<'_>],
    name: &str,
) -> Result<(Box3, Vec<ObjectId>), String> {
    let region = problem.region(name);
    let region = region.ok_or_else(|| format!("there is no region `{name}`"))?;
    if region.target == arena.workspace {
        let range = region.ranges.first();
        let [x0, y0, x1, y1] = *range.ok_or_else(|| format!("region `{name}` has no `:ranges`"))?;
        let [ox, oy, _] = arena.offset;
        let place = Box3 {
            name: name.to_owned(),
            of: None,
            position: [ox + 0.5 * (x0 + x1), oy + 0.5 * (y0 + y1), arena.site_z],
            quat_xyzw: [0.0, 0.0, 0.0, 1.0],
            half_extents: [0.5 * (x1 - x0), 0.5 * (y1 - y0), REGION_HALF_M],
        };
        return Ok((place, vec![]));
    }
    let owner = all.iter().find(|p| p.instance.name == region.target);
    let owner = owner.ok_or_else(|| format!("there is no object `{}`", region.target))?;
    let short = name.strip_prefix(&format!("{}_", region.target));
    let short = short.unwrap_or(name);
    let site = owner.model.pieces.sites.iter().find(|s| s.name == short);
    let site = site.ok_or_else(|| {
        let known = owner.model.pieces.sites.iter().map(|s| s.name.as_str());
        let known = known.collect::<Vec<_>>().join(", ");
        format!("`{}` has no site `{short}` (known: {known})", region.target)
    })?;
    let rotation: UnitQuaternion<f64> = site.object_from_site.rotation;
    let place = Box3 {
        name: name.to_owned(),
        of: Some(site.object.clone()),
        position: site.object_from_site.translation.vector.into(),
        quat_xyzw: rotation.coords.into(),
        half_extents: site.size,
    };
    let ids = owner.model.pieces.objects.iter().map(|o| o.id.clone());
    Ok((place, ids.collect()))
}

/// Returns a stricter condition than LIBERO's goal: every object to be moved is also released and
/// at rest, and an object to be put on another is supported by it.
pub(crate) fn stricter(goal: &Predicates) -> Success {
    let mut all: Vec<Success> = vec![goal.clone().into()];
    for predicate in &goal.0 {
        let (Predicate::Upon { object, .. }
        | Predicate::OnPlace { object, .. }
        | Predicate::InPlace { object, .. }) = predicate
        else {
            continue;
        };
        if let Predicate::Upon { target, .. } = predicate {
            let on = On {
                object: object.clone(),
                target: target.clone(),
                xy_tolerance_m: None,
                dz_tolerance_m: None,
            };
            all.push(on.into());
        }
        let released = Released {
            object: Some(object.clone()),
            min_distance_m: None,
        };
        let at_rest = Static {
            object: object.clone(),
            max_linear_m_per_s: 0.02,
            max_angular_rad_per_s: 0.2,
        };
        all.extend([Success::from(released), at_rest.into()]);
    }
    All(all).into()
}
