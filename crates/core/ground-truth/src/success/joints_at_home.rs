//! `joints_at_home`: every arm joint is at home.

use std::fmt;

use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Found, Seen, ensure};
use crate::known::{Known, Wrong, positive};

/// Every arm joint is at home.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointsAtHome {
    /// The home configuration, rad; the robot's if left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub home: Vec<f64>,
    /// How far off each may be, rad.
    pub tolerance_rad: f64,
}

impl Condition for JointsAtHome {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        if self.home.is_empty() {
            self.home = known.home.to_vec();
        }
        let (given, n) = (self.home.len(), known.home.len());
        if given != n {
            let right = format!("a list of {n} numbers, one for each joint of the arm");
            return Err(Wrong::value("home", format!("a list of {given}"), right));
        }
        positive("tolerance_rad", self.tolerance_rad)
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let joints = &seen.last.joint_positions;
        let offs = joints.iter().zip(&self.home).map(|(q, h)| (q - h).abs());
        let worst = offs.clone().fold(0.0, f64::max);
        let same = joints.len() == self.home.len();
        let all = same && offs.clone().all(|off| off <= self.tolerance_rad);
        ensure(all, || format!("a joint is {worst:.4} rad off"))
    }

    fn objects(&self) -> Vec<&ObjectId> {
        Vec::new()
    }
}

impl fmt::Display for JointsAtHome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "joints_at_home(within {} rad)", self.tolerance_rad)
    }
}
