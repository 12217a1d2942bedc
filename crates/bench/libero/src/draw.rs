//! Draws start poses by LIBERO's rules.

use nalgebra::{Translation3, UnitQuaternion, Vector3};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use regrasp_api::{ObjectId, Pose};
use regrasp_scene::{SceneObject, drop_distance, overlap_depth};

use crate::arena::Arena;
use crate::assets::AssetModel;
use crate::class::{JointRule, OF_JOINTS, Turn};
use crate::problem::{Atom, Instance, Problem, Region};
use crate::starts::Start;

/// Number of attempts for one object before everything is drawn again.
const N_DRAWS: usize = 5000;
/// Number of attempts to draw everything.
const N_ROUNDS: usize = 100;
/// Number of rounds in which overlapping objects also count as a failed draw.
const N_CLEAN_ROUNDS: usize = 50;
/// Height that LIBERO adds to the start position of a movable object, m.
const LIFT_M: f64 = 0.01;
/// Largest tolerated overlap of two objects, m.
const TOUCH_M: f64 = 5e-4;
/// Gap that is left between an object and its support, m.
const ABOVE_M: f64 = 1e-3;

pub(crate) struct Placed<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) is_fixture: bool,
    pub(crate) model: AssetModel,
    at: Vector3<f64>,
    is_there: bool,
}

/// Draws all poses. The error names an object that cannot be placed, and why.
pub(crate) fn draw<'a>(
    problem: &Problem,
    arena: &Arena,
    workspace: &[SceneObject],
    models: &'a [(Instance, bool, AssetModel)],
    rng: &mut ChaCha8Rng,
) -> Result<Vec<Placed<'a>>, String> {
    let mut last = String::new();
    for round in 0..N_ROUNDS {
        let mut all = unplaced(models);
        match round_of(problem, arena, &mut all, rng) {
            Ok(()) => match crossing(&all) {
                Some(pair) if round < N_CLEAN_ROUNDS => last = pair,
                _ => {
                    settle(workspace, &mut all);
                    return Ok(all);
                }
            },
            Err(message) => last = message,
        }
    }
    Err(last)
}

/// Puts movable objects at recorded start poses, and draws the poses of fixtures, as LIBERO does.
pub(crate) fn place_as<'a>(
    problem: &Problem,
    arena: &Arena,
    workspace: &[SceneObject],
    models: &'a [(Instance, bool, AssetModel)],
    kept: &Start,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<Placed<'a>>, String> {
    let mut all = unplaced(models);
    for placed in &mut all {
        for (joint, position) in &kept.joints {
            placed.model.pieces.start_at(joint, *position);
        }
    }
    for atom in problem.init.iter().filter(|atom| is_place(atom)) {
        if let [name, on] = atom.args.as_slice()
            && let Some(region) = problem.region(on)
            && region.target == arena.workspace
            && all[index(&all, name)?].is_fixture
        {
            on_workspace(name, region, arena, &mut all, rng)?;
        }
    }
    for (name, at, turn) in &kept.poses {
        let own = index(&all, name)?;
        put(&mut all[own], *at, *turn);
    }
    settle(workspace, &mut all);
    Ok(all)
}

fn unplaced(models: &[(Instance, bool, AssetModel)]) -> Vec<Placed<'_>> {
    let all = models.iter().map(|(instance, is_fixture, model)| Placed {
        instance,
        is_fixture: *is_fixture,
        model: model.clone(),
        at: Vector3::zeros(),
        is_there: false,
    });
    all.collect()
}

/// Returns true if a predicate gives a start position.
fn is_place(atom: &Atom) -> bool {
    matches!(atom.name.as_str(), "on" | "in")
}

/// Returns true if a predicate gives a start position of an object or of joints.
pub(crate) fn begins(atom: &Atom) -> bool {
    is_place(atom) || OF_JOINTS.contains(&atom.name.as_str())
}

fn round_of(
    problem: &Problem,
    arena: &Arena,
    all: &mut [Placed<'_>],
    rng: &mut ChaCha8Rng,
) -> Result<(), String> {
    let of_joints = |atom: &&Atom| OF_JOINTS.contains(&atom.name.as_str());
    for atom in problem.init.iter().filter(of_joints) {
        turn_joints(atom, all, rng);
    }
    let places = || problem.init.iter().filter(|atom| is_place(atom));
    let on = |atom: &Atom| atom.args.get(1).and_then(|name| problem.region(name));
    for atom in places() {
        if let (Some(region), Some(name)) = (on(atom), atom.args.first())
            && region.target == arena.workspace
        {
            on_workspace(name, region, arena, all, rng)?;
        }
    }
    for atom in places() {
        if let (Some(region), Some(name)) = (on(atom), atom.args.first())
            && region.target != arena.workspace
        {
            at_site(name, region, atom.name == "on", all, rng)?;
        }
    }
    let on_things = places().filter_map(|atom| match atom.args.as_slice() {
        [name, other] if problem.has(other) && other != &arena.workspace => Some([name, other]),
        _ => None,
    });
    let mut left: Vec<_> = on_things.collect();
    // Supports are placed before the objects on them, whatever their order in the file.
    while !left.is_empty() {
        let stands = |[_, other]: &[&String; 2]| Ok(all[index(all, other)?].is_there);
        let stands = left.iter().map(stands);
        let stands = stands.collect::<Result<Vec<_>, String>>()?;
        let Some(next) = stands.iter().position(|stands| *stands) else {
            let [name, other] = left[0];
            return Err(format!(
                "`{name}` is on `{other}`, whose position is not given"
            ));
        };
        let [name, other] = left.remove(next);
        on_object(name, other, all, rng)?;
    }
    Ok(())
}

fn index(all: &[Placed<'_>], name: &str) -> Result<usize, String> {
    let found = all.iter().position(|p| p.instance.name == name);
    found.ok_or_else(|| format!("`{name}` is not an object that can be placed"))
}

/// Indices of the placed objects that block a position for an object.
fn in_the_way(all: &[Placed<'_>], own: usize, at: &Vector3<f64>) -> Vec<usize> {
    let model = &all[own].model;
    let blocks = |other: &Placed<'_>| {
        other.is_there
            && (at - other.at).xy().norm() <= model.radius + other.model.radius
            && at.z - other.at.z <= other.model.top - model.bottom
    };
    let others = all.iter().enumerate().filter(|(i, _)| *i != own);
    others.filter(|(_, p)| blocks(p)).map(|(i, _)| i).collect()
}

fn blocked(all: &[Placed<'_>], own: usize, by: usize) -> String {
    let [own, by] = [own, by].map(|i| &all[i].instance.name);
    format!("`{by}` is in the way of `{own}`")
}

fn between(rng: &mut ChaCha8Rng, from: f64, to: f64) -> f64 {
    from + (to - from) * rng.random::<f64>()
}

fn on_workspace(
    name: &str,
    region: &Region,
    arena: &Arena,
    all: &mut [Placed<'_>],
    rng: &mut ChaCha8Rng,
) -> Result<(), String> {
    let own = index(all, name)?;
    let is_fixture = all[own].is_fixture;
    if region.ranges.is_empty() {
        return Err(format!("region `{}` has no `:ranges`", region.name));
    }
    // As in LIBERO, the limits swap if a rectangle is narrower than the object.
    let inset = match arena.keeps_inside && !is_fixture {
        true => all[own].model.radius,
        false => 0.0,
    };
    let mut last = String::new();
    for _ in 0..N_DRAWS {
        let [x0, y0, x1, y1] = region.ranges[rng.random_range(0..region.ranges.len())];
        let [ox, oy, oz] = arena.offset;
        let up = if is_fixture { arena.fixture_z } else { LIFT_M };
        let at = Vector3::new(
            ox + between(rng, x0 + inset, x1 - inset),
            oy + between(rng, y0 + inset, y1 - inset),
            oz + up - all[own].model.bottom,
        );
        let turn = match is_fixture {
            true => UnitQuaternion::new(Vector3::z() * between(rng, region.yaw[0], region.yaw[1])),
            false => turn_of(&all[own], rng),
        };
        match in_the_way(all, own, &at).first() {
            Some(by) if !is_fixture => last = blocked(all, own, *by),
            _ => {
                put(&mut all[own], at, turn);
                return Ok(());
            }
        }
    }
    Err(last)
}

fn turn_of(placed: &Placed<'_>, rng: &mut ChaCha8Rng) -> UnitQuaternion<f64> {
    Turn::of(&placed.instance.class, &placed.model.folder).draw(rng)
}

fn put(placed: &mut Placed<'_>, at: Vector3<f64>, turn: UnitQuaternion<f64>) {
    placed.at = at;
    placed.is_there = true;
    let pose = Pose::from_parts(Translation3::from(at), turn);
    placed.model.pieces.place(&pose);
}

fn at_site(
    name: &str,
    region: &Region,
    is_on: bool,
    all: &mut [Placed<'_>],
    rng: &mut ChaCha8Rng,
) -> Result<(), String> {
    let (own, target) = (index(all, name)?, index(all, &region.target)?);
    let below = &all[target];
    let short = region.name.strip_prefix(&format!("{}_", region.target));
    let short = short.unwrap_or(&region.name);
    let site = below.model.pieces.sites.iter().find(|s| s.name == short);
    let site = site.ok_or_else(|| format!("`{}` has no site `{short}`", region.target))?;
    let mut objects = below.model.pieces.objects.iter();
    let object = objects.find(|o| o.id == site.object);
    let object = object.ok_or_else(|| format!("`{}` has no `{}`", region.target, site.object))?;
    let world_from_site = object.world_from_object * site.object_from_site;
    let center = world_from_site.translation.vector;
    // As in LIBERO, the height of the site in World, plus the owner's top for `on`.
    let mut z = center.z - all[own].model.bottom;
    let size = site.size;
    if is_on {
        z += below.model.top;
    }
    let radius = all[own].model.radius;
    let mut last = String::new();
    for _ in 0..N_DRAWS {
        let mut at = Vector3::new(center.x, center.y, z);
        if is_on {
            for i in 0..2 {
                let most = (size[i] / 2.0 - radius).abs();
                at[i] += between(rng, -most, most);
            }
        }
        let turn = turn_of(&all[own], rng);
        let by = in_the_way(all, own, &at);
        // An object in or on a fixture may be inside the fixture's radius.
        if by.iter().all(|i| *i == target) {
            put(&mut all[own], at, turn);
            return Ok(());
        }
        last = blocked(all, own, by[0]);
    }
    Err(last)
}

fn on_object(
    name: &str,
    other: &str,
    all: &mut [Placed<'_>],
    rng: &mut ChaCha8Rng,
) -> Result<(), String> {
    let (own, below) = (index(all, name)?, index(all, other)?);
    let mut at = all[below].at;
    at.z += all[below].model.top + LIFT_M - all[own].model.bottom;
    let turn = turn_of(&all[own], rng);
    put(&mut all[own], at, turn);
    Ok(())
}

/// Sets the start positions of joints by a predicate.
fn turn_joints(atom: &Atom, all: &mut [Placed<'_>], rng: &mut ChaCha8Rng) {
    let Some(name) = atom.args.first() else {
        return;
    };
    for placed in all {
        let class = &placed.instance.class;
        for id in named_joints(&placed.instance.name, &placed.model, name) {
            let joint = placed.model.pieces.joints.iter().find(|j| j.id == id);
            let Some(joint) = joint else { continue };
            let rule = JointRule::of(class, &atom.name, [joint.lower, joint.upper]);
            let position = between(rng, rule.init[0], rule.init[1]);
            placed.model.pieces.start_at(&id, position);
        }
    }
}

/// Returns the joints that a name refers to: all of an instance, or those of the body with that
/// site.
pub(crate) fn named_joints(instance: &str, model: &AssetModel, name: &str) -> Vec<ObjectId> {
    let joints = model.pieces.joints.iter();
    if name == instance {
        return joints.map(|joint| joint.id.clone()).collect();
    }
    let short = name.strip_prefix(&format!("{instance}_"));
    let site = short.and_then(|short| model.pieces.sites.iter().find(|s| s.name == short));
    let Some(site) = site else {
        return vec![];
    };
    let of_body = joints.filter(|joint| joint.child == site.object);
    of_body.map(|joint| joint.id.clone()).collect()
}

fn movable<'a>(all: &'a [Placed<'_>]) -> impl Iterator<Item = &'a SceneObject> {
    let free = all.iter().filter(|p| !p.is_fixture);
    free.flat_map(|p| p.model.pieces.objects.first())
}

/// Returns a message if two movable objects overlap.
fn crossing(all: &[Placed<'_>]) -> Option<String> {
    let objects: Vec<_> = movable(all).collect();
    for (i, a) in objects.iter().enumerate() {
        for b in &objects[..i] {
            // Compare at equal heights, since objects are lowered afterwards.
            let mut level = a.world_from_object;
            let [z, other_z] = [a, b].map(|o| o.world_from_object.translation.z);
            level.translation.vector.z = other_z;
            let is_above = (z - other_z).abs() > 0.08;
            let depth = overlap_depth(&a.shape, &level, &b.shape, &b.world_from_object);
            if !is_above && depth.is_some_and(|depth| depth > TOUCH_M) {
                return Some(format!("`{}` and `{}` overlap", b.id, a.id));
            }
        }
    }
    None
}

/// Lowers or raises every movable object onto its support. In LIBERO, objects fall, or are pushed
/// out of an overlap, before the task begins.
fn settle(workspace: &[SceneObject], all: &mut [Placed<'_>]) {
    /// Largest distance by which an object is lowered, m.
    const FAR_M: f64 = 0.5;
    const STEP_M: f64 = 0.002;
    const N_STEPS: usize = 100;
    let mut order: Vec<usize> = (0..all.len()).filter(|i| !all[*i].is_fixture).collect();
    order.sort_by(|a, b| all[*a].at.z.total_cmp(&all[*b].at.z));
    let mut standing: Vec<SceneObject> = workspace.to_vec();
    for placed in all.iter().filter(|p| p.is_fixture) {
        standing.extend(placed.model.pieces.objects.iter().cloned());
    }
    for i in order {
        let Some(object) = all[i].model.pieces.objects.first().cloned() else {
            continue;
        };
        let mut pose = object.world_from_object;
        let is_inside = |pose: &Pose| {
            standing.iter().any(|other| {
                overlap_depth(&object.shape, pose, &other.shape, &other.world_from_object)
                    .is_some_and(|depth| depth > TOUCH_M)
            })
        };
        let mut n = 0;
        while n < N_STEPS && is_inside(&pose) {
            pose.translation.vector.z += STEP_M;
            n += 1;
        }
        let drops = standing.iter().filter_map(|other| {
            let below = (&other.shape, &other.world_from_object);
            drop_distance(&object.shape, &pose, below.0, below.1, FAR_M)
        });
        if let Some(drop) = drops.reduce(f64::min) {
            pose.translation.vector.z -= drop - ABOVE_M;
        }
        all[i].model.pieces.place(&pose);
        standing.extend(all[i].model.pieces.objects.iter().cloned());
    }
}
