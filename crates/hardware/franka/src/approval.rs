//! Who lets the first motion begin.

use regrasp_api::Aabb;

use crate::limits::{ArmKind, N_JOINTS};

/// The first motion after connecting, for whoever approves it.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstMotion {
    /// Where the arm answers.
    pub host: String,
    /// Which arm it is.
    pub arm: ArmKind,
    /// Where the joints are, rad.
    pub from: [f64; N_JOINTS],
    /// Where they will be, rad.
    pub to: [f64; N_JOINTS],
    /// Box around the way of the tool point, in the frame of the arm's base, m.
    pub tool_in_base: Aabb,
    /// How long it takes, s.
    pub duration_secs: f64,
    /// Greatest speed of a joint on the way, rad/s.
    pub peak_speed_rad_per_s: f64,
    /// The motion as it was planned takes this part of the time.
    pub rate: f64,
}

/// Who approves the first motion.
pub enum Approval {
    /// Asks this function; `false` refuses.
    Ask(Box<dyn FnMut(&FirstMotion) -> bool + Send>),
    /// Nobody is there: the first motion is refused, if the safety settings want an approval.
    Nobody,
}

impl std::fmt::Debug for Approval {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Ask(_) => "Ask",
            Self::Nobody => "Nobody",
        })
    }
}

impl Approval {
    pub(crate) fn of(&mut self, motion: &FirstMotion) -> bool {
        match self {
            Self::Ask(ask) => ask(motion),
            Self::Nobody => false,
        }
    }
}

impl std::fmt::Display for FirstMotion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Aabb { min, max } = self.tool_in_base;
        write!(
            f,
            "the {} at {} moves for {:.1} s, no joint faster than {:.2} rad/s; the tool stays \
             within x {:.2} to {:.2}, y {:.2} to {:.2}, z {:.2} to {:.2} m of the base",
            self.arm,
            self.host,
            self.duration_secs,
            self.peak_speed_rad_per_s,
            min[0],
            max[0],
            min[1],
            max[1],
            min[2],
            max[2],
        )
    }
}
