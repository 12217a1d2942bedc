//! Opening, closing and turning of objects on joints: drawers, doors, lids, knobs.

mod calls;
mod compliant_follow;
mod drive_to;
mod grip;
mod handle;
mod joint_path;
mod push_along;
mod travel;
mod verify;

use regrasp_api::{
    Failure, JointRole, ObjectId, ObjectJoint, PerceivedObject, Percept, Pose, Reason,
};
use regrasp_robot::Robot;

use crate::sight;
use joint_path::JointPath;

pub use calls::{Close, CloseArgs, Open, OpenArgs, Press, PressArgs, Turn, TurnArgs};

/// State of a call about an object on a joint.
#[derive(Clone, Debug)]
pub struct JointTask {
    object: PerceivedObject,
    joint: ObjectJoint,
    goal: JointGoal,
    force_n: Option<f64>,
    /// Grasps with which the object did not move.
    stuck_grasps: Vec<Pose>,
    /// True if the object fell back when it was released on the way.
    falls_back: bool,
    press: Option<ButtonPress>,
}

#[derive(Clone, Copy, Debug)]
struct ButtonPress {
    count_before: u32,
    max_force_n: f64,
}

/// Target openings of a joint, m or rad.
#[derive(Clone, Copy, Debug)]
struct JointGoal {
    target: f64,
    least: f64,
    most: f64,
}

impl JointTask {
    fn new(
        object: PerceivedObject,
        joint: ObjectJoint,
        goal: JointGoal,
        force_n: Option<f64>,
    ) -> Self {
        Self {
            object,
            joint,
            goal,
            force_n,
            stuck_grasps: vec![],
            falls_back: false,
            press: None,
        }
    }

    fn path(&self) -> &'static JointPath {
        JointPath::of(&self.joint)
    }

    /// Returns true if the joint is at its goal; for a button, if it has registered the press.
    fn is_there(&self) -> bool {
        match self.press {
            Some(press) => self.n_presses() > press.count_before,
            None => (self.goal.least..=self.goal.most).contains(&self.joint.opening),
        }
    }

    fn n_presses(&self) -> u32 {
        self.joint.presses.map_or(0, |presses| presses.count)
    }

    /// Returns true if a stroke to an opening is worthwhile.
    fn is_worth(&self, opening: f64) -> bool {
        (opening - self.joint.opening).abs() >= self.path().worth
    }

    /// 1 if the joint should open further, -1 if it should close.
    fn sign(&self) -> f64 {
        if self.goal.target >= self.joint.opening {
            1.0
        } else {
            -1.0
        }
    }

    fn id(&self) -> &ObjectId {
        &self.object.id
    }
}

fn exactly(joint: &ObjectJoint, target: f64) -> JointGoal {
    let off = joint.tolerance();
    JointGoal {
        target,
        least: target - off,
        most: target + off,
    }
}

/// Returns the object that an argument's phrase names, and its joint: its own, or that of its only
/// part that is `wanted`.
fn find(
    robot: &mut Robot,
    (key, phrase): (&str, &str),
    what: &str,
    wanted: impl Fn(&ObjectJoint) -> bool,
) -> Result<(PerceivedObject, ObjectJoint), Failure> {
    sight::check_free(robot)?;
    let (percept, named) = sight::find(robot, phrase)?;
    let moves = |joint: &&ObjectJoint| wanted(joint);
    let own = percept.joints.iter().filter(|j| j.child == named.id);
    let mut found: Vec<&ObjectJoint> = own.filter(moves).collect();
    if found.is_empty() {
        let of_it = |j: &&ObjectJoint| {
            j.parent == named.id || percept.whole_of(&j.child) == Some(&named.id)
        };
        found = percept.joints.iter().filter(of_it).filter(moves).collect();
    }
    match found.as_slice() {
        [joint] => match percept.object(&joint.child) {
            Some(object) => Ok((object.clone(), (*joint).clone())),
            None => Ok((sight::see_again(robot, &joint.child)?, (*joint).clone())),
        },
        [] => {
            let all = percept.joints.iter().filter(moves);
            let all: Vec<_> = all.map(|j| j.child.as_str()).collect();
            let known = match all.as_slice() {
                [] => "no object here does".to_owned(),
                all => format!("objects that do: {}", all.join(", ")),
            };
            let text = format!(
                "argument `{key}`: {} has no part that {what} ({known})",
                named.id
            );
            Err(Failure::new(Reason::BadArguments, text).about([named.id.clone()]))
        }
        several => {
            let ids: Vec<ObjectId> = several.iter().map(|j| j.child.clone()).collect();
            let names: Vec<&str> = ids.iter().map(ObjectId::as_str).collect();
            let (id, names) = (&named.id, names.join(", "));
            let text = format!("{id} has several such parts: {names}; name one of them");
            Err(Failure::new(Reason::AmbiguousObject, text).about(ids))
        }
    }
}

/// Returns true for a hinge with a horizontal axis, on which gravity moves the object up or down.
fn is_level(joint: &ObjectJoint) -> bool {
    /// Sine of the largest slope of the axis.
    const SLOPE: f64 = 0.2;
    JointPath::of(joint).turns && joint.axis().z.abs() < SLOPE
}

fn opens(joint: &ObjectJoint) -> bool {
    joint.presses.is_none() && joint.role == JointRole::Opens
}

/// Ids of all parts of the object to which the moving part belongs.
fn family(percept: &Percept, task: &JointTask) -> Vec<ObjectId> {
    let whole = percept.whole_of(task.id()).unwrap_or(&task.joint.parent);
    let parts = percept.parts_of(whole).cloned();
    let mut all: Vec<ObjectId> = parts.collect();
    all.extend([whole.clone(), task.joint.parent.clone(), task.id().clone()]);
    all
}
