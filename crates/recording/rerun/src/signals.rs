//! Signals over time, in groups with one unit each.

use regrasp_ground_truth::Frame;

use crate::colours::{COMMANDED, SERIES};
use crate::{EntityPath, Fixture};

/// Group of the tracking error: the largest difference between measured and commanded joint
/// positions, rad.
pub(crate) const TRACKING: &str = "tracking_rad";
/// Group of the gripper: measured and commanded width, and slip, m.
pub(crate) const GRIPPER: &str = "gripper_m";
pub(crate) const FORCES: &str = "forces_n";
pub(crate) const JOINTS: &str = "joints_rad";

pub(crate) type Figures = (EntityPath, Vec<f64>);

pub(crate) fn figures(frame: &Frame) -> Vec<Figures> {
    let (joints, gripper) = (&frame.joints, &frame.gripper);
    let pairs = joints.position.iter().zip(&joints.commanded_position);
    let off = pairs.map(|(is, should)| (is - should).abs());
    let one = |group: &str, name: &str, value: f64| (EntityPath::signal(group, name), vec![value]);
    let all = |name: &str, values: &[f64]| (EntityPath::signal(JOINTS, name), values.to_vec());
    vec![
        one(TRACKING, "largest", off.fold(0.0, f64::max)),
        one(GRIPPER, "width", gripper.width_m),
        one(GRIPPER, "commanded", gripper.commanded_width_m),
        one(GRIPPER, "slip", gripper.slip_m),
        one(FORCES, "contact", gripper.hand_force_n),
        one(FORCES, "grip", gripper.grip_force_n),
        all("measured", &joints.position),
        all("commanded", &joints.commanded_position),
    ]
}

/// Names and colours of the signals that a [`Logbook`](crate::Logbook) logs, for an arm with these
/// joints.
pub fn signal_fixtures(joint_names: &[String]) -> Vec<(EntityPath, Fixture)> {
    let one = |group: &str, name: &str, legend: &str, rgb| {
        let signals = Fixture::Signals(vec![(legend.to_owned(), rgb)]);
        (EntityPath::signal(group, name), signals)
    };
    let colours = SERIES.iter().cycle();
    let measured = joint_names.iter().cloned().zip(colours.copied());
    let commanded = joint_names.iter();
    let commanded = commanded.map(|joint| (format!("{joint}, commanded"), COMMANDED));
    let all = |name: &str, signals| (EntityPath::signal(JOINTS, name), Fixture::Signals(signals));
    vec![
        one(TRACKING, "largest", "largest tracking error", SERIES[3]),
        one(GRIPPER, "width", "width", SERIES[0]),
        one(GRIPPER, "commanded", "commanded width", COMMANDED),
        one(GRIPPER, "slip", "slip", SERIES[1]),
        one(FORCES, "contact", "hardest contact", SERIES[3]),
        one(FORCES, "grip", "commanded grip", COMMANDED),
        all("measured", measured.collect()),
        all("commanded", commanded.collect()),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use regrasp_ground_truth::FrameJoints;

    use super::*;

    #[test]
    fn the_largest_distance_of_a_joint_from_its_command_is_the_tracking_error() {
        let frame = Frame {
            joints: FrameJoints {
                position: vec![0.1, -0.5],
                commanded_position: vec![0.15, -0.7],
                ..FrameJoints::default()
            },
            ..Frame::default()
        };
        let all = figures(&frame);
        let tracking = EntityPath::signal(TRACKING, "largest");
        let found = all.iter().find(|(path, _)| path == &tracking);
        let error = found.map(|(_, values)| values[0]).unwrap_or_default();
        assert!((error - 0.2).abs() < 1e-12, "{error}");
    }

    #[test]
    fn every_figure_has_a_name() {
        let names: BTreeSet<_> = signal_fixtures(&[])
            .into_iter()
            .map(|(path, _)| path)
            .collect();
        let figures = figures(&Frame::default()).into_iter();
        assert_eq!(names, figures.map(|(path, _)| path).collect());
    }
}
