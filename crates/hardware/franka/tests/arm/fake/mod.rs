//! Fake of the arm's controller and of the hand, on loopback. It speaks the protocol of both arms,
//! checks every command as an arm would, and injects faults.
//!
//! It waits for the answer to each state, so a busy machine loses no cycle: every loss is planned,
//! and everything is counted in cycles of the arm.

mod arm;
mod cycles;
mod hand;
mod link;
mod wire;

pub(crate) use arm::{FakeArm, Mishap};
pub(crate) use hand::FakeHand;

use regrasp_kinematics::{Chain, MeshSearch, RobotModel};

pub(crate) fn chain() -> Chain {
    let urdf = regrasp_assets::folder().join("robots/panda/panda.urdf");
    let model = RobotModel::load(urdf, &MeshSearch::default()).unwrap();
    model.chain("panda_link0", "panda_tool").unwrap()
}
