//! Comparison of a perception's reports with the ground truth.

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::Vector3;
use regrasp_api::{JointKind, ObjectId, ObjectJoint, PerceivedObject, Percept, Pose, Shape};
use regrasp_ground_truth::{GroundTruth, GroundTruthObject};
use serde::{Deserialize, Serialize};

use crate::statistics::{median, p95};
use crate::symmetry::turn_between;

/// Maximum distance between an object and its report, m. A report without an object is a ghost.
const SAME_M: f64 = 0.05;

/// Standard deviation above which the opening of a joint counts as guessed, as a fraction of its
/// travel.
const UNSEEN: f64 = 0.2;

/// Error of one report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SightError {
    /// Category of the object.
    pub kind: String,
    /// Distance between the centres of both bounding boxes, m.
    pub position_m: f64,
    /// Error of the orientation, rad, modulo the symmetry of the shape; `None` for spheres. If the
    /// report has another category or shape: the yaw error if both are boxes, otherwise `None`.
    pub yaw_rad: Option<f64>,
    /// Largest error of an edge of the bounding box, m.
    pub size_m: f64,
    /// Set if the reported colour is not the object's.
    pub is_other_color: bool,
    /// Set if the reported category is not the object's.
    pub is_other_kind: bool,
}

/// Error of one joint of an object that was found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointError {
    /// Kind of motion.
    pub kind: JointKind,
    /// Error of the opening, m or rad; `None` if it was not reported or only guessed.
    pub opening: Option<f64>,
}

/// Comparison of one percept with the ground truth. Tables and floors belong to the cell and are
/// left out; parts of objects are compared by their joints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SightReport {
    /// Number of objects.
    pub n_objects: usize,
    /// Errors of the reports that match an object.
    pub seen: Vec<SightError>,
    /// Ids of objects without a report.
    pub missed: Vec<String>,
    /// Categories of the objects in `missed`.
    pub missed_kinds: Vec<String>,
    /// Ids of objects with a report of another category, and that report's id.
    pub misnamed: Vec<[String; 2]>,
    /// Joints of the objects that were found.
    pub joints: Vec<JointError>,
    /// Ids of reports without an object.
    pub ghosts: Vec<String>,
}

/// Median, 95th percentile and maximum of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Median.
    pub median: f64,
    /// 95th percentile.
    pub p95: f64,
    /// Maximum.
    pub max: f64,
}

/// Statistics over many percepts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SightSummary {
    /// Number of objects.
    pub n_objects: usize,
    /// Position error, m.
    pub position_m: Option<Spread>,
    /// Error of the orientation, rad.
    pub yaw_rad: Option<Spread>,
    /// Size error, m.
    pub size_m: Option<Spread>,
    /// Objects without a report.
    pub n_missed: usize,
    /// Reports without an object.
    pub n_ghosts: usize,
    /// Reports with a wrong colour.
    pub n_confused: usize,
    /// Reports with a wrong category.
    pub n_misnamed: usize,
    /// Error of the opening of slides, m.
    pub slide_m: Option<Spread>,
    /// Error of the opening of hinges, rad.
    pub hinge_rad: Option<Spread>,
    /// Joints of the found objects whose opening was not reported or only guessed.
    pub n_joints_missed: usize,
}

/// Compares a percept with the ground truth. Reports are matched greedily: those of the right
/// category first, then the nearest pair first.
pub fn compare_sight(percept: &Percept, truth: &GroundTruth) -> SightReport {
    let is_support = |category: &str| matches!(category, "table" | "floor");
    let objects = truth.objects.iter();
    let objects = objects.filter(|o| !is_support(&o.category) && o.part_of.is_none());
    let objects: Vec<_> = objects.collect();
    let reports = percept.objects.iter();
    let reports = reports.filter(|o| !is_support(&o.category) && percept.whole_of(&o.id).is_none());
    let reports: Vec<_> = reports.collect();
    let mut report = SightReport {
        n_objects: objects.len(),
        ..SightReport::default()
    };
    let found = matched(&objects, &reports);
    for (object, found) in objects.iter().zip(&found) {
        let Some(idx) = *found else {
            report.missed.push(object.id.to_string());
            report.missed_kinds.push(object.category.clone());
            continue;
        };
        let seen = reports[idx];
        let error = error(object, seen);
        if error.is_other_kind {
            let ids = [&object.id, &seen.id].map(ToString::to_string);
            report.misnamed.push(ids);
        }
        report.seen.push(error);
        let there = joints_of(&truth.joints, &object.id);
        let seen = joints_of(&percept.joints, &seen.id);
        for (i, joint) in there.iter().enumerate() {
            let same = seen.get(i).filter(|_| seen.len() == there.len());
            let same = same.filter(|joint| joint.opening_std < UNSEEN * joint.travel);
            report.joints.push(JointError {
                kind: joint.kind,
                opening: same.map(|seen| (seen.opening - joint.opening).abs()),
            });
        }
    }
    let ghosts = reports.iter().enumerate();
    let ghosts = ghosts.filter(|(idx, _)| !found.contains(&Some(*idx)));
    report.ghosts = ghosts.map(|(_, r)| r.id.to_string()).collect();
    report
}

/// Returns the index of each object's report; `None` for a missed object.
fn matched(objects: &[&GroundTruthObject], reports: &[&PerceivedObject]) -> Vec<Option<usize>> {
    let mut pairs: Vec<(bool, f64, usize, usize)> = Vec::new();
    for (i, object) in objects.iter().enumerate() {
        for (j, report) in reports.iter().enumerate() {
            let apart = apart_m(object, report);
            if apart < SAME_M {
                pairs.push((object.category != report.category, apart, i, j));
            }
        }
    }
    pairs.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut found = vec![None; objects.len()];
    for (_, _, i, j) in pairs {
        if found[i].is_none() && !found.contains(&Some(j)) {
            found[i] = Some(j);
        }
    }
    found
}

/// Returns the joints of an object and its parts, in the order of the list.
fn joints_of<'a>(joints: &'a [ObjectJoint], base: &ObjectId) -> Vec<&'a ObjectJoint> {
    let mut parts = vec![base];
    for _ in joints {
        for joint in joints {
            if parts.contains(&&joint.parent) && !parts.contains(&&joint.child) {
                parts.push(&joint.child);
            }
        }
    }
    let joints = joints.iter();
    joints.filter(|j| parts[1..].contains(&&j.child)).collect()
}

/// Distance between the centres of both bounding boxes, m.
fn apart_m(object: &GroundTruthObject, report: &PerceivedObject) -> f64 {
    let there = object.shape.aabb(&object.world_from_object).center();
    let seen = report.shape.aabb(&report.world_from_object).center();
    (there.coords - seen.coords).norm()
}

fn error(object: &GroundTruthObject, report: &PerceivedObject) -> SightError {
    let size = |shape: &Shape, pose: &Pose| shape.aabb(&upright(pose)).size();
    let truth = size(&object.shape, &object.world_from_object);
    let seen = size(&report.shape, &report.world_from_object);
    let off = |a: [f64; 3], b: [f64; 3]| (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f64::max);
    let (truth, seen): ([f64; 3], [f64; 3]) = (truth.into(), seen.into());
    let swapped = [seen[1], seen[0], seen[2]];
    SightError {
        kind: object.category.clone(),
        position_m: apart_m(object, report),
        yaw_rad: yaw_error(object, report),
        size_m: off(truth, seen).min(off(truth, swapped)),
        is_other_color: object.color.is_some() && object.color != report.color,
        is_other_kind: object.category != report.category,
    }
}

/// Pose without its yaw.
fn upright(pose: &Pose) -> Pose {
    let turn = nalgebra::UnitQuaternion::from_axis_angle(&Vector3::z_axis(), -yaw(pose));
    Pose::from_parts(pose.translation, turn * pose.rotation)
}

fn yaw(pose: &Pose) -> f64 {
    let x = pose.rotation * Vector3::x();
    x.y.atan2(x.x)
}

fn yaw_error(object: &GroundTruthObject, report: &PerceivedObject) -> Option<f64> {
    if object.category == report.category && object.shape == report.shape {
        let (there, seen) = (&object.world_from_object, &report.world_from_object);
        return turn_between(&object.shape, &there.rotation, &seen.rotation);
    }
    let (Shape::Box { half_extents: a }, Shape::Box { half_extents: b }) =
        (&object.shape, &report.shape)
    else {
        return None;
    };
    let turned = yaw(&object.world_from_object) - yaw(&report.world_from_object);
    let is_square = (a[0] - a[1]).abs() < 0.1 * a[0].max(a[1]);
    // A box looks the same after half a turn, and after a quarter turn with x and y swapped.
    let swapped = (a[0] > a[1]) != (b[0] > b[1]);
    let (period, offset) = match (is_square, swapped) {
        (true, _) => (FRAC_PI_2, 0.0),
        (false, false) => (PI, 0.0),
        (false, true) => (PI, FRAC_PI_2),
    };
    let rest = (turned + offset).rem_euclid(period);
    Some(rest.min(period - rest))
}

/// Aggregates reports.
pub fn summarize_sight(reports: &[SightReport]) -> SightSummary {
    let seen: Vec<_> = reports.iter().flat_map(|r| &r.seen).collect();
    let spread = |values: Vec<f64>| {
        Some(Spread {
            median: median(&values)?,
            p95: p95(&values)?,
            max: values.iter().copied().fold(0.0, f64::max),
        })
    };
    let joints: Vec<_> = reports.iter().flat_map(|r| &r.joints).collect();
    let openings = |kind: JointKind| {
        let of_kind = joints.iter().filter(|j| j.kind == kind);
        of_kind.filter_map(|j| j.opening).collect()
    };
    SightSummary {
        n_objects: reports.iter().map(|r| r.n_objects).sum(),
        position_m: spread(seen.iter().map(|e| e.position_m).collect()),
        yaw_rad: spread(seen.iter().filter_map(|e| e.yaw_rad).collect()),
        size_m: spread(seen.iter().map(|e| e.size_m).collect()),
        n_missed: reports.iter().map(|r| r.missed.len()).sum(),
        n_ghosts: reports.iter().map(|r| r.ghosts.len()).sum(),
        n_confused: seen.iter().filter(|e| e.is_other_color).count(),
        n_misnamed: seen.iter().filter(|e| e.is_other_kind).count(),
        slide_m: spread(openings(JointKind::Prismatic)),
        hinge_rad: spread(openings(JointKind::Revolute)),
        n_joints_missed: joints.iter().filter(|j| j.opening.is_none()).count(),
    }
}

/// Aggregates reports by the objects' categories. Ghosts and joints are left out.
pub fn summarize_sight_by_kind(reports: &[SightReport]) -> BTreeMap<String, SightSummary> {
    let mut kinds: BTreeMap<String, SightReport> = BTreeMap::new();
    for report in reports {
        for error in &report.seen {
            let of_kind = kinds.entry(error.kind.clone()).or_default();
            of_kind.n_objects += 1;
            of_kind.seen.push(error.clone());
        }
        for (id, kind) in report.missed.iter().zip(&report.missed_kinds) {
            let of_kind = kinds.entry(kind.clone()).or_default();
            of_kind.n_objects += 1;
            of_kind.missed.push(id.clone());
        }
    }
    let kinds = kinds.into_iter();
    let summaries = kinds.map(|(kind, report)| (kind, summarize_sight(&[report])));
    summaries.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use regrasp_scene::SceneJoint;

    fn block(id: &str, x: f64, yaw: f64, half: [f64; 3]) -> PerceivedObject {
        PerceivedObject {
            color: Some("red".into()),
            world_from_object: Pose::new(Vector3::new(x, 0.1, 0.05), Vector3::z() * yaw),
            ..regrasp_testkit::thing(id, "box", Shape::Box { half_extents: half }, [0.0; 3])
        }
    }

    fn truth(objects: &[PerceivedObject]) -> GroundTruth {
        let object = |o: &PerceivedObject| {
            let (id, shape, pose) = (o.id.clone(), o.shape.clone(), o.world_from_object);
            GroundTruthObject {
                color: o.color.clone(),
                movable: true,
                ..GroundTruthObject::at_rest(id, &o.category, shape, pose)
            }
        };
        GroundTruth {
            objects: objects.iter().map(object).collect(),
            ..GroundTruth::default()
        }
    }

    #[test]
    fn errors_are_what_they_are_and_a_quarter_turn_with_swapped_edges_is_none() {
        let there = [
            block("a", 0.3, 0.2, [0.02, 0.03, 0.01]),
            block("b", 0.6, 0.0, [0.02, 0.02, 0.02]),
        ];
        let seen = [
            block("red_box", 0.303, 0.2 - FRAC_PI_2, [0.031, 0.02, 0.01]),
            block("red_box_2", 0.9, 0.0, [0.02, 0.02, 0.02]),
        ];
        let percept = regrasp_testkit::percept(seen.to_vec());
        let report = compare_sight(&percept, &truth(&there));
        assert_eq!(report.missed, ["b"]);
        assert_eq!(report.ghosts, ["red_box_2"]);
        let [error] = report.seen.as_slice() else {
            panic!("expected one pair, got {report:?}");
        };
        assert!((error.position_m - 0.003).abs() < 1e-9);
        assert!(error.yaw_rad.is_some_and(|yaw| yaw < 1e-9), "{error:?}");
        assert!((error.size_m - 0.002).abs() < 1e-9, "{error:?}");
    }

    #[test]
    fn names_and_joints_are_compared_and_parts_are_not_objects() {
        let ids = ["box", "drawer"].map(ObjectId::new);
        let (axis, range) = ([1.0, 0.0, 0.0], [0.0, 0.1]);
        let slide = SceneJoint::new("j".into(), ids, JointKind::Prismatic, axis, range);
        let here = Pose::identity();
        let [joint, mut seen_joint] = [0.05, 0.04].map(|opening| ObjectJoint {
            opening,
            ..slide.at(&here, &here, &here)
        });
        let mut there = truth(&[
            block("box", 0.3, 0.0, [0.02, 0.03, 0.05]),
            block("drawer", 0.3, 0.0, [0.01, 0.02, 0.01]),
            block("milk", 0.5, 0.4, [0.02, 0.03, 0.05]),
        ]);
        there.objects[1].part_of = Some("box".into());
        there.joints = vec![joint];
        let mut percept = regrasp_testkit::percept(vec![
            block("box_2", 0.3, PI, [0.02, 0.03, 0.05]),
            PerceivedObject {
                category: "juice".into(),
                ..block("juice", 0.5, 0.1, [0.02, 0.03, 0.05])
            },
        ]);
        seen_joint.parent = "box_2".into();
        percept.joints = vec![seen_joint];
        let report = compare_sight(&percept, &there);
        assert_eq!((report.n_objects, report.missed.len()), (2, 0));
        assert_eq!(report.misnamed, [["milk".to_owned(), "juice".to_owned()]]);
        let turns: Vec<_> = report.seen.iter().filter_map(|e| e.yaw_rad).collect();
        assert!(turns[0] < 1e-9, "half a turn of a block: {turns:?}");
        assert!((turns[1] - 0.3).abs() < 1e-9, "{turns:?}");
        let opening = report.joints[0].opening.expect("an opening is reported");
        assert!((opening - 0.01).abs() < 1e-9);
        let kinds = summarize_sight_by_kind(&[report]);
        assert_eq!(kinds["box"].n_misnamed, 1);
    }
}
