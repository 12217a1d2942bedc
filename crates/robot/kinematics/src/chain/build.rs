//! Construction of a serial chain from the tree.

use nalgebra::Isometry3;

use super::{Chain, MAX_DOF, Segment, Step, segment};
use crate::{ChainError, Joint, JointKind, JointLimits, Mimic, RobotModel, ik::PandaIk};

impl RobotModel {
    /// Returns the chain from `base_link` out to `tip_link`.
    ///
    /// # Errors
    ///
    /// [`ChainError`] if either link is unknown, the tip is not a descendant of the base, no joint
    /// between them moves, more than [`crate::MAX_DOF`] do, or a joint between them mimics one
    /// outside the chain.
    pub fn chain(&self, base_link: &str, tip_link: &str) -> Result<Chain, ChainError> {
        Chain::new(self, base_link, tip_link)
    }
}

impl Chain {
    fn new(model: &RobotModel, base: &str, tip: &str) -> Result<Self, ChainError> {
        let path = joints_between(model, base, tip)?;
        let joints = model.joints();
        let path_joints = path.iter().copied();
        let moving = path_joints.filter(|&j| joints[j].kind.is_movable());
        let moving: Vec<usize> = moving.collect();
        let own = moving.iter().copied();
        let own: Vec<usize> = own.filter(|&j| joints[j].mimic.is_none()).collect();
        if moving.len() > MAX_DOF {
            return Err(ChainError(format!(
                "{} joints move between link `{base}` and link `{tip}`; at most {MAX_DOF} are \
                 supported",
                moving.len()
            )));
        }
        let mut chain = Self {
            base_link: base.to_owned(),
            tip_link: tip.to_owned(),
            joint_names: own.iter().map(|&j| joints[j].name.clone()).collect(),
            limits: own.iter().map(|&j| joints[j].limits).collect(),
            joint_idxs: own,
            steps: Vec::with_capacity(moving.len()),
            end: Segment::identity(),
            panda_ik: None,
        };
        let mut pending = Isometry3::identity();
        for joint in path.iter().map(|&j| &joints[j]) {
            pending *= joint.parent_from_joint;
            if joint.kind.is_movable() {
                let joint_from_z = joint.joint_from_z();
                chain.push_step(model, joint, pending * joint_from_z)?;
                pending = joint_from_z.inverse();
            }
        }
        chain.end = segment(&pending);
        if chain.steps.is_empty() {
            let why = format!("nothing moves between link `{base}` and link `{tip}`");
            return Err(ChainError(why));
        }
        chain.panda_ik = PandaIk::recognise(&chain).map(Box::new);
        Ok(chain)
    }

    fn push_step(
        &mut self,
        model: &RobotModel,
        joint: &Joint,
        fixed: Isometry3<f64>,
    ) -> Result<(), ChainError> {
        let source = model.source(joint.child_link_idx - 1);
        let is_source = |j: &usize| *j == source.source_joint_idx;
        let q_idx = self.joint_idxs.iter().position(is_source);
        let q_idx = q_idx.ok_or_else(|| {
            let (own, of) = (&joint.name, &model.joints()[source.source_joint_idx].name);
            ChainError(format!(
                "joint `{own}` mimics `{of}`, which is not on the chain"
            ))
        })?;
        if joint.mimic.is_some() {
            narrow(&mut self.limits[q_idx], &joint.limits, &source);
        }
        self.steps.push(Step {
            fixed: segment(&fixed),
            is_prismatic: joint.kind == JointKind::Prismatic,
            q_idx,
            multiplier: source.multiplier,
            offset: source.offset,
        });
        Ok(())
    }
}

fn joints_between(model: &RobotModel, base: &str, tip: &str) -> Result<Vec<usize>, ChainError> {
    let link_idx = |name: &str| {
        model.link_idx(name).ok_or_else(|| {
            let known: Vec<&str> = model.links().iter().map(|link| &*link.name).collect();
            let known = known.join(", ");
            ChainError(format!("unknown link `{name}` (known links: {known})"))
        })
    };
    let (base_idx, mut at) = (link_idx(base)?, link_idx(tip)?);
    let mut path = Vec::new();
    while at != base_idx {
        let joint_idx = model.parent_joint_idx(at).ok_or_else(|| {
            ChainError(format!("link `{tip}` is not a descendant of link `{base}`"))
        })?;
        path.push(joint_idx);
        at = model.joints()[joint_idx].parent_link_idx;
    }
    path.reverse();
    Ok(path)
}

/// Restricts a source joint to positions at which the joint that mimics it is within its limits. If
/// there are none, the source is fixed at the end nearest to the mimic's range.
fn narrow(limits: &mut JointLimits, of_mimic: &JointLimits, source: &Mimic) {
    if source.multiplier == 0.0 {
        return;
    }
    let ends =
        [of_mimic.lower, of_mimic.upper].map(|end| (end - source.offset) / source.multiplier);
    let (lower, upper) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
    limits.lower = limits.lower.max(lower).min(limits.upper);
    limits.upper = limits.upper.min(upper).max(limits.lower);
}
