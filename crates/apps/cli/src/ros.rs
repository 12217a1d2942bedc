//! `regrasp ros`: the robot as a ROS 2 node.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
#[cfg(feature = "serve")]
use std::thread;

use clap::{Args, ValueEnum};
use regrasp::api::{CameraView, Event, GripperCommand, Pose};
use regrasp::record::link_frame;
use regrasp_ros2::{
    Body, Middleware, NodeSettings, OfferedRobot, Order, Outcome, Pending, RobotFacts, RosFrame,
    ServerSettings, Snapshot, serve,
};
use regrasp_session::{
    Command, Entry, Outcome as SessionOutcome, Reply, RunOrder, Session, Subscription,
};
use tokio::sync::Notify;

use crate::ros_facts::facts;
use crate::scope;
use crate::session::SessionArguments;
use crate::{ExitCode, Result, say};

#[derive(Args, Debug)]
pub(super) struct RosArguments {
    #[command(flatten)]
    session: SessionArguments,
    #[command(flatten)]
    node: NodeArguments,
    /// Speed of simulated time relative to real time; 0 is as fast as possible.
    #[arg(long, default_value_t = 1.0, value_parser = crate::values::not_negative, group = scope::TIME)]
    speed: f64,
}

/// The ROS 2 node of a session's robot.
#[derive(Args, Clone, Debug)]
pub(super) struct NodeArguments {
    /// ROS domain ID.
    #[arg(long, env = "ROS_DOMAIN_ID", default_value_t = 0,
          value_parser = clap::value_parser!(u16).range(0..=232))]
    domain: u16,
    /// Namespace of the ROS node and its topics.
    #[arg(long, default_value = "/", value_name = "/NAME")]
    namespace: String,
    /// Address of a network interface for ROS; may be given several times. Default: loopback, so
    /// that nothing leaves the machine.
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS")]
    interface: Vec<IpAddr>,
    /// Middleware of the other ROS nodes, which decides how actions are encoded.
    #[arg(long, value_enum, default_value_t = MiddlewareArgument::Fastrtps)]
    rmw: MiddlewareArgument,
    /// Rate of joint states and transforms, Hz.
    #[arg(long, default_value_t = 50.0, value_parser = crate::values::number_in(1.0..=1000.0))]
    rate: f64,
    /// Rate of camera pictures while somebody subscribes to them, Hz.
    #[arg(long, default_value_t = 5.0, value_parser = crate::values::number_in(0.1..=60.0))]
    camera_rate: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MiddlewareArgument {
    /// Fast DDS, the default of ROS 2, or Connext.
    Fastrtps,
    /// Cyclone DDS.
    Cyclonedds,
}

/// Offers the robot to ROS 2 until Ctrl-C, then stops the arm.
pub(super) fn ros(arguments: &RosArguments) -> Result<ExitCode> {
    let facts = facts(&arguments.session.loaded()?)?;
    let session = Arc::new(arguments.session.open(arguments.speed)?);
    let stop = Arc::new(Notify::new());
    let asked = Arc::clone(&stop);
    ctrlc::set_handler(move || asked.notify_one())?;
    arguments.node.offer(session, facts, &stop)?;
    say("the arm holds its position; the node is closed");
    Ok(ExitCode::Ok)
}

impl NodeArguments {
    /// Offers the robot of a session until `stop` is notified, then stops the running order.
    pub(super) fn offer(
        &self,
        session: Arc<Session>,
        facts: RobotFacts,
        stop: &Notify,
    ) -> Result<()> {
        let robot: Arc<dyn OfferedRobot> = Arc::new(SessionRobot {
            facts,
            progress: Mutex::new((session.subscribe(), String::new())),
            session,
        });
        let ready = || {
            let interfaces: Vec<_> = self.interface.iter().map(IpAddr::to_string).collect();
            let (domain, interfaces) = (self.domain, interfaces.join(", "));
            say(&format!(
                "the robot is available in ROS domain {domain}, on {interfaces}"
            ));
            say("Ctrl-C stops the arm and closes the node");
        };
        Ok(serve(&robot, &self.settings(), ready, stop.notified())?)
    }

    /// Offers the robot of a session on a new thread.
    #[cfg(feature = "serve")]
    pub(super) fn spawn(
        self,
        session: Arc<Session>,
        facts: RobotFacts,
    ) -> (Arc<Notify>, thread::JoinHandle<Result<()>>) {
        let stop = Arc::new(Notify::new());
        let stopped = Arc::clone(&stop);
        let offering = thread::spawn(move || self.offer(session, facts, &stopped));
        (stop, offering)
    }

    fn settings(&self) -> ServerSettings {
        ServerSettings {
            node: NodeSettings {
                domain: self.domain,
                namespace: self.namespace.clone(),
                interfaces: self.interface.clone(),
                middleware: match self.rmw {
                    MiddlewareArgument::Fastrtps => Middleware::Fastrtps,
                    MiddlewareArgument::Cyclonedds => Middleware::Cyclone,
                },
            },
            rate_hz: self.rate,
            camera_hz: self.camera_rate,
        }
    }
}

struct SessionRobot {
    facts: RobotFacts,
    session: Arc<Session>,
    /// Subscription to the session, and the text of the last step.
    progress: Mutex<(Subscription, String)>,
}

const WORLD: &str = "world";

impl OfferedRobot for SessionRobot {
    fn facts(&self) -> &RobotFacts {
        &self.facts
    }

    fn snapshot(&self) -> Option<Snapshot> {
        let status = self.session.status();
        let (frame, links) = self.session.frame()?;
        let moving = |parent: &str, name: String, parent_from_frame: Pose| RosFrame {
            parent: parent.to_owned(),
            name,
            parent_from_frame,
            is_fixed: false,
        };
        let links = links.into_iter().map(|link| {
            let parent = link.parent.as_deref().map_or(WORLD, link_frame);
            let name = link_frame(&link.name).to_owned();
            moving(parent, name, link.parent_from_link)
        });
        let objects = self.session.objects().into_iter().map(|object| RosFrame {
            is_fixed: !object.movable,
            ..moving(WORLD, object.id.to_string(), object.world_from_object)
        });
        let cameras = self.session.camera_views().into_iter();
        let cameras = cameras.map(|view| moving(WORLD, view.name, view.world_from_camera));
        Some(Snapshot {
            world: status.world,
            time_secs: frame.time_secs,
            is_simulated: status.robot.is_none(),
            joint_positions: frame.joints.position.clone(),
            joint_velocities: frame.joints.velocity.clone(),
            gripper_width_m: frame.gripper.width_m,
            frames: links.chain(objects).chain(cameras).collect(),
        })
    }

    fn bodies(&self) -> Vec<Body> {
        let Some((_, stage, objects)) = self.session.stage() else {
            return vec![];
        };
        let drawn = stage.bodies.iter().filter_map(|body| {
            let name = stage.name_of(body.instance)?;
            let owner = objects.iter().find(|object| object.id.as_str() == name)?;
            let object_from_body = owner.world_from_object.inv_mul(&body.world_from_body);
            let surface = body.mesh.surface();
            let corner = |idx: &u32| {
                let at = surface.positions[*idx as usize].map(f64::from);
                (object_from_body * nalgebra::Point3::from(at))
                    .coords
                    .into()
            };
            Some(Body {
                name: name.to_owned(),
                corners: surface.triangles.iter().flatten().map(corner).collect(),
                rgb: body.look.rgb,
            })
        });
        drawn.collect()
    }

    fn cameras(&self) -> Vec<CameraView> {
        self.session.camera_views()
    }

    fn picture(&self, camera: &str) -> Option<(CameraView, Vec<u8>)> {
        let picture = self.session.picture(camera, None, None).ok()?;
        Some((picture.view, picture.rgb))
    }

    fn begin(&self, order: Order) -> Result<Pending, String> {
        let command = match order {
            Order::Follow(trajectory) => Command::Follow { trajectory },
            Order::Grip(command) => gripper(command),
            Order::Run(text) => Command::Run {
                order: RunOrder {
                    text,
                    ..RunOrder::default()
                },
            },
        };
        let reply = self.session.command(command);
        let reply = reply.map_err(|refusal| refusal.to_string())?;
        Ok(Box::pin(async move {
            ended(match reply {
                Reply::Later(ticket) => ticket.outcome().await,
                Reply::Done => SessionOutcome::Done,
            })
        }))
    }

    fn progress(&self) -> String {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let (news, last) = &mut *progress;
        for entry in news.now().entries {
            if let Entry::Event { event } = &entry.entry
                && let Some(words) = words(&event.event)
            {
                *last = words;
            }
        }
        last.clone()
    }

    fn stop(&self) {
        // The session refuses the command if nothing is running.
        let _ = self.session.command(Command::Stop);
    }
}

fn gripper(command: GripperCommand) -> Command {
    match command {
        GripperCommand::MoveTo { width_m, .. } => Command::Gripper {
            open: true,
            width_m: Some(width_m),
            force_n: None,
        },
        GripperCommand::Grasp { force_n, .. } => Command::Gripper {
            open: false,
            width_m: None,
            force_n: Some(force_n),
        },
    }
}

/// Text about a step, for a client that waits for the end.
fn words(event: &Event) -> Option<String> {
    match event {
        Event::StepStarted { skill, args, .. } => Some(format!("{skill}({args})")),
        Event::StepFinished { result, .. } => {
            let reason = result.reason.as_ref().map(|reason| format!("{reason} - "));
            Some(reason.unwrap_or_default() + &result.reason_detail)
        }
        _ => None,
    }
}

fn ended(outcome: SessionOutcome) -> Outcome {
    let of = |success, reason: String, detail: String| Outcome {
        success,
        reason,
        detail,
    };
    match outcome {
        SessionOutcome::Episode { result, .. } => {
            let reason = result.final_reason.to_string();
            of(result.success, reason, result.final_detail)
        }
        SessionOutcome::Skill { result } => {
            let reason = result.reason.map_or("success".into(), |r| r.to_string());
            of(result.success, reason, result.reason_detail)
        }
        SessionOutcome::Trouble { message } => of(false, "trouble".into(), message),
        SessionOutcome::Done | SessionOutcome::Checked { .. } => {
            of(true, "success".into(), String::new())
        }
    }
}
