//! Fingers, pads and tool frame of the hand that an arm carries.

use std::cmp::Ordering;

use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};
use regrasp::SetupError;
use regrasp::kinematics::{GripperError, GripperLinks, Joint, JointKind, RobotModel};
use serde_json::{Value, json};

use super::parts::{Parts, beyond, rounded};

/// Name of the tool link that is added if the URDF has none.
const TOOL: &str = "regrasp_tool";

/// A hand that the loader accepts.
pub(super) struct Hand {
    finger_joints: [String; 2],
    pub(super) finger_links: [String; 2],
    width_m: [f64; 2],
    force_n: f64,
    speed_m_per_s: f64,
    pub(super) tool: Tool,
}

#[derive(Clone)]
pub(super) struct Tool {
    pub(super) link: String,
    /// Pose in the frame of the hand; `None` for a link of the URDF.
    pub(super) in_hand: Option<Isometry3<f64>>,
}

/// Tries all pairs of links on two branches as pads.
///
/// The error says why the first pair cannot be used.
pub(super) fn find_hand(model: &RobotModel, parts: &Parts) -> Result<Hand, String> {
    let root_from_link = model.link_poses(&vec![0.0; model.joints().len()]);
    let at = |link: usize| root_from_link[link].translation.vector;
    let away_m = |link: usize| (at(link) - at(parts.hand)).norm();
    let shaped = |&branch: &usize| {
        let links = beyond(model, model.joints()[branch].child_link_idx, |_| true);
        let links = links.into_iter();
        let shaped = links.filter(|link| !model.links()[*link].collisions.is_empty());
        shaped.collect::<Vec<_>>()
    };
    let fingers: Vec<_> = parts.branches.iter().map(shaped).collect();
    let pairs = fingers.iter().enumerate().flat_map(|(i, a)| {
        let others = fingers[i + 1..].iter().flatten();
        others.flat_map(move |b| a.iter().map(move |a| [*a, *b]))
    });
    let mut pairs: Vec<[usize; 2]> = pairs.collect();
    // The pads are at the same distance from the hand, and are the outermost links of a linkage.
    pairs.sort_by(|a, b| {
        let key = |pair: &[usize; 2]| {
            let [a, b] = pair.map(away_m);
            ((a - b).abs() > 1e-3, -a - b)
        };
        key(a).partial_cmp(&key(b)).unwrap_or(Ordering::Equal)
    });
    let mut why = None;
    for pads in pairs {
        for (roots, tool) in tools(model, parts, pads).into_iter().flatten() {
            match Hand::new(model, parts, pads, roots, tool) {
                Ok(hand) => return Ok(hand),
                Err(_) if why.is_some() => {}
                Err(SetupError::Gripper(GripperError::ToolAxes { tool, joint, .. }))
                    if tool == TOOL =>
                {
                    why = Some(format!("`{joint}` does not close towards another finger"));
                }
                Err(error) => why = Some(error.to_string()),
            }
        }
    }
    Err(why.unwrap_or_else(|| "no two of them have a collision shape".to_owned()))
}

/// Candidates for the tool frame, links of the URDF first, each with the moving joints of the two
/// fingers that are nearest to the hand. `None` if a pad does not move.
fn tools(model: &RobotModel, parts: &Parts, pads: [usize; 2]) -> Option<Vec<([usize; 2], Tool)>> {
    let joints = model.joints();
    let root = |pad: usize| {
        let mut link = pad;
        let mut root = None;
        while link != parts.hand {
            let joint = model.parent_joint_idx(link)?;
            if joints[joint].kind.is_movable() {
                root = Some(joint);
            }
            link = joints[joint].parent_link_idx;
        }
        root
    };
    let roots = [root(pads[0])?, root(pads[1])?];
    let rigid = beyond(model, parts.hand, |joint| joint.kind == JointKind::Fixed);
    let links = rigid.into_iter().map(|link| &model.links()[link]);
    let frames = links.filter(|link| link.collisions.is_empty() && link.visuals.is_empty());
    let tool = |link: String, in_hand| (roots, Tool { link, in_hand });
    let of_urdf = frames.map(|link| tool(link.name.clone(), None));
    let own = (0..2).filter_map(|way| tool_frame(model, parts, pads, roots, way));
    Some(
        of_urdf
            .chain(own.map(|at| tool(TOOL.to_owned(), Some(at))))
            .collect(),
    )
}

impl Hand {
    fn new(
        model: &RobotModel,
        parts: &Parts,
        pads: [usize; 2],
        roots: [usize; 2],
        tool: Tool,
    ) -> Result<Self, SetupError> {
        let finger_joints = roots.map(|joint| model.joints()[joint].name.clone());
        let finger_links = pads.map(|pad| model.links()[pad].name.clone());
        let hand = &model.links()[parts.hand].name;
        let arm = parts.arm.iter().map(|j| model.joints()[*j].name.clone());
        let driven: Vec<String> = arm.chain(finger_joints.clone()).collect();
        let model = match tool.in_hand {
            None => model.clone(),
            Some(pose) => model.clone().with_frame(&tool.link, hand, pose)?,
        };
        let model = model.with_others_held(&driven, Some(hand));
        let mut names = GripperLinks {
            robot: model.name(),
            tool: &tool.link,
            hand,
            fingers: &finger_links,
            finger_joints: &finger_joints,
            width_m: [0.0; 2],
        };
        let [least, most] = model.pad_distances_m(&names)?;
        // Rounded to 0.1 mm, towards the inside of the range.
        names.width_m = [
            (least.max(0.0) * 1e4).ceil() / 1e4,
            (most * 1e4).floor() / 1e4,
        ];
        let width_m = names.width_m;
        let sliding = model.clone().with_sliding_fingers(&names)?;
        sliding.gripper_geometry(&names)?;
        let fingers = sliding.joints().iter();
        let fingers = fingers.filter(|joint| finger_joints.contains(&joint.name));
        let least = |of: fn(&Joint) -> f64| fingers.clone().map(of).fold(f64::INFINITY, f64::min);
        let force_n = least(|joint| joint.limits.effort);
        let speed_m_per_s = least(|joint| 2.0 * joint.limits.velocity);
        let [least_m, most_m] = width_m;
        if most_m <= least_m || force_n <= 0.0 || speed_m_per_s <= 0.0 {
            let drive = sliding.linkage().map_or(&finger_joints[0], |l| &l.drive);
            let problem = format!(
                "`{drive}` moves the pads from {least_m:.4} to {most_m:.4} m apart at up to \
                 {speed_m_per_s:.3} m/s with up to {force_n:.1} N; correct its <limit>"
            );
            return Err(GripperError::Pads { problem }.into());
        }
        Ok(Self {
            width_m,
            force_n,
            speed_m_per_s,
            finger_joints,
            finger_links,
            tool,
        })
    }
}

/// Frame between two pads, in that of the hand: y along their opening (reversed for `side` 1), z out
/// of the hand.
fn tool_frame(
    model: &RobotModel,
    parts: &Parts,
    pads: [usize; 2],
    roots: [usize; 2],
    side: usize,
) -> Option<Isometry3<f64>> {
    let drive = model.source(roots[0]).source_joint_idx;
    let limits = &model.joints()[drive].limits;
    // Points on the surface of each pad at a position of the drive, in the frame of the hand.
    let at = |position: f64| {
        let mut q_by_joint = vec![0.0; model.joints().len()];
        q_by_joint[drive] = position;
        if model.source(roots[1]).source_joint_idx != drive {
            q_by_joint[roots[1]] = position;
        }
        let root_from_link = model.link_poses(&q_by_joint);
        pads.map(|pad| {
            let hand_from_pad = root_from_link[parts.hand].inverse() * root_from_link[pad];
            let collisions = model.links()[pad].collisions.iter();
            let points = collisions.flat_map(|collision| {
                let hand_from_shape = hand_from_pad * collision.link_from_geometry;
                let points = collision.geometry.surface_points(0.005).into_iter();
                points.map(move |point| hand_from_shape * point)
            });
            points.collect::<Vec<Point3<f64>>>()
        })
    };
    let ends = [limits.lower, limits.upper].map(at);
    let middle = |points: &[Point3<f64>]| {
        let sum: Vector3<f64> = points.iter().map(|p| p.coords).sum();
        sum / points.len().max(1) as f64
    };
    let apart = ends.each_ref().map(|[a, b]| middle(a) - middle(b));
    let opening = apart[1] - apart[0];
    let y = snapped(opening.try_normalize(1e-6)?) * [1.0, -1.0][side];
    let [a, b] = ends[1].each_ref().map(|points| middle(points));
    let ahead = 0.5 * (a + b);
    let z = snapped((ahead - y * y.dot(&ahead)).try_normalize(1e-6)?);
    let x = y.cross(&z).try_normalize(1e-6)?;
    let tips = ends.iter().flatten().map(|points| {
        let along = points.iter().map(|p| p.coords.dot(&z));
        along.fold(f64::NEG_INFINITY, f64::max)
    });
    let tip_m = tips.fold(f64::INFINITY, f64::min);
    let [along_x, along_y] = [x, y].map(|axis| 0.5 * (faces(&ends[1], &axis)));
    let rotation = Matrix3::from_columns(&[x, y, x.cross(&y)]);
    let rotation = Rotation3::from_matrix_unchecked(rotation);
    Some(Isometry3::from_parts(
        Translation3::from(x * along_x + y * along_y + z * (tip_m - 0.005)),
        UnitQuaternion::from_rotation_matrix(&rotation),
    ))
}

/// Sum of the least and greatest coordinate of two pads along an axis: twice that of their middle.
fn faces(pads: &[Vec<Point3<f64>>; 2], axis: &Vector3<f64>) -> f64 {
    let along = || pads.iter().flatten().map(|p| p.coords.dot(axis));
    along().fold(f64::INFINITY, f64::min) + along().fold(f64::NEG_INFINITY, f64::max)
}

/// The nearest coordinate axis if it is within 15 degrees, else the direction itself.
fn snapped(direction: Vector3<f64>) -> Vector3<f64> {
    let largest = direction.iamax();
    let mut axis = Vector3::zeros();
    axis[largest] = direction[largest].signum();
    if axis.dot(&direction) > 15_f64.to_radians().cos() {
        axis
    } else {
        direction
    }
}

impl Hand {
    pub(super) fn in_file(&self, payload_kg: f64) -> Value {
        let [min_width_m, max_width_m] = self.width_m;
        json!({
            "finger_joints": self.finger_joints,
            "finger_links": self.finger_links,
            "min_width_m": min_width_m,
            "max_width_m": max_width_m,
            "max_force_n": rounded(self.force_n),
            "default_force_n": rounded(0.5 * self.force_n),
            "default_speed_m_per_s": rounded(self.speed_m_per_s),
            "max_speed_m_per_s": rounded(self.speed_m_per_s),
            "max_payload_kg": rounded(payload_kg),
            "pad_friction": 0.8,
            "motors": {
                "kp_n_per_m": 1000.0,
                "kd_n_s_per_m": 50.0,
                "armature_kg": 0.1,
                "damping_n_s_per_m": 1.0,
            },
        })
    }

    pub(super) fn described(&self, payload_kg: &Value) -> String {
        let [least_mm, most_mm] = self.width_m.map(|m| 1e3 * m);
        format!(
            "`gripper`: pads from {least_mm:.1} to {most_mm:.1} mm apart, with up to {:.0} N, from \
             the URDF's limits; `max_payload_kg`: {payload_kg}, a quarter of what the strongest \
             joint holds with the arm stretched",
            self.force_n
        )
    }
}

/// Link and tool frame of an arm without a gripper. The link is the last one with a shape, fixed to
/// the hand or the hand itself; the frame is the last of the links fixed to it or, without one, at
/// its tip, z out of it.
pub(super) fn bare_tool(model: &RobotModel, parts: &Parts) -> (usize, Tool) {
    let rigid = beyond(model, parts.hand, |joint| joint.kind == JointKind::Fixed);
    let shapes = |link: &usize| &model.links()[*link].collisions;
    let has_shape = |link: &usize| !shapes(link).is_empty();
    let carrier = rigid.iter().copied().rfind(has_shape).unwrap_or(parts.hand);
    let end = rigid.last().copied().unwrap_or(parts.hand);
    let points = shapes(&end).iter().flat_map(|shape| {
        let points = shape.geometry.surface_points(0.005).into_iter();
        points.map(|point| shape.link_from_geometry * point)
    });
    let points: Vec<Vector3<f64>> = points.map(|point| point.coords).collect();
    let middle = points.iter().sum::<Vector3<f64>>() / points.len().max(1) as f64;
    let tip = middle.try_normalize(1e-3).map(snapped).and_then(|z| {
        let along = points.iter().map(|point| point.dot(&z));
        let rotation = UnitQuaternion::rotation_between(&Vector3::z(), &z)?;
        let point = z * along.fold(0.0, f64::max);
        Some(Isometry3::from_parts(point.into(), rotation))
    });
    let own = &model.links()[end].name;
    let link = tip.map_or(own.as_str(), |_| TOOL).to_owned();
    (carrier, Tool { link, in_hand: tip })
}
