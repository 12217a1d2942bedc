//! Conversion between the world's true state and frames.

use regrasp_ground_truth::{Frame, FrameObject, GroundTruth};

pub(crate) fn frame_of(truth: &GroundTruth) -> Frame {
    let objects = truth.objects.iter().map(|object| FrameObject {
        id: object.id.clone(),
        world_from_object: object.world_from_object,
    });
    let mut frame = Frame {
        time_secs: truth.time_secs,
        world_from_tool: truth.world_from_tool,
        objects: objects.collect(),
        ..Frame::default()
    };
    frame.joints.position.clone_from(&truth.joint_positions);
    frame.joints.velocity.clone_from(&truth.joint_velocities);
    frame.gripper.width_m = truth.gripper_width_m;
    frame
}

/// Earlier true state with the time and poses of a frame, without the objects that the frame lacks.
/// Contacts and the objects' velocities stay as they were.
pub(crate) fn truth_at(earlier: &GroundTruth, frame: &Frame) -> GroundTruth {
    let mut truth = earlier.clone();
    truth.time_secs = frame.time_secs;
    truth.world_from_tool = frame.world_from_tool;
    truth.joint_positions.clone_from(&frame.joints.position);
    truth.joint_velocities.clone_from(&frame.joints.velocity);
    truth.gripper_width_m = frame.gripper.width_m;
    truth.objects.retain_mut(|object| {
        let now = frame.object(&object.id);
        if let Some(now) = now {
            object.world_from_object = now.world_from_object;
        }
        now.is_some()
    });
    truth
}
