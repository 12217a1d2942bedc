//! Contacts of the robot that a task does not need.

use regrasp_api::ObjectId;
use regrasp_relations::SUPPORT_GAP_M;

use crate::{GroundTruth, RobotContact, Toucher};

/// Returns the contacts since the start that no skill needs: of a link other than a finger with
/// anything; of a finger with an object that was never held and is not one of `moved`, which may be
/// pushed or pressed (see [`Success::moved`](crate::Success::moved)); and of a held object with
/// anything but its support at the start or now.
///
/// A support in between, where the object was put down and grasped again, is not known from two
/// truths and counts as stray.
pub fn stray_contacts<'a>(
    first: &GroundTruth,
    last: &'a GroundTruth,
    moved: &[&ObjectId],
) -> Vec<&'a RobotContact> {
    let held = last.was_held.iter();
    let may_touch: Vec<&ObjectId> = held.chain(moved.iter().copied()).collect();
    stray_except(first, last, &may_touch)
}

/// Returns the stray contacts if the fingers may touch these objects only.
pub(crate) fn stray_except<'a>(
    first: &GroundTruth,
    last: &'a GroundTruth,
    may_touch: &[&ObjectId],
) -> Vec<&'a RobotContact> {
    let is_stray = |contact: &&RobotContact| match &contact.by {
        Toucher::Arm(_) => true,
        Toucher::Finger(_) => !may_touch.contains(&&contact.with),
        // The contents of a carried container touch it all the way.
        Toucher::Held(_) if is_small(last, &contact.with) => false,
        Toucher::Held(held) => {
            let rests = |truth| rests_on(truth, held, &contact.with);
            !rests(first) && !rests(last)
        }
    };
    last.contacts.iter().filter(is_stray).collect()
}

fn is_small(truth: &GroundTruth, id: &ObjectId) -> bool {
    truth.object(id).is_some_and(|o| o.group.is_some())
}

/// Time of the first contact between a held object and another, s.
pub(crate) fn first_touch_secs(
    last: &GroundTruth,
    object: &ObjectId,
    with: &ObjectId,
) -> Option<f64> {
    let by_it = |c: &&RobotContact| matches!(&c.by, Toucher::Held(held) if held == object);
    let touches = last.contacts.iter().filter(by_it);
    let times = touches.filter(|c| &c.with == with).map(|c| c.first_secs);
    times.min_by(f64::total_cmp)
}

/// Returns true if an object touches another whose top (floor, if it is hollow) is below it.
fn rests_on(truth: &GroundTruth, top: &ObjectId, below: &ObjectId) -> bool {
    let (Some(a), Some(b)) = (truth.object(top), truth.object(below)) else {
        return false;
    };
    let over = a.shape.aabb(&a.world_from_object);
    let under = b.shape.aabb(&b.world_from_object);
    let hollow = b.shape.is_hollow();
    let surface = if hollow { under.min[2] } else { under.max[2] };
    let touches = a.touches.contains(below) || b.touches.contains(top);
    touches && over.min[2] > surface - SUPPORT_GAP_M
}
