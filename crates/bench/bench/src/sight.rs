//! Comparison of a perception's reports with the ground truth.

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::Vector3;
use regrasp_api::{PerceivedObject, Percept, Pose, Shape};
use regrasp_ground_truth::{GroundTruth, GroundTruthObject};
use serde::{Deserialize, Serialize};

use crate::statistics::{median, p95};

/// Maximum distance of a report from its object, m. Other reports are ghosts.
const SAME_M: f64 = 0.05;

/// Error of one report.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SightError {
    /// Distance between the centres of both bounding boxes, m.
    pub position_m: f64,
    /// Error of the yaw, rad, modulo the symmetry of the shape; `None` for round shapes.
    pub yaw_rad: Option<f64>,
    /// Largest error of an edge of the bounding box, m.
    pub size_m: f64,
    /// Set if the reported colour is not the object's.
    pub is_other_color: bool,
}

/// Comparison of one percept with the ground truth. Tables belong to the cell and are left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SightReport {
    /// Number of objects.
    pub n_objects: usize,
    /// Errors of the reports that match an object.
    pub seen: Vec<SightError>,
    /// Ids of objects without a report.
    pub missed: Vec<String>,
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
    /// Yaw error, rad.
    pub yaw_rad: Option<Spread>,
    /// Size error, m.
    pub size_m: Option<Spread>,
    /// Objects without a report.
    pub n_missed: usize,
    /// Reports without an object.
    pub n_ghosts: usize,
    /// Reports with a wrong colour.
    pub n_confused: usize,
}

/// Compares a percept with the ground truth. Reports are matched greedily, nearest pair first.
pub fn compare_sight(percept: &Percept, truth: &GroundTruth) -> SightReport {
    let objects = truth.objects.iter().filter(|o| o.category != "table");
    let objects: Vec<_> = objects.collect();
    let reports = percept.objects.iter().filter(|o| o.category != "table");
    let reports: Vec<_> = reports.collect();
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (i, object) in objects.iter().enumerate() {
        for (j, report) in reports.iter().enumerate() {
            let apart = (middle(&object.shape, &object.world_from_object)
                - middle(&report.shape, &report.world_from_object))
            .norm();
            if apart < SAME_M {
                pairs.push((apart, i, j));
            }
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut found, mut used) = (vec![None; objects.len()], vec![false; reports.len()]);
    for (_, i, j) in pairs {
        if found[i].is_none() && !used[j] {
            found[i] = Some(j);
            used[j] = true;
        }
    }
    let mut summary = SightReport {
        n_objects: objects.len(),
        ..SightReport::default()
    };
    for (object, report) in objects.iter().zip(&found) {
        match report {
            Some(j) => summary.seen.push(error(object, reports[*j])),
            None => summary.missed.push(object.id.to_string()),
        }
    }
    let ghosts = reports.iter().zip(&used).filter(|(_, used)| !**used);
    summary.ghosts = ghosts.map(|(r, _)| r.id.to_string()).collect();
    summary
}

fn middle(shape: &Shape, pose: &Pose) -> Vector3<f64> {
    shape.aabb(pose).center().coords
}

fn error(object: &GroundTruthObject, report: &PerceivedObject) -> SightError {
    let size = |shape: &Shape, pose: &Pose| shape.aabb(&upright(pose)).size();
    let (truth, seen) = (
        size(&object.shape, &object.world_from_object),
        size(&report.shape, &report.world_from_object),
    );
    let apart = middle(&object.shape, &object.world_from_object)
        - middle(&report.shape, &report.world_from_object);
    let off = |a: [f64; 3], b: [f64; 3]| (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f64::max);
    let (truth, seen): ([f64; 3], [f64; 3]) = (truth.into(), seen.into());
    let swapped = [seen[1], seen[0], seen[2]];
    SightError {
        position_m: apart.norm(),
        yaw_rad: yaw_error(object, report),
        size_m: off(truth, seen).min(off(truth, swapped)),
        is_other_color: object.color.is_some() && object.color != report.color,
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
    SightSummary {
        n_objects: reports.iter().map(|r| r.n_objects).sum(),
        position_m: spread(seen.iter().map(|e| e.position_m).collect()),
        yaw_rad: spread(seen.iter().filter_map(|e| e.yaw_rad).collect()),
        size_m: spread(seen.iter().map(|e| e.size_m).collect()),
        n_missed: reports.iter().map(|r| r.missed.len()).sum(),
        n_ghosts: reports.iter().map(|r| r.ghosts.len()).sum(),
        n_confused: seen.iter().filter(|e| e.is_other_color).count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(id: &str, x: f64, yaw: f64, half: [f64; 3]) -> PerceivedObject {
        PerceivedObject {
            color: Some("red".into()),
            world_from_object: Pose::new(Vector3::new(x, 0.1, 0.05), Vector3::z() * yaw),
            ..regrasp_testkit::thing(id, "box", Shape::Box { half_extents: half }, [0.0; 3])
        }
    }

    fn truth(objects: &[PerceivedObject]) -> GroundTruth {
        let object = |o: &PerceivedObject| GroundTruthObject {
            color: o.color.clone(),
            movable: true,
            ..GroundTruthObject::at_rest(
                o.id.clone(),
                &o.category,
                o.shape.clone(),
                o.world_from_object,
            )
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
            panic!("one pair: {report:?}");
        };
        assert!((error.position_m - 0.003).abs() < 1e-9);
        assert!(error.yaw_rad.is_some_and(|yaw| yaw < 1e-9), "{error:?}");
        assert!((error.size_m - 0.002).abs() < 1e-9, "{error:?}");
    }
}
