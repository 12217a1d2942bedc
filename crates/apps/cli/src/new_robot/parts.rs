//! Parts of a robot: arm, hand, and what the hand moves.

use std::fmt::Display;

use regrasp::kinematics::{Joint, JointKind, RobotModel};

use crate::{CliError, Result};

/// Words in the names of a hand with one moving jaw, whose joint would otherwise be the arm's last.
const JAW: [&str; 4] = ["jaw", "gripper", "finger", "moving_side"];

/// Indices of links and joints of a robot.
pub(super) struct Parts {
    pub(super) arm: Vec<usize>,
    /// Link with the palm: the nearest with a shape, at or above the one that carries the fingers.
    pub(super) hand: usize,
    /// First joint, moving or fixed, of each branch beyond the hand that has a moving joint.
    pub(super) branches: Vec<usize>,
    /// The last moving joint, if it seems to move a jaw.
    pub(super) jaw: Option<usize>,
}

impl Parts {
    pub(super) fn find(model: &RobotModel, hand: Option<&str>) -> Result<Self> {
        let joints = model.joints();
        // Joint `i` moves link `i + 1`.
        let n_moving = |joint: &usize| {
            let links = beyond(model, joint + 1, |_| true).into_iter();
            links.filter(|l| joints[l - 1].kind.is_movable()).count()
        };
        let named = hand.map(|name| model.link_idx(name).ok_or(name));
        let unknown = |name| refusal(format_args!("no link `{name}` in the URDF"));
        let mut link = named.transpose().map_err(unknown)?.unwrap_or(0);
        let moving = |link: usize| -> Vec<usize> {
            let from_it = |j: &usize| joints[*j].parent_link_idx == link && n_moving(j) > 0;
            (0..joints.len()).filter(from_it).collect()
        };
        while let [next] = moving(link)[..]
            && (hand.is_none() || !joints[next].kind.is_movable())
        {
            link = joints[next].child_link_idx;
        }
        let above = |&joint: &usize| model.parent_joint_idx(joints[joint].parent_link_idx);
        let path = std::iter::successors(model.parent_joint_idx(link), above);
        let mut arm: Vec<usize> = path.filter(|j| joints[*j].kind.is_movable()).collect();
        arm.reverse();
        let branches: Vec<usize> = moving(link);
        let is_jaw = |j: &usize| {
            let names = [
                &joints[*j].name,
                &model.links()[joints[*j].child_link_idx].name,
            ];
            let is_named = |word: &&str| names.iter().any(|n| n.to_lowercase().contains(*word));
            branches.is_empty() && JAW.iter().any(is_named)
        };
        let jaw = arm.last().copied().filter(is_jaw);
        if let Some(jaw) = jaw {
            arm.pop();
            link = joints[jaw].parent_link_idx;
        }
        if arm.is_empty() && (branches.is_empty() || hand.is_some()) {
            let why = "no joint moves between the root of the URDF and the hand";
            return Err(refusal(why));
        }
        let several = hand.is_none() && branches.iter().filter(|j| n_moving(j) > 4).count() > 1;
        if arm.is_empty() || several {
            let ways: Vec<_> = branches.iter().map(|j| joints[*j].name.as_str()).collect();
            let ways = ways.join("`, `");
            return Err(refusal(format_args!(
                "several paths of moving joints lead from the root, through the joints `{ways}`: \
                 name the link that carries the fingers or the tool, with --hand"
            )));
        }
        let has_shape = |link: &usize| !model.links()[*link].collisions.is_empty();
        let above = |link: &usize| {
            let joint = &joints[model.parent_joint_idx(*link)?];
            (joint.kind == JointKind::Fixed).then_some(joint.parent_link_idx)
        };
        let palm = std::iter::successors(Some(link), above).find(has_shape);
        Ok(Self {
            hand: palm.filter(|_| !branches.is_empty()).unwrap_or(link),
            arm,
            branches,
            jaw,
        })
    }
}

pub(super) fn refusal(why: impl Display) -> CliError {
    CliError::usage(format_args!("write a robot file: {why}"))
}

/// The link and those beyond it, along joints of one kind.
pub(super) fn beyond(
    model: &RobotModel,
    link: usize,
    along: impl Fn(&Joint) -> bool,
) -> Vec<usize> {
    let mut links = vec![link];
    for joint in model.joints().iter().filter(|joint| along(joint)) {
        if links.contains(&joint.parent_link_idx) {
            links.push(joint.child_link_idx);
        }
    }
    links
}

/// The number with at most five digits after the point.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 1e5).round() / 1e5 + 0.0
}
