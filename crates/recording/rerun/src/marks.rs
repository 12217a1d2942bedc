//! Marks of grasps, contacts and failures.

use std::collections::BTreeMap;

use nalgebra::Point3;
use regrasp_api::{CollisionPair, MonitorStop, Pose, WeighedGrasp};
use regrasp_ground_truth::FrameContact;

use crate::EntityPath;
use crate::colours::{FAILED, TOUCHING, verdict_colour};
use crate::row::{Line, Point, Rgb, Row};

/// Half the distance between the prongs of a fork, m. A fork represents a pose of the hand.
const HALF_WIDTH_M: f64 = 0.03;
/// Length of the prongs, m.
const PRONG_M: f64 = 0.045;
/// Length of the stem behind the prongs, m.
const STEM_M: f64 = 0.04;
/// Line radius of a fork, m.
const FORK_RADIUS_M: f32 = 0.001;
/// Line radius of a highlighted fork, m.
const BOLD_RADIUS_M: f32 = 0.002;
/// Radius of a point, m.
const MARK_RADIUS_M: f32 = 0.008;

/// Creates the fork for a pose of the hand. Its prongs end at the tool point and are spread along
/// the tool's y axis, along which the fingers close.
pub(crate) fn fork(world_from_tool: &Pose, rgb: Rgb, radius_m: f32) -> [Line; 2] {
    // Coordinates across and along the hand, m.
    let line = |points: &[[f64; 2]]| Line {
        points: points
            .iter()
            .map(|[y, z]| single(world_from_tool * Point3::new(0.0, *y, *z)))
            .collect(),
        rgb,
        radius_m,
    };
    let (w, z) = (HALF_WIDTH_M, -PRONG_M);
    [
        line(&[[-w, 0.0], [-w, z], [w, z], [w, 0.0]]),
        line(&[[0.0, z], [0.0, z - STEM_M]]),
    ]
}

/// Forks for the grasps of an object, grouped by verdict.
pub(crate) fn grasps(object: &str, grasps: &[WeighedGrasp]) -> BTreeMap<EntityPath, Row> {
    let mut by_verdict: BTreeMap<&str, Vec<Line>> = BTreeMap::new();
    for grasp in grasps {
        let radius_m = match grasp.verdict.as_str() {
            WeighedGrasp::TAKEN => BOLD_RADIUS_M,
            _ => FORK_RADIUS_M,
        };
        let rgb = verdict_colour(&grasp.verdict);
        let lines = by_verdict.entry(&grasp.verdict).or_default();
        lines.extend(fork(&grasp.world_from_tool, rgb, radius_m));
    }
    let row = |(verdict, lines)| (EntityPath::grasps(object, verdict), Row::Lines(lines));
    by_verdict.into_iter().map(row).collect()
}

/// Forks for tool poses to which no motion was found.
pub(crate) fn no_motion(goals_in_world: &[Pose]) -> Row {
    let forks = goals_in_world.iter();
    let forks = forks.flat_map(|goal| fork(goal, FAILED, BOLD_RADIUS_M));
    Row::Lines(forks.collect())
}

/// Creates labelled points for predicted collisions. Each is at the position of the body that the
/// link would touch, from `position_of`, or at the first goal pose if that position is unknown.
pub(crate) fn would_touch(
    pairs: &[CollisionPair],
    goals_in_world: &[Pose],
    position_of: impl Fn(&str) -> Option<[f32; 3]>,
) -> Row {
    let goal = goals_in_world.first();
    let goal = goal.map(|pose| single(pose.translation.vector.into()));
    let mut points: Vec<Point> = vec![];
    for CollisionPair { link, other } in pairs {
        let label = format!("{link} would touch {other}");
        let Some(at) = position_of(other).or(goal) else {
            continue;
        };
        // Many candidates fail because of the same pair, which gets one label.
        if points.iter().all(|point| point.label != label) {
            points.push(mark(at, label));
        }
    }
    Row::Points(points)
}

pub(crate) fn touched(stop: &MonitorStop) -> Option<Row> {
    let contact = stop.contact.as_ref()?;
    let label = format!("{} touched, {:.1} N", contact.link, contact.force_n);
    let at = contact.point_in_world.map(|v| v as f32);
    Some(Row::Points(vec![mark(at, label)]))
}

fn mark(at: [f32; 3], label: String) -> Point {
    Point {
        at,
        rgb: FAILED,
        radius_m: MARK_RADIUS_M,
        label,
    }
}

/// Creates points for the contacts of the robot. Their size grows with the force.
pub(crate) fn contacts(contacts: &[FrameContact]) -> Vec<Point> {
    const LEAST_M: f32 = 0.003;
    const MOST_M: f32 = 0.015;
    const PER_N: f32 = 2e-4;
    let own = contacts.iter().filter(|contact| contact.by_robot);
    let point = |contact: &FrameContact| Point {
        at: contact.point_in_world.map(|v| v as f32),
        rgb: TOUCHING,
        radius_m: (LEAST_M + PER_N * contact.force_n as f32).min(MOST_M),
        label: format!("{} on {}", contact.by, contact.with),
    };
    own.map(point).collect()
}

pub(crate) fn single(point: Point3<f64>) -> [f32; 3] {
    [point.x, point.y, point.z].map(|v| v as f32)
}

#[cfg(test)]
mod tests {
    use nalgebra::{Translation3, UnitQuaternion};

    use super::*;

    fn tool() -> Pose {
        // Straight down, and turned so that the fingers close along World's x axis.
        let down = UnitQuaternion::from_euler_angles(std::f64::consts::PI, 0.0, 0.0);
        let turned = UnitQuaternion::from_euler_angles(0.0, 0.0, std::f64::consts::FRAC_PI_2);
        Pose::from_parts(Translation3::new(0.4, -0.1, 0.2), turned * down)
    }

    #[test]
    fn a_fork_ends_at_the_tool_point_and_its_stem_is_where_the_hand_is() {
        let [prongs, stem] = fork(&tool(), FAILED, 0.001);
        let tips = [prongs.points[0], prongs.points[3]];
        for tip in tips {
            assert!(
                (tip[2] - 0.2).abs() < 1e-6,
                "the tip is at the tool point: {tip:?}"
            );
            assert!(
                (tip[1] + 0.1).abs() < 1e-6,
                "the fork closes along x: {tip:?}"
            );
        }
        assert!((tips[0][0] - tips[1][0]).abs() > 0.05);
        assert!(stem.points[1][2] > stem.points[0][2], "the stem points up");
    }

    #[test]
    fn grasps_are_sorted_by_what_became_of_them() {
        let weighed = |verdict: &str| WeighedGrasp {
            world_from_tool: tool(),
            verdict: verdict.into(),
            touches: vec![],
        };
        let all = ["in_collision", "in_collision", "taken"].map(weighed);
        let rows = grasps("cube", &all);
        let n = |verdict: &str| match rows.get(&EntityPath::grasps("cube", verdict)) {
            Some(Row::Lines(lines)) => {
                assert!(lines.iter().all(|l| l.rgb == verdict_colour(verdict)));
                lines.len()
            }
            other => panic!("{verdict}: {other:?}"),
        };
        assert_eq!((n("in_collision"), n("taken"), rows.len()), (4, 2, 2));
    }

    #[test]
    fn a_pair_is_labelled_once_at_the_other_body() {
        let pair = |other: &str| CollisionPair {
            link: "hand".into(),
            other: other.into(),
        };
        let at = |name: &str| (name == "wall").then_some([1.0, 2.0, 3.0]);
        let pairs = [pair("wall"), pair("wall"), pair("link4")];
        let Row::Points(points) = would_touch(&pairs, &[tool()], at) else {
            panic!("the labels of pairs are not points");
        };
        let told: Vec<_> = points.iter().map(|p| (p.at, p.label.as_str())).collect();
        let expected = [
            ([1.0, 2.0, 3.0], "hand would touch wall"),
            ([0.4, -0.1, 0.2], "hand would touch link4"),
        ];
        assert_eq!(told, expected);
    }
}
