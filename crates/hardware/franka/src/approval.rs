//! Approval of the first motion after connecting.

use regrasp_api::Aabb;

use crate::{ArmKind, N_JOINTS};

/// First motion after connecting, shown to the person who approves it.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstMotion {
    /// Host name or address of the arm.
    pub host: String,
    /// Kind of arm.
    pub arm: ArmKind,
    /// Joint positions at the start, rad.
    pub from: [f64; N_JOINTS],
    /// Joint positions at the end, rad.
    pub to: [f64; N_JOINTS],
    /// Bounding box of the tool point's path, in the frame of the arm's base, m.
    pub tool_in_base: Aabb,
    /// Duration, s.
    pub duration_secs: f64,
    /// Peak joint speed, rad/s.
    pub peak_speed_rad_per_s: f64,
    /// Speed relative to the planned motion, in (0, 1]; below 1 the motion is stretched in time.
    pub rate: f64,
}

/// Function that decides if the first motion may begin; `false` rejects it.
pub type Approval = Box<dyn FnMut(&FirstMotion) -> bool + Send>;

impl std::fmt::Display for FirstMotion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Aabb { min, max } = self.tool_in_base;
        write!(
            f,
            "the {} at {} moves for {:.1} s, no joint faster than {:.2} rad/s; in the \
             frame of its base, the tool point stays within x {:.2} to {:.2}, y {:.2} to {:.2}, z \
             {:.2} to {:.2} m",
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
