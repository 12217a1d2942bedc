//! Forward kinematics by the table in [`PandaIk::recognise`](super::PandaIk::recognise), from
//! angles given as sine and cosine, and verification of answers with it.

use nalgebra::{Matrix3, Vector3};

use super::geometry::PandaIk;

/// Largest deviation from 1 of the norm of a sine and a cosine. It also bounds the error of forward
/// kinematics that does not normalise them.
const NORM_TOL: f64 = 1e-8;
/// Largest error of an answer by forward kinematics, m and rad. The rest of the promised 1e-6 is
/// for `NORM_TOL` and for angles moved to their limits.
const VERIFY_TOL: f64 = 0.8e-6;

#[derive(Clone, Copy)]
pub(super) struct Turn {
    pub(super) sin: f64,
    pub(super) cos: f64,
}

impl Turn {
    pub(super) fn new(sin: f64, cos: f64) -> Self {
        Self { sin, cos }
    }

    pub(super) fn angle(self) -> f64 {
        self.sin.atan2(self.cos)
    }

    fn is_one(self) -> bool {
        (self.sin * self.sin + self.cos * self.cos - 1.0).abs() <= 2.0 * NORM_TOL
    }
}

#[derive(Clone, Copy)]
pub(super) struct Frame {
    x: Vector3<f64>,
    y: Vector3<f64>,
    z: Vector3<f64>,
    at: Vector3<f64>,
}

impl Frame {
    pub(super) fn new(rotation: &Matrix3<f64>, at: Vector3<f64>) -> Self {
        let [x, y, z] = [0, 1, 2].map(|i| rotation.column(i).into_owned());
        Self { x, y, z, at }
    }

    pub(super) fn axes(&self) -> [&Vector3<f64>; 3] {
        [&self.x, &self.y, &self.z]
    }

    /// Frame that is rotated about z, with its origin at a height.
    fn turned(turn: Turn, height: f64) -> Self {
        let Turn { sin, cos } = turn;
        Self {
            x: Vector3::new(cos, sin, 0.0),
            y: Vector3::new(-sin, cos, 0.0),
            z: Vector3::z(),
            at: Vector3::z() * height,
        }
    }

    /// Next frame: Rx(α) Tx(a) Rz(q) Tz(d) with α a quarter turn in the direction of the sign.
    fn next(self, sin_alpha: f64, a: f64, d: f64, q: Turn) -> Self {
        let (x, y, z) = (self.x, self.z * sin_alpha, self.y * -sin_alpha);
        Self {
            x: x * q.cos + y * q.sin,
            y: y * q.cos - x * q.sin,
            z,
            at: self.at + x * a + z * d,
        }
    }

    /// Inverse of [`Frame::next`].
    fn before(self, sin_alpha: f64, a: f64, d: f64, q: Turn) -> Self {
        let (x, y) = (
            self.x * q.cos - self.y * q.sin,
            self.x * q.sin + self.y * q.cos,
        );
        Self {
            x,
            y: self.z * -sin_alpha,
            z: y * sin_alpha,
            at: self.at - x * a - self.z * d,
        }
    }
}

impl PandaIk {
    /// Frame 3 in the frame of joint 1, from the tool's frame 7 and the angles of joints 4 to 7.
    /// `None` if the norm of a sine and cosine is not 1.
    pub(super) fn frame3_from_tool(&self, frame7: &Frame, q4_to_q7: [Turn; 4]) -> Option<Frame> {
        let [q4, q5, q6, q7] = q4_to_q7;
        let frame5 = frame7.before(1.0, self.a7, 0.0, q7);
        let frame5 = frame5.before(1.0, 0.0, 0.0, q6);
        let frame3 = frame5.before(-1.0, self.a5, self.d5, q5);
        let frame3 = frame3.before(1.0, self.a4, 0.0, q4);
        q4_to_q7.into_iter().all(Turn::is_one).then_some(frame3)
    }

    /// Returns true if joints 1 to 3 reach `frame3` so closely that the tool errs by less than
    /// `VERIFY_TOL`. All beyond frame 3 is rigid, so the tool errs by at most the distance between
    /// the reached and the given frame 3, plus `lever_m` times the angle between them.
    pub(super) fn is_verified(&self, q1_to_q3: [Turn; 3], frame3: &Frame, lever_m: f64) -> bool {
        let [q1, q2, q3] = q1_to_q3;
        let found = Frame::turned(q1, self.shoulder_z).next(-1.0, 0.0, 0.0, q2);
        let found = found.next(1.0, 0.0, self.d3, q3);
        let off_m2 = (found.at - frame3.at).norm_squared();
        // The Frobenius norm of a difference of rotations is √8 sin(angle / 2).
        let off_rad2 = 0.5
            * ((found.x - frame3.x).norm_squared()
                + (found.y - frame3.y).norm_squared()
                + (found.z - frame3.z).norm_squared());
        let half = 0.5 * VERIFY_TOL;
        let most_rad = half / lever_m.max(1.0);
        off_m2 <= half * half
            && off_rad2 <= most_rad * most_rad
            && q1_to_q3.into_iter().all(Turn::is_one)
    }
}
