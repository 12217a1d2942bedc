//! Many small balls in a container: one entry of a scene file, many bodies.

use nalgebra::{Point3, Vector3};
use regrasp_api::{ObjectId, Pose, Shape};

use crate::defs::{ObjectDef, PlacementSpec};
use crate::fields::{Fields, Sign};
use crate::keys;
use crate::types::DEFAULT_FRICTION;
use crate::{Problem, Result, SceneObject, geometry};

/// Largest number of beads: more would slow the simulation down too much.
const MOST: f64 = 200.0;
/// Initial distance between two centres, in diameters, and between a centre and the wall, in radii.
const APART: f64 = 1.04;

/// Reads `n`, `radius` and `in`; the other keys are those of any movable object.
pub(crate) fn parse(object: &Fields<'_>, id: &ObjectId) -> Result<Vec<ObjectDef>> {
    let what = "beads, which are placed `in` a container";
    let others = [
        "position",
        "on",
        "xy",
        "yaw_rad",
        "quat_xyzw",
        "plug",
        "hole",
    ];
    object.without(&others, format_args!("for {what}"))?;
    let is_count = |n: f64| n.fract() == 0.0 && n <= MOST;
    let allowed = format!("a whole number from 1 to {MOST}");
    let n = (object.need("n")?).number_if(Sign::Positive, is_count, allowed)?;
    let radius = object.number("radius", Sign::Length)?;
    let container = object.need("in")?.word()?;
    let mass = keys::moving_mass(object, what)?;
    let (color, rgba) = keys::color(object)?;
    let category = object.text_or("category", "beads")?;
    let friction = object.number_or("friction", Sign::NotNegative, DEFAULT_FRICTION)?;
    let n = n as usize;
    let bead = |idx: usize| ObjectDef {
        body: SceneObject {
            color: color.clone(),
            rgba,
            friction,
            group: Some(id.clone()),
            ..SceneObject::new(
                ObjectId::new(format!("{id}_{:02}", idx + 1)),
                category.clone(),
                Shape::Sphere { radius },
                Pose::identity(),
            )
        },
        line: object.line,
        mass,
        place: PlacementSpec::Within {
            container: container.clone(),
            idx,
            n,
        },
    };
    Ok((0..n).map(bead).collect())
}

/// Returns the start pose of bead `idx` of `n`. Layers are filled from the floor up, each from its
/// centre outwards.
///
/// # Errors
///
/// The container has no cavity, or no room for `n` beads.
pub(crate) fn place(
    object: &ObjectDef,
    shape: &Shape,
    container: &SceneObject,
    idx: usize,
    n: usize,
) -> Result<Pose, Problem> {
    let places = places(shape, container, n);
    let place = places.get(idx).filter(|_| places.len() >= n);
    let found = match places.len() {
        _ if container.shape.cavity().is_none() => "which is not hollow".to_owned(),
        n_fit => format!("which has room for {n_fit}"),
    };
    let place = place.ok_or_else(|| {
        let allowed = match &object.body.group {
            Some(group) => format!("a container with room for all {n} of `{group}`"),
            None => "a container".to_owned(),
        };
        Problem::not_allowed("in", format!("`{}`, {found}", container.id), allowed)
    })?;
    let at = (container.world_from_object * place).coords;
    Ok(Pose::translation(at.x, at.y, at.z))
}

fn places(bead: &Shape, container: &SceneObject, n: usize) -> Vec<Point3<f64>> {
    let (Shape::Sphere { radius }, Some(cavity)) = (bead, container.shape.cavity()) else {
        return vec![];
    };
    let step = 2.0 * APART * radius;
    let keep_off = Shape::Sphere {
        radius: APART * radius,
    };
    let bounds = container.shape.aabb(&Pose::identity());
    let across = 0.5 * bounds.size().xy().norm();
    let grid = layer((across / step).ceil() as i32);
    let n_layers = ((cavity.rim_z - cavity.floor_z) / step).floor().max(0.0) as usize;
    let point = |level: usize, [i, j]: [i32; 2]| {
        Point3::new(
            cavity.axis[0] + step * f64::from(i),
            cavity.axis[1] + step * f64::from(j),
            cavity.floor_z + APART * radius + 1e-4 + step * level as f64,
        )
    };
    let all = (0..n_layers).flat_map(|level| grid.iter().map(move |at| (level, *at)));
    let is_free = |p: &Point3<f64>| {
        let at = Pose::translation(p.x, p.y, p.z);
        let wall = &container.shape;
        wall.encloses(&(p + Vector3::z() * *radius))
            && !geometry::within(&keep_off, &at, wall, &Pose::identity(), 0.0)
    };
    let points = all.map(|(level, at)| point(level, at));
    points.filter(is_free).take(n).collect()
}

/// Returns the grid points of a layer, in steps from its centre, nearest first.
fn layer(reach: i32) -> Vec<[i32; 2]> {
    let line = -reach..=reach;
    let rows = line.clone();
    let all = rows.flat_map(|i| line.clone().map(move |j| [i, j]));
    let mut steps: Vec<[i32; 2]> = all.collect();
    steps.sort_by_key(|[i, j]| i * i + j * j);
    steps
}
