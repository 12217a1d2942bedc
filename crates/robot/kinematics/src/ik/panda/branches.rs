//! All solutions for one position of joint 7.
//!
//! Everything is in the frame of joint 1. R4 is the rotation of frame 4 in Craig's convention and
//! x4, y4, z4 are its axes, likewise for other frames. Rx, Ry, Rz are rotations about x, y, z.
//!
//! 1. **Wrist.** The tool gives frame 7. With q7, R6 = R7 Rz(-q7) Rx(-π/2) and the wrist's centre
//!    W, where the axes of joints 5 and 6 meet, lies a7 behind frame 7 along x6.
//! 2. **Elbow.** The shoulder's centre S is fixed. Axes 3 and 5 are perpendicular to axis 4, so S,
//!    W and the elbow lie in a plane perpendicular to it, and the angle γ at the elbow follows from
//!    the law of cosines. Seen from the elbow at q4 = 0, S is at the angle atan2(-d3, -a4) and W at
//!    atan2(d5, a5): q4 = ±γ + the difference. On the Panda +γ is the usual branch, and -γ has q4 >
//!    -0.467 rad.
//! 3. **Forearm.** In frame 4, S - W = (vx, vy, 0) is then known. Its direction y4 = z5 is
//!    perpendicular to z6 and has y4 · (S - W) = vy: two solutions, mirror images in the plane of
//!    z6 and S - W. x4 is along the rest of S - W.
//! 4. **Wrist angles.** R4ᵀ R6 = Ry(q5) Rz(q6), which has one solution. With joints 4 to 7 known,
//!    frame 3 follows from the tool by forward kinematics (`frame`).
//! 5. **Shoulder angles.** R3 = Rz(q1) Ry(q2) Rz(q3): two solutions. If sin q2 = 0 the first and
//!    last axis coincide and q1 is free.
//!
//! Two more alignments leave a joint free in principle, but not on an arm with these proportions: S
//! on axis 5 (vx = 0) needs q4 = 0 or 2.63 rad, and S on axis 6 needs an upper arm longer than d5.
//! They yield no solution here.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use nalgebra::{Isometry3, Vector3};

use super::frame::{Frame, Turn};
use super::geometry::{PandaIk, PandaQ};
use crate::chain::{Segment, segment};

/// Largest excess of a cosine over 1 that counts as rounding, for a stretched arm.
const COSINE_SLACK: f64 = 1e-9;
/// Largest excess of an angle over a limit that counts as rounding, rad.
const LIMIT_SLACK: f64 = 1e-9;
/// Sine of joint 2 below which joints 1 and 3 count as aligned.
const ALIGNED: f64 = 1e-9;
/// Length below which a vector counts as zero, m.
const NO_LENGTH: f64 = 1e-9;

/// A tool pose, prepared for all positions of joint 7.
pub(super) struct Goal {
    /// Frame 7 in the frame of joint 1.
    pub(super) segment7: Segment,
    frame7: Frame,
    /// Upper bound on the distance of the tool from the origin of frame 3, m.
    lever_m: f64,
}

impl Goal {
    pub(super) fn new(ik: &PandaIk, base_from_tool: &Isometry3<f64>) -> Self {
        let joint1_from_tool = ik.joint1_from_base * segment(base_from_tool);
        let segment7 = joint1_from_tool * ik.tool_from_joint7;
        let lengths = [ik.a4, ik.a5, ik.d5, ik.a7];
        Self {
            frame7: Frame::new(segment7.rotation.matrix(), segment7.translation.vector),
            segment7,
            lever_m: ik.tool_from_joint7.translation.vector.norm()
                + lengths.iter().map(|length| length.abs()).sum::<f64>(),
        }
    }
}

/// Frame 6 and the vector from wrist to shoulder.
struct Wrist {
    turn7: Turn,
    x6: Vector3<f64>,
    y6: Vector3<f64>,
    z6: Vector3<f64>,
    wrist_to_shoulder: Vector3<f64>,
}

/// Joint 4 and the quantities that follow from it in the plane of the arm.
struct Elbow {
    q4: f64,
    turn: Turn,
    /// Vector from wrist to shoulder in frame 4, m; its z is 0.
    vx: f64,
    vy: f64,
}

impl PandaIk {
    /// Visits every solution with joint 7 at `q7`. If joint 1 is free, it is put at `q1_hint` if
    /// the limits allow.
    pub(super) fn for_each_branch(
        &self,
        goal: &Goal,
        q7: f64,
        q1_hint: f64,
        visit: &mut impl FnMut(&PandaQ),
    ) {
        if !(self.lower[6] <= q7 && q7 <= self.upper[6]) {
            return;
        }
        let wrist = self.wrist(goal, q7);
        let to_shoulder = &wrist.wrist_to_shoulder;
        // Component of the vector to the shoulder that is perpendicular to z6.
        let across = to_shoulder - wrist.z6 * wrist.z6.dot(to_shoulder);
        let across_m = across.norm();
        let cos_gamma =
            (self.elbow.sum_of_squares - to_shoulder.norm_squared()) / self.elbow.twice_product;
        let is_finite_triangle = cos_gamma.abs() <= 1.0 + COSINE_SLACK;
        if !is_finite_triangle || across_m < NO_LENGTH {
            return;
        }
        let across = across / across_m;
        let aside = wrist.z6.cross(&across);
        let sin_gamma = (1.0 - cos_gamma * cos_gamma).max(0.0).sqrt();
        for sin_gamma in both_signs(sin_gamma) {
            let Some(elbow) = self.elbow(cos_gamma.clamp(-1.0, 1.0), sin_gamma) else {
                continue;
            };
            let along = elbow.vy / across_m;
            if along.abs() > 1.0 + COSINE_SLACK || elbow.vx.abs() < NO_LENGTH {
                continue;
            }
            let along = along.clamp(-1.0, 1.0);
            for sideways in both_signs((1.0 - along * along).sqrt()) {
                let y4 = across * along + aside * sideways;
                let mut q = [0.0, 0.0, 0.0, elbow.q4, 0.0, 0.0, q7];
                if let Some(frame3) = self.forearm(goal, &wrist, &elbow, &y4, &mut q) {
                    self.shoulder(goal, &frame3, q, q1_hint, visit);
                }
            }
        }
    }

    /// Step 1 of the derivation: the wrist.
    fn wrist(&self, goal: &Goal, q7: f64) -> Wrist {
        let (sin, cos) = q7.sin_cos();
        let r7 = goal.segment7.rotation.matrix();
        let x6 = r7.column(0) * cos - r7.column(1) * sin;
        let wrist = goal.segment7.translation.vector - x6 * self.a7;
        Wrist {
            turn7: Turn::new(sin, cos),
            x6,
            y6: -r7.column(2),
            z6: r7.column(0) * sin + r7.column(1) * cos,
            wrist_to_shoulder: Vector3::new(0.0, 0.0, self.shoulder_z) - wrist,
        }
    }

    /// Step 2 of the derivation, the elbow, with γ given by its cosine and, for the two branches,
    /// signed sine.
    fn elbow(&self, cos_gamma: f64, sin_gamma: f64) -> Option<Elbow> {
        let (sin_folded, cos_folded) = (self.elbow.sin_folded, self.elbow.cos_folded);
        let sin = sin_gamma * cos_folded + cos_gamma * sin_folded;
        let cos = cos_gamma * cos_folded - sin_gamma * sin_folded;
        if !self.arcs[3].may_hold(sin, cos) {
            return None;
        }
        Some(Elbow {
            q4: self.within_limits(3, sin.atan2(cos))?,
            turn: Turn::new(sin, cos),
            vx: -self.a4 * cos - self.d3 * sin - self.a5,
            vy: self.a4 * sin - self.d3 * cos - self.d5,
        })
    }

    /// Completes step 3 and does step 4: writes joints 5 and 6 and returns frame 3.
    fn forearm(
        &self,
        goal: &Goal,
        wrist: &Wrist,
        elbow: &Elbow,
        y4: &Vector3<f64>,
        q: &mut PandaQ,
    ) -> Option<Frame> {
        let turn6 = Turn::new(y4.dot(&wrist.x6), y4.dot(&wrist.y6));
        if !self.arcs[5].may_hold(turn6.sin, turn6.cos) {
            return None;
        }
        let rest = wrist.wrist_to_shoulder - y4 * y4.dot(&wrist.wrist_to_shoulder);
        let x4 = rest * (elbow.vx.signum() / rest.norm());
        let z4 = x4.cross(y4);
        let turn5 = Turn::new(x4.dot(&wrist.z6), z4.dot(&wrist.z6));
        if !self.arcs[4].may_hold(turn5.sin, turn5.cos) {
            return None;
        }
        q[4] = self.within_limits(4, turn5.angle())?;
        q[5] = self.within_limits(5, turn6.angle())?;
        self.frame3_from_tool(&goal.frame7, [elbow.turn, turn5, turn6, wrist.turn7])
    }

    /// Step 5 of the derivation: the shoulder.
    fn shoulder(
        &self,
        goal: &Goal,
        frame3: &Frame,
        q: PandaQ,
        q1_hint: f64,
        visit: &mut impl FnMut(&PandaQ),
    ) {
        let [x3, y3, z3] = frame3.axes();
        let sin_q2 = (z3.x * z3.x + z3.y * z3.y).sqrt();
        if sin_q2 < ALIGNED {
            self.split(goal, frame3, q, q1_hint).iter().for_each(visit);
            return;
        }
        for sign in [1.0, -1.0] {
            let scale = sign / sin_q2;
            let turn1 = Turn::new(scale * z3.y, scale * z3.x);
            let turns = [
                turn1,
                Turn::new(sign * sin_q2, z3.z),
                joint_3(x3, y3, turn1),
            ];
            if let Some(q) = self.with_shoulder(goal, frame3, q, turns) {
                visit(&q);
            }
        }
    }

    /// Joints 1 and 3 share an axis: puts joint 1 at the hint, or a multiple of a quarter turn from
    /// it so that both are within their limits.
    fn split(&self, goal: &Goal, frame3: &Frame, q: PandaQ, q1_hint: f64) -> Option<PandaQ> {
        let [x3, y3, z3] = frame3.axes();
        [0.0, FRAC_PI_2, -FRAC_PI_2, PI].iter().find_map(|turn| {
            let (sin, cos) = (q1_hint + turn).sin_cos();
            let turn1 = Turn::new(sin, cos);
            let turn2 = Turn::new(cos * z3.x + sin * z3.y, z3.z);
            let turns = [turn1, turn2, joint_3(x3, y3, turn1)];
            self.with_shoulder(goal, frame3, q, turns)
        })
    }

    /// Writes joints 1 to 3, if the limits allow and forward kinematics agrees.
    fn with_shoulder(
        &self,
        goal: &Goal,
        frame3: &Frame,
        mut q: PandaQ,
        turns: [Turn; 3],
    ) -> Option<PandaQ> {
        let may_hold = |i: usize| self.arcs[i].may_hold(turns[i].sin, turns[i].cos);
        if !(0..3).all(may_hold) {
            return None;
        }
        for i in 0..3 {
            q[i] = self.within_limits(i, turns[i].angle())?;
        }
        self.is_verified(turns, frame3, goal.lever_m).then_some(q)
    }

    /// Returns the angle, shifted by a full turn if necessary, if it is within the limits of joint
    /// `i`.
    fn within_limits(&self, i: usize, angle: f64) -> Option<f64> {
        let (lower, upper) = (self.lower[i], self.upper[i]);
        let angle = if angle < lower - LIMIT_SLACK {
            angle + TAU
        } else if angle > upper + LIMIT_SLACK {
            angle - TAU
        } else {
            angle
        };
        let is_within = angle >= lower - LIMIT_SLACK && angle <= upper + LIMIT_SLACK;
        is_within.then(|| angle.max(lower).min(upper))
    }
}

/// Joint 3 from R3 = Rz(q1) Ry(q2) Rz(q3), given q1: the second row of Rz(-q1) R3 is (sin q3, cos
/// q3, 0).
fn joint_3(x3: &Vector3<f64>, y3: &Vector3<f64>, turn1: Turn) -> Turn {
    let Turn { sin, cos } = turn1;
    Turn::new(cos * x3.y - sin * x3.x, cos * y3.y - sin * y3.x)
}

/// A root and its negative; only once if it is zero.
fn both_signs(root: f64) -> impl Iterator<Item = f64> {
    let is_double = root == 0.0;
    [root, -root]
        .into_iter()
        .take(if is_double { 1 } else { 2 })
}
