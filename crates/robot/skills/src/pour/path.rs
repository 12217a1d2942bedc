//! Paths of a container that is tilted over another: the side of the rim and the direction.

use std::f64::consts::TAU;

use nalgebra::{Point3, Rotation3, UnitQuaternion, Vector3};
use regrasp_api::{Cavity, Held, PerceivedObject, Pose, Shape, Upright};
use regrasp_motion::Body;

use crate::grasp::Hand;
use crate::poses::{eighths, level};

/// Tilts at which the container stops briefly, degrees: nothing flows at the first few, and later
/// steps of at most 15 stay close to an arc.
const TILTS_DEG: [f64; 8] = [0.0, 30.0, 55.0, 75.0, 90.0, 105.0, 120.0, 130.0];
/// Number of tilts, counted from the last, at which the hand keeps out of the stream.
const N_FLOWING: usize = 4;
/// Height of the container over the rim of its target, m, which is about the height of fall.
const OVER_RIM_M: f64 = 0.02;
/// Distance of the lip behind the middle of the target, as a fraction of the radius of its opening:
/// the flow keeps some of its horizontal motion.
const BEHIND: f64 = 0.3;
/// Number of sides of the rim that are tried.
const N_SIDES: usize = 8;
/// Clearance of the hand in lookahead, m: the actual grasp deviates from the planned one.
pub(crate) const PLANNED_OFF_M: f64 = 0.015;
/// Space in front of the lip that the hand must not enter: along the flow, to either side, and
/// down, m.
const STREAM_M: [f64; 3] = [0.05, 0.02, 0.03];

#[derive(Clone)]
pub(crate) struct Scenery {
    target: Option<Body>,
    shape: Shape,
    cavity: Cavity,
    /// Middle of the target's opening, in World, at the height of its rim.
    over: Point3<f64>,
    opening_m: f64,
    /// Rotation of the container when upright with its current heading, in World.
    upright: UnitQuaternion<f64>,
}

/// One way to pour: poses of the container at increasing tilts.
#[derive(Clone, Debug)]
pub(crate) struct PourPath {
    pub(crate) poses: Vec<Pose>,
    /// Position of the lip at the last tilt, and horizontal direction of the flow, in World.
    lip: Point3<f64>,
    direction: Vector3<f64>,
    /// Rotation of the container about the vertical before tilting, rad.
    turn_rad: f64,
}

impl Scenery {
    /// Creates the scenery; `None` if either object has no cavity.
    pub(crate) fn new(container: &PerceivedObject, target: &PerceivedObject) -> Option<Self> {
        let opening = target.shape.cavity()?;
        let [x, y] = opening.axis;
        Some(Self {
            target: Body::new(&target.shape, &target.world_from_object),
            shape: container.shape.clone(),
            cavity: container.shape.cavity()?,
            over: target.world_from_object * Point3::new(x, y, opening.rim_z),
            opening_m: opening.opening_m(),
            upright: Upright::Z.rotations(&container.world_from_object.rotation)[0],
        })
    }

    pub(crate) fn paths(&self) -> Vec<PourPath> {
        let sides = self.cavity.rim.len() / N_SIDES.min(self.cavity.rim.len());
        let pairs = eighths().flat_map(|azimuth| (0..N_SIDES).map(move |j| (azimuth, j * sides)));
        let mut paths: Vec<PourPath> = pairs
            .map(|(azimuth, side)| self.path(azimuth, side))
            .collect();
        paths.sort_by(|a, b| a.turn_rad.abs().total_cmp(&b.turn_rad.abs()));
        paths
    }

    /// Path that pours over one side of the rim, towards an azimuth in World.
    fn path(&self, azimuth: f64, side: usize) -> PourPath {
        let direction = level(azimuth);
        let (lip_in_container, out) = self.cavity.lip(side);
        let now = self.upright * out;
        let turn_rad = azimuth - now.y.atan2(now.x);
        let turn_rad = turn_rad - (turn_rad / TAU).round() * TAU;
        let turned = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn_rad) * self.upright;
        let lip_xy = self.over - direction * (BEHIND * self.opening_m);
        let about = Vector3::z().cross(&direction);
        let pose = |tilt_deg: &f64| {
            let tilt = Rotation3::new(about * tilt_deg.to_radians());
            let rotation = UnitQuaternion::from_rotation_matrix(&tilt) * turned;
            let to_lip = rotation * lip_in_container.coords;
            let down_m = self.shape.support(&(rotation.inverse() * -Vector3::z()));
            let z = self.over.z + OVER_RIM_M + down_m;
            let at = Vector3::new(lip_xy.x - to_lip.x, lip_xy.y - to_lip.y, z);
            Pose::from_parts(at.into(), rotation)
        };
        let poses: Vec<Pose> = TILTS_DEG.iter().map(pose).collect();
        let lip = poses.last().map_or(lip_xy, |last| last * lip_in_container);
        PourPath {
            poses,
            lip,
            direction,
            turn_rad,
        }
    }

    /// Paths on which the hand stays clear of the target and, at the last tilts, of the stream.
    pub(crate) fn clear_paths<'a>(
        &'a self,
        paths: &'a [PourPath],
        hand: &'a Hand,
        held: &'a Held,
        off_m: f64,
    ) -> impl Iterator<Item = &'a PourPath> {
        paths
            .iter()
            .filter(move |path| self.is_clear(path, hand, held, off_m))
    }

    fn is_clear(&self, path: &PourPath, hand: &Hand, held: &Held, off_m: f64) -> bool {
        let stream = path.stream();
        let poses = path.tool_poses(&held.tool_from_object);
        let flows_from = poses.len().saturating_sub(N_FLOWING);
        poses.iter().enumerate().all(|(idx, world_from_tool)| {
            let placed = hand.at(world_from_tool, held.width_m);
            let stream = stream.as_ref().filter(|_| idx >= flows_from);
            placed.keeps_off(self.target.iter().chain(stream), off_m, off_m)
        })
    }
}

impl PourPath {
    pub(crate) fn tool_poses(&self, tool_from_object: &Pose) -> Vec<Pose> {
        let object_from_tool = tool_from_object.inverse();
        self.poses.iter().map(|p| p * object_from_tool).collect()
    }

    fn stream(&self) -> Option<Body> {
        let [along, aside, down] = STREAM_M;
        let shape = Shape::cuboid([0.5 * along, aside, 0.5 * down]);
        let heading = self.direction.y.atan2(self.direction.x);
        let ahead = self.lip + self.direction * (0.5 * along) - Vector3::z() * (0.5 * down);
        let turned = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), heading);
        Body::new(&shape, &Pose::from_parts(ahead.coords.into(), turned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::open_box;

    /// An open box of 6 x 6 x 10 cm.
    fn tub(at: [f64; 3]) -> PerceivedObject {
        let shape = open_box([0.028; 2], 0.002, [-0.048, 0.0], 0.05);
        PerceivedObject {
            world_from_object: Pose::new(Vector3::from(at), Vector3::z() * 0.3),
            ..regrasp_testkit::thing("tub", "", shape, at)
        }
    }

    #[test]
    fn the_lip_stays_over_the_target_and_the_container_above_its_rim() {
        let (held, target) = (tub([0.4, -0.2, 0.3]), tub([0.5, 0.1, 0.09]));
        let scenery = Scenery::new(&held, &target).expect("both are hollow");
        let paths = scenery.paths();
        assert_eq!(paths.len(), 8 * N_SIDES);
        assert!(paths[0].turn_rad.abs() <= paths[63].turn_rad.abs());
        for path in &paths {
            let upright = path.poses[0].rotation * Vector3::z();
            assert!(
                (upright - Vector3::z()).norm() < 1e-9,
                "the path begins upright"
            );
            let last = path.poses[path.poses.len() - 1].rotation * Vector3::z();
            let is_down = last.z < -0.5 && last.dot(&path.direction) > 0.0;
            assert!(is_down, "the path ends head down");
            for pose in &path.poses {
                let low = held.shape.aabb(pose).min[2];
                assert!((low - 0.14 - OVER_RIM_M).abs() < 1e-3, "{low}");
            }
            let off = (path.lip.coords - target.position()).xy();
            assert!(off.norm() < 0.028, "the lip is {off} from the middle");
        }
    }
}
