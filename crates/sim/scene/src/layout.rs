//! Builds a scene from definitions and drawn values. Objects are put on the surface of their
//! support, so that files need no heights.

use std::sync::Arc;

use nalgebra::{Point3, Translation3, UnitQuaternion, Vector3};
use regrasp_api::{KnownZone, Pose, Shape};

use crate::defs::{ObjectDef, PlacementSpec, SceneDef, Variation};
use crate::fields::Located;
use crate::keys::Mass;
use crate::{Problem, Result, Scene, SceneObject, beads, drawn, geometry, ports, shapes};

/// Computes the poses of all objects. Variations are in the order of the definitions.
pub(crate) fn lay_out(def: &SceneDef, variations: &[Variation]) -> Result<Scene> {
    let mut placed: Vec<Option<SceneObject>> = vec![None; def.objects.len()];
    // Each round places the objects whose support is placed. Objects whose placements depend on
    // each other are never placed, and are rejected below.
    for _ in 0..def.objects.len() {
        for (i, (object, variation)) in def.objects.iter().zip(variations).enumerate() {
            if placed[i].is_none()
                && let Some(ready) = place(def, object, variation, &placed)?
            {
                placed[i] = Some(ready);
            }
        }
    }
    if let Some(i) = placed.iter().position(Option::is_none)
        && let Some(object) = def.objects.get(i)
    {
        let problem = format!(
            "`{}` is placed relative to an object whose own placement depends on it",
            object.body.id
        );
        return Err(Problem::from(problem).at(&def.file, object.line));
    }
    let objects: Vec<SceneObject> = placed.into_iter().flatten().collect();
    Ok(Scene {
        world_from_base: standing(def, &objects)?,
        objects,
        ports: ports::scaled(def, variations),
        ..def.rest.clone()
    })
}

/// Computes the base pose once the mount has been placed.
fn standing(def: &SceneDef, objects: &[SceneObject]) -> Result<Pose> {
    /// Radius of the probe that finds the top of the mount, m.
    const POINT_M: f64 = 1e-3;
    let stand = &def.stand;
    let (Some(mount), Some(below_top_m)) = (&stand.mount, stand.below_top_m) else {
        return Ok(stand.world_from_base);
    };
    let mut objects = objects.iter();
    let Some(below) = objects.find(|o| o.id.as_str() == mount.value) else {
        return Ok(stand.world_from_base);
    };
    let point = Shape::Sphere { radius: POINT_M };
    let at = stand.world_from_base.translation.vector;
    let (x, y) = (at.x, at.y);
    let level = UnitQuaternion::identity();
    let on_top = stand_at(&point, [x, y], level, below, "the arm's base");
    let top = on_top.map_err(|problem| problem.at(&def.file, mount.line))?;
    let z = top.translation.z - POINT_M - below_top_m;
    let rotation = stand.world_from_base.rotation;
    Ok(Pose::from_parts(Translation3::new(x, y, z), rotation))
}

/// Places the object, or returns `None` while its support is not placed yet.
fn place(
    def: &SceneDef,
    object: &ObjectDef,
    variation: &Variation,
    placed: &[Option<SceneObject>],
) -> Result<Option<SceneObject>> {
    let find = |id: &str| {
        let mut there = placed.iter().flatten();
        there.find(|o| o.id.as_str() == id)
    };
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), variation.yaw);
    let shape = shapes::scaled(&object.body.shape, variation.size);
    let relative = match variation.relative {
        None => None,
        Some((other, offset)) => match placed.get(other).and_then(Option::as_ref) {
            Some(other) => Some(in_plan(other, offset)),
            None => return Ok(None),
        },
    };
    let moved = |xy: [f64; 2]| {
        let [x, y] = relative.or(variation.xy).unwrap_or(xy);
        [x + variation.offset[0], y + variation.offset[1]]
    };
    let world_from_object = match &object.place {
        PlacementSpec::At { world_from_object } => {
            let p = world_from_object.translation.vector;
            let [x, y] = moved([p.x, p.y]);
            let rotation = turn * world_from_object.rotation;
            Pose::from_parts(Translation3::new(x, y, p.z), rotation)
        }
        PlacementSpec::Attached {
            parent,
            parent_from_object,
        } => match find(parent.as_str()) {
            Some(parent) => parent.world_from_object * parent_from_object,
            None => return Ok(None),
        },
        PlacementSpec::Within { container, idx, n } => {
            let Some(container_there) = find(&container.value) else {
                return Ok(None);
            };
            beads::place(object, &shape, container_there, *idx, *n)
                .map_err(|problem| problem.at(&def.file, container.line))?
        }
        PlacementSpec::On {
            support,
            xy,
            zone,
            rotation,
        } => {
            let Some(below) = find(&support.value) else {
                return Ok(None);
            };
            let turn = turn * rotation;
            let pose = match zone_of(below, zone.as_ref(), variation) {
                Some((zone, at)) => stand_in(&shape, turn, below, zone, at, variation.offset)
                    .ok_or_else(|| {
                        let (object, zone, support_id) = (&object.body.id, &zone.name, &below.id);
                        Problem::from(format!(
                            "`{object}` cannot stand in the zone `{zone}` of `{support_id}`: no \
                             surface of `{support_id}` is in it or just below it; move the zone to \
                             a surface of `{support_id}`"
                        ))
                    }),
                None => {
                    let p = below.world_from_object.translation.vector;
                    let xy = moved(xy.unwrap_or([p.x, p.y]));
                    stand_at(&shape, xy, turn, below, object.body.id.as_str())
                }
            };
            pose.map_err(|problem| problem.at(&def.file, support.line))?
        }
    };
    Ok(Some(finish(object, variation, shape, world_from_object)))
}

/// Returns the zone of the support in which the object stands, and the position in it.
fn zone_of<'a>(
    below: &'a SceneObject,
    zone: Option<&Located<String>>,
    variation: &Variation,
) -> Option<(&'a KnownZone, [f64; 2])> {
    let named = zone.and_then(|zone| below.zones.iter().position(|z| z.name == zone.value));
    let middle = named.map(|idx| (idx, [0.5; 2]));
    let (idx, at) = match variation.xy {
        Some(_) => variation.zone,
        None => variation.zone.or(middle),
    }?;
    Some((below.zones.get(idx)?, at))
}

/// Converts an offset in the heading frame of an object to a position in World.
fn in_plan(object: &SceneObject, [x, y]: [f64; 2]) -> [f64; 2] {
    let there =
        object.world_from_object.translation.vector + upright(object) * Vector3::new(x, y, 0.0);
    [there.x, there.y]
}

/// Height above the expected contact from which a shape is lowered.
const START_ABOVE_M: f64 = 0.01;

/// Returns the pose at which a shape just touches its support.
fn stand_at(
    shape: &Shape,
    [x, y]: [f64; 2],
    rotation: UnitQuaternion<f64>,
    below: &SceneObject,
    name: &str,
) -> Result<Pose, Problem> {
    let span = below.shape.aabb(&below.world_from_object);
    let at = |z: f64| at_point([x, y, z], rotation);
    let reach_down = -shape.aabb(&at(0.0)).min[2];
    let on_top = at(span.max[2] + reach_down);
    let above =
        (span.min[0]..=span.max[0]).contains(&x) && (span.min[1]..=span.max[1]).contains(&y);
    let flat_box = matches!(below.shape, Shape::Box { .. })
        && below.world_from_object.rotation.angle_to(&upright(below)) < 1e-9;
    if above && flat_box {
        return Ok(on_top);
    }
    // Other supports may be hollow or round: lower the shape until it touches.
    let from = Pose::translation(0.0, 0.0, START_ABOVE_M) * on_top;
    let lowered = lowered(shape, from, below, span.size().z);
    lowered.filter(|_| above).ok_or_else(|| {
        let support = &below.id;
        let ([x_min, y_min, _], [x_max, y_max, _]) = (span.min, span.max);
        Problem::from(format!(
            "`{name}` cannot stand on `{support}` at ({x:.3}, {y:.3}) m, where it has no surface; \
             `{support}` spans x {x_min:.3} … {x_max:.3} and y {y_min:.3} … {y_max:.3} m"
        ))
    })
}

/// Lowers a shape from a pose until it touches an object whose height is `span_m`.
fn lowered(shape: &Shape, from: Pose, below: &SceneObject, span_m: f64) -> Option<Pose> {
    let furthest = START_ABOVE_M + span_m;
    let (under, world_from_under) = (&below.shape, &below.world_from_object);
    let drop = geometry::drop_distance(shape, &from, under, world_from_under, furthest)?;
    Some(Pose::translation(0.0, 0.0, -drop) * from)
}

/// Returns the pose at which a shape stands in a zone, its origin at `along` (0 to 1 along the
/// zone's axes) plus `offset` in World.
fn stand_in(
    shape: &Shape,
    rotation: UnitQuaternion<f64>,
    below: &SceneObject,
    zone: &KnownZone,
    along: [f64; 2],
    offset: [f64; 2],
) -> Option<Pose> {
    let world_from_zone = below.world_from_object * zone.object_from_zone();
    let half_extents = zone.half_extents;
    let [u, v] = along.map(|part| 2.0 * part - 1.0);
    let at = world_from_zone * Point3::new(u * half_extents[0], v * half_extents[1], 0.0);
    let span = Shape::Box { half_extents }.aabb(&world_from_zone);
    let flat = Pose::from_parts(Translation3::identity(), rotation);
    let reach_down = -shape.aabb(&flat).min[2];
    let [x, y] = [at.x + offset[0], at.y + offset[1]];
    // A zone's floor may differ slightly from the object's surface, or be inside the object.
    let starts = [span.min[2] + START_ABOVE_M, span.max[2] + START_ABOVE_M];
    let starts = starts.map(|z| at_point([x, y, z + reach_down], rotation));
    let is_free = |from: &Pose| {
        let depth_m = geometry::overlap_depth(shape, from, &below.shape, &below.world_from_object);
        depth_m.is_none()
    };
    let mut starts = starts.into_iter().filter(is_free);
    starts.find_map(|start| lowered(shape, start, below, span.size().z))
}

fn at_point(position: [f64; 3], rotation: UnitQuaternion<f64>) -> Pose {
    Pose::from_parts(position.into(), rotation)
}

fn upright(object: &SceneObject) -> UnitQuaternion<f64> {
    let (_, _, yaw) = object.world_from_object.rotation.euler_angles();
    UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw)
}

fn finish(
    object: &ObjectDef,
    variation: &Variation,
    shape: Shape,
    world_from_object: Pose,
) -> SceneObject {
    let body = &object.body;
    let mesh = body.mesh.as_ref().map(|mesh| match variation.size {
        1.0 => Arc::clone(mesh),
        factor => Arc::new(mesh.scaled(factor)),
    });
    let mass_kg = match object.mass {
        Mass::Fixed => None,
        Mass::Kg(mass) => Some(mass * variation.mass),
        Mass::KgPerM3(density) => {
            let volume = match &mesh {
                Some(mesh) => mesh.volume_m3,
                None => geometry::volume(&shape),
            };
            Some(density * volume * variation.mass)
        }
    };
    let mut rgba = body.rgba;
    for (channel, shift) in rgba.iter_mut().zip(variation.color) {
        *channel = (*channel + shift).clamp(0.0, 1.0);
    }
    SceneObject {
        rgba,
        shape,
        world_from_object,
        mass_kg,
        friction: body.friction * variation.friction,
        mesh,
        inertial: (body.inertial).map(|i| i.scaled(variation.size, variation.mass)),
        visuals: drawn::scaled(&body.visuals, variation.size),
        ..body.clone()
    }
}
