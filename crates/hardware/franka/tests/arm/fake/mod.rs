//! A fake of the arm's controller and of the hand, on loopback: it speaks the protocol of both
//! arms, checks every command as an arm would, and lets things go wrong on purpose.
//!
//! It waits for the answer to each state, so that a busy machine loses no cycle: whatever is lost
//! was planned, and everything is counted in cycles of the arm.

mod arm;
mod cycles;
mod hand;
mod link;
mod wire;

pub(crate) use arm::{FakeArm, Mishap};
pub(crate) use hand::FakeHand;

use regrasp_kinematics::{Chain, MeshSearch, RobotModel};

/// The chain of the built-in Panda, base to tool point.
pub(crate) fn chain() -> Chain {
    let urdf = regrasp_assets::folder().join("robots/panda/panda.urdf");
    let model = RobotModel::load(urdf, &MeshSearch::default()).unwrap();
    model.chain("panda_link0", "panda_tool").unwrap()
}
