//! Topics of an offered robot.

use std::sync::Arc;
use std::time::Duration as StdDuration;

use ros2_client::Publisher;
use tokio::time::{Instant, interval};

use crate::messages::{
    CameraInfo, Clock, ColorRGBA, Header, Image, JointState, Marker, MarkerArray, Quaternion,
    TFMessage, Text, Time, TransformStamped, Vector3,
};
use crate::node::{Delivery, RosNode};
use crate::{Body, NodeError, OfferedRobot, RosFrame, Snapshot};

/// `Marker::TRIANGLE_LIST`.
const TRIANGLES: i32 = 11;
/// `Marker::DELETEALL`.
const DELETE_ALL: i32 = 3;
/// Interval at which transforms are repeated while time stands still.
const REPEAT: StdDuration = StdDuration::from_secs(1);

pub(crate) struct Publishers {
    robot: Arc<dyn OfferedRobot>,
    joint_states: Publisher<JointState>,
    moving: Publisher<TFMessage>,
    fixed: Publisher<TFMessage>,
    description: Publisher<Text>,
    clock: Publisher<Clock>,
    markers: Publisher<MarkerArray>,
    cameras: Vec<Camera>,
}

struct Camera {
    name: String,
    image: Publisher<Image>,
    info: Publisher<CameraInfo>,
}

impl Publishers {
    pub(crate) fn new(node: &mut RosNode, robot: Arc<dyn OfferedRobot>) -> Result<Self, NodeError> {
        let camera = |view: regrasp_api::CameraView| {
            let name = view.name;
            Ok(Camera {
                image: node.publisher(&format!("{name}/image_raw"), Delivery::Stream)?,
                info: node.publisher(&format!("{name}/camera_info"), Delivery::Stream)?,
                name,
            })
        };
        let cameras: Result<Vec<_>, NodeError> = robot.cameras().into_iter().map(camera).collect();
        Ok(Self {
            cameras: cameras?,
            joint_states: node.publisher("joint_states", Delivery::Stream)?,
            moving: node.publisher("/tf", Delivery::Stream)?,
            fixed: node.publisher("/tf_static", Delivery::Latched)?,
            description: node.publisher("robot_description", Delivery::Latched)?,
            clock: node.publisher("/clock", Delivery::Stream)?,
            markers: node.publisher("objects", Delivery::Latched)?,
            robot,
        })
    }

    /// Publishes until the robot is shut down.
    pub(crate) async fn publish(&self, node: &RosNode, rate_hz: f64, camera_hz: f64) {
        let data = self.robot.facts().description.clone();
        sent(
            "/robot_description",
            self.description.publish(Text { data }),
        );
        let (mut world, mut last_secs, mut repeated) = (None, f64::NAN, Instant::now());
        let mut pictured = Instant::now();
        let mut ticks = interval(StdDuration::from_secs_f64(1.0 / rate_hz));
        loop {
            ticks.tick().await;
            let Some(now) = self.robot.snapshot() else {
                return;
            };
            if world != Some(now.world) {
                world = Some(now.world);
                self.publish_world(&now);
            }
            // Listeners of tf warn about a second transform of the same instant.
            let is_new = now.time_secs.to_bits() != last_secs.to_bits();
            self.publish_state(&now);
            if is_new || repeated.elapsed() >= REPEAT {
                (last_secs, repeated) = (now.time_secs, Instant::now());
                sent("/tf", self.moving.publish(transforms(&now, false)));
            }
            if pictured.elapsed().as_secs_f64() >= 1.0 / camera_hz {
                pictured = Instant::now();
                self.publish_pictures(node, now.time_secs).await;
            }
        }
    }

    fn publish_world(&self, now: &Snapshot) {
        sent("/tf_static", self.fixed.publish(transforms(now, true)));
        let clear = Marker {
            action: DELETE_ALL,
            ..Marker::default()
        };
        let bodies = self.robot.bodies();
        let drawn = bodies.iter().zip(0..).map(|(body, id)| marker(body, id));
        let markers = std::iter::once(clear).chain(drawn).collect();
        sent("objects", self.markers.publish(MarkerArray { markers }));
    }

    fn publish_state(&self, now: &Snapshot) {
        let facts = self.robot.facts();
        let fingers = facts.fingers.names.iter();
        let arm = facts.arm.iter().map(|joint| &joint.name);
        let finger = vec![facts.fingers.position(now.gripper_width_m); fingers.len()];
        let still = vec![0.0; fingers.len()];
        let state = JointState {
            header: Header::new(now.time_secs, ""),
            name: arm.chain(fingers).cloned().collect(),
            position: [now.joint_positions.clone(), finger].concat(),
            velocity: [now.joint_velocities.clone(), still].concat(),
            effort: vec![],
        };
        sent("joint_states", self.joint_states.publish(state));
        if now.is_simulated {
            let clock = Time::of(now.time_secs);
            sent("/clock", self.clock.publish(Clock { clock }));
        }
    }

    /// Publishes the pictures of cameras that have subscribers.
    async fn publish_pictures(&self, node: &RosNode, time_secs: f64) {
        for camera in &self.cameras {
            let wanted = camera.image.get_subscription_count(&node.node)
                + camera.info.get_subscription_count(&node.node);
            if wanted == 0 {
                continue;
            }
            let (robot, name) = (Arc::clone(&self.robot), camera.name.clone());
            let taken = tokio::task::spawn_blocking(move || robot.picture(&name)).await;
            let Ok(Some((view, data))) = taken else {
                continue;
            };
            let frame = &camera.name;
            let info = CameraInfo::of(time_secs, frame, &view);
            let image = Image {
                header: Header::new(time_secs, frame),
                height: info.height,
                width: info.width,
                encoding: "rgb8".into(),
                step: 3 * info.width,
                data,
                ..Image::default()
            };
            sent("camera_info", camera.info.publish(info));
            sent("image_raw", camera.image.publish(image));
        }
    }
}

/// Logs a message that could not be sent; it is not sent again, because newer ones follow.
fn sent<E: std::fmt::Debug>(topic: &str, published: Result<(), E>) {
    if let Err(error) = published {
        tracing::debug!("failed to publish on {topic}: {error:?}");
    }
}

fn transforms(now: &Snapshot, is_fixed: bool) -> TFMessage {
    let frames = now.frames.iter().filter(|frame| frame.is_fixed == is_fixed);
    let transform = |frame: &RosFrame| TransformStamped {
        header: Header::new(now.time_secs, &frame.parent),
        child_frame_id: frame.name.clone(),
        transform: (&frame.parent_from_frame).into(),
    };
    TFMessage {
        transforms: frames.map(transform).collect(),
    }
}

fn marker(body: &Body, id: i32) -> Marker {
    let [r, g, b] = body.rgb;
    let point = |[x, y, z]: &[f64; 3]| Vector3 {
        x: *x,
        y: *y,
        z: *z,
    };
    let mut marker = Marker {
        header: Header::new(0.0, &body.name),
        ns: body.name.clone(),
        id,
        kind: TRIANGLES,
        scale: Vector3 {
            x: 1.0,
            y: 1.0,
            z: 1.0,
        },
        color: ColorRGBA { r, g, b, a: 1.0 },
        frame_locked: true,
        points: body.corners.iter().map(point).collect(),
        ..Marker::default()
    };
    marker.pose.orientation = Quaternion {
        w: 1.0,
        ..Quaternion::default()
    };
    marker
}
