//! Path of an object on a joint: a slide or an arc, with the parameters of each.

use nalgebra::Vector3;
use regrasp_api::{JointKind, ObjectJoint, PerceivedObject};

/// A slide or an arc. Lengths and openings are in m on a slide, and in rad on an arc.
pub(super) struct JointPath {
    pub(super) turns: bool,
    pub(super) unit: &'static str,
    /// Name of the phase in which the hand moves the object by its handle.
    pub(super) phase: &'static str,
    /// Least displacement that counts as motion.
    pub(super) stuck: f64,
    /// Largest allowed deviation of the joint from the hand's motion.
    pub(super) off: f64,
    /// Tolerance of the opening in a push. A joint that lags by five times as much counts as lost.
    pub(super) slack: f64,
    /// Distance by which a push goes beyond the object's stop.
    pub(super) beyond: f64,
    /// Least change of the opening that makes a stroke worthwhile.
    pub(super) worth: f64,
    /// Length of the straight segments in which the hand follows the path: they deviate from an arc
    /// of 0.3 m radius by less than a millimetre.
    pub(super) step: f64,
    /// Options for the hand's orientation while pushing: rotating with the object or not.
    pub(super) turnings: &'static [bool],
    /// Best place for pushing, as fractions of the extent across and along the axis: far from a
    /// hinge, in the middle of a slide.
    pub(super) best: [f64; 2],
    /// Cost of a push away from the best place along the axis, per fraction of the extent.
    pub(super) per_height: f64,
}

const SLIDE: JointPath = JointPath {
    turns: false,
    unit: "m",
    phase: "slide",
    stuck: 0.005,
    off: 0.008,
    slack: 0.01,
    beyond: 0.01,
    worth: 0.03,
    step: 0.05,
    turnings: &[true],
    best: [0.0, 0.5],
    per_height: 1.0,
};
const ARC: JointPath = JointPath {
    turns: true,
    unit: "rad",
    phase: "turn",
    stuck: 0.05,
    off: 0.2,
    slack: 0.06,
    beyond: 0.04,
    worth: 0.25,
    step: 0.15,
    turnings: &[true, false],
    best: [1.0, 0.9],
    per_height: 0.3,
};

/// Frame in which the extent of an object is measured: a point, the axis, a unit vector across it.
pub(super) struct Frame {
    pub(super) origin: Vector3<f64>,
    pub(super) axis: Vector3<f64>,
    pub(super) across: Vector3<f64>,
}

impl JointPath {
    pub(super) fn of(joint: &ObjectJoint) -> &'static Self {
        match joint.kind {
            JointKind::Prismatic => &SLIDE,
            JointKind::Revolute => &ARC,
        }
    }

    /// Vector from the nearest point on an arc's axis to a point in World, m.
    fn lever(&self, joint: &ObjectJoint, point: &Vector3<f64>) -> Vector3<f64> {
        let lever = point - Vector3::from(joint.point_in_world);
        lever - joint.axis() * lever.dot(&joint.axis())
    }

    /// Velocity direction of a point while the joint opens, in World.
    pub(super) fn tangent(&self, joint: &ObjectJoint, point: &Vector3<f64>) -> Vector3<f64> {
        let along = match self.turns {
            true => joint.axis().cross(&self.lever(joint, point)),
            false => joint.axis(),
        };
        along.try_normalize(1e-9).unwrap_or_else(Vector3::zeros)
    }

    /// Displacement of a point per unit of opening, m.
    pub(super) fn lever_m(&self, joint: &ObjectJoint, point: &Vector3<f64>) -> f64 {
        match self.turns {
            true => self.lever(joint, point).norm(),
            false => 1.0,
        }
    }

    /// Openings at the ends of the segments from one opening to another, the latter included.
    pub(super) fn openings(&self, from: f64, to: f64) -> Vec<f64> {
        let n = ((to - from).abs() / self.step).ceil().max(1.0) as usize;
        let at = |k: usize| from + (to - from) * k as f64 / n as f64;
        (1..n).map(at).chain([to]).collect()
    }

    /// Frame for sampling an object's surface: at the hinge, or for a slide at the object's middle,
    /// with one axis horizontal across the path and one perpendicular to both.
    pub(super) fn frame(&self, joint: &ObjectJoint, object: &PerceivedObject) -> Option<Frame> {
        let middle = object.aabb_in_world().center().coords;
        let axis = joint.axis();
        if self.turns {
            return Some(Frame {
                origin: joint.point_in_world.into(),
                axis,
                across: self.lever(joint, &middle).try_normalize(1e-6)?,
            });
        }
        let level = axis.cross(&Vector3::z());
        let across = level.try_normalize(1e-3).unwrap_or_else(Vector3::x);
        Some(Frame {
            origin: middle,
            axis: axis.cross(&across),
            across,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arc_is_followed_in_lines_that_cut_it_by_less_than_a_millimetre() {
        // The sagitta of a chord of an arc of 0.15 rad with a radius of 0.3 m: 0.84 mm.
        let openings = ARC.openings(0.1, 0.7);
        assert_eq!(openings.len(), 4);
        assert!((openings[0] - 0.25).abs() < 1e-9 && (openings[3] - 0.7).abs() < 1e-9);
        let sagitta_m = 0.3 * (1.0 - (0.5 * ARC.step).cos());
        assert!(sagitta_m < 0.001, "{sagitta_m}");
    }
}
