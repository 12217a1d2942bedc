//! What skills command.

use regrasp_api::{
    CancelToken, Compliance, Event, EventSink, Failure, GripperCommand, GripperReport, Monitor,
    MotionGoal, MotionPlanner, MotionReport, MotionRequest, NullSink, ObjectId, Observation,
    PerceivedObject, Percept, Perception, Phase, PlanningScene, Pose, Reason, StampedEvent,
    Trajectory, Unseen, Watch, World,
};
use regrasp_api::{Held, RobotInfo};
use regrasp_relations::{InHand, Resolution, id_of_phrase, resolve};

/// Everything a skill may use: the world seam, the robot's senses, motion planning
/// and the belief about what is held. Never the simulator, never the truth.
pub struct Robot {
    /// The world seam.
    pub world: Box<dyn World>,
    /// The senses.
    pub perception: Box<dyn Perception>,
    /// Motion planning for this robot.
    pub motion: Box<dyn MotionPlanner>,
    /// Fixed facts.
    pub info: RobotInfo,
    /// What is believed to be in the hand.
    pub held: Option<Held>,
    /// Asks running motions to stop.
    pub cancel: CancelToken,
    /// Part of the usual speed at which skills move; 1 unless a task asks for less.
    pub pace: f64,
    pub(crate) sink: Box<dyn EventSink>,
    pub(crate) next_seq: u64,
    pub(crate) moved: bool,
    /// While looks do not wait for their time: the longest of them, s.
    pub(crate) longest_look_secs: Option<f64>,
    /// The part of a skill's work that began last.
    pub(crate) phase_name: String,
}

/// Speed fraction for moves with an empty hand: full limits jerk the arm into its
/// effort limits, so some reserve is kept.
pub const FREE_SPEED: f64 = 0.9;
/// Stiffness of an arm that presses on something: half as far again off per newton.
const SOFT: f64 = 0.5;
/// The part of a force limit at which a motion that presses is ended: the servos give way at
/// the limit itself, so it would never be exceeded.
const FELT_PART: f64 = 0.8;
/// How hard the fingers, or what they hold, may press when a policy drives: what pushing and
/// inserting need, and well below what a Panda's hand stands, N.
const STREAM_FORCE_N: f64 = 40.0;
/// Speed fraction while something is held, so that inertia does not pull it out.
pub const CARRY_SPEED: f64 = 0.6;

impl Robot {
    /// Puts the parts together; events go nowhere until [`Robot::set_sink`].
    pub fn new(
        world: Box<dyn World>,
        perception: Box<dyn Perception>,
        motion: Box<dyn MotionPlanner>,
        info: RobotInfo,
    ) -> Self {
        Self {
            world,
            perception,
            motion,
            info,
            held: None,
            cancel: CancelToken::new(),
            pace: 1.0,
            sink: Box::new(NullSink),
            next_seq: 0,
            moved: false,
            longest_look_secs: None,
            phase_name: String::new(),
        }
    }

    /// Sends events to `sink` from now on.
    pub fn set_sink(&mut self, sink: Box<dyn EventSink>) {
        self.sink = sink;
    }

    /// Tells every consumer what happened.
    pub fn emit(&mut self, event: Event) {
        let sim_secs = self.world.observe().time_secs;
        let stamped = StampedEvent {
            seq: self.next_seq,
            sim_secs,
            event,
        };
        self.next_seq += 1;
        self.sink.emit(&stamped);
    }

    /// Tells every consumer which part of a skill's work begins.
    pub fn begin(&mut self, phase_name: &str) {
        phase_name.clone_into(&mut self.phase_name);
        self.emit(Event::PhaseStarted {
            name: phase_name.to_owned(),
        });
    }

    /// Reads the robot's own sensors.
    pub fn observe(&mut self) -> Observation {
        self.world.observe()
    }

    /// Looks at the scene, standing still for as long as that takes.
    ///
    /// # Errors
    ///
    /// Perception trouble, or a world that diverged meanwhile.
    pub fn perceive(&mut self) -> Result<Percept, Failure> {
        let observation = self.world.observe();
        let percept = self
            .perception
            .perceive(&observation)
            .map_err(|e| Failure::new(e.reason(), e.to_string()).in_phase(Phase::Perceive))?;
        match &mut self.longest_look_secs {
            Some(longest) => *longest = longest.max(percept.latency_secs),
            None if percept.latency_secs > 0.0 => {
                self.wait(percept.latency_secs)?;
            }
            None => {}
        }
        Ok(percept)
    }

    /// From now on looks take no time, until [`Robot::end_overlap`]: what happens
    /// meanwhile happens while the robot looks.
    pub fn begin_overlap(&mut self) {
        self.longest_look_secs.get_or_insert(0.0);
    }

    /// Looks take their time again. Returns how long the longest look since
    /// [`Robot::begin_overlap`] takes, s.
    pub fn end_overlap(&mut self) -> f64 {
        self.longest_look_secs.take().unwrap_or(0.0)
    }

    /// What is in the hand, by what is seen and felt now: the percept has to be of now. A
    /// belief that turns out wrong is given up, and one about how it sits there is corrected.
    pub fn in_hand(&mut self, percept: &Percept) -> InHand {
        let world_from_tool = self.world_from_tool();
        let observation = self.world.observe();
        let hand = InHand::judge(self.held.as_ref(), percept, &observation, &world_from_tool);
        match (&hand, &mut self.held) {
            (InHand::Lost { .. }, held) => *held = None,
            (
                InHand::Holds {
                    tool_from_object, ..
                },
                Some(held),
            ) if has_shifted(&held.tool_from_object, tool_from_object) => {
                held.tool_from_object = *tool_from_object;
            }
            _ => {}
        }
        hand
    }

    /// Finds the one object that a phrase names.
    ///
    /// # Errors
    ///
    /// `object_not_found` or `ambiguous_object`, with what is known; what perception looked
    /// for by that name and did not find fails with its reason.
    pub fn find<'p>(
        &self,
        percept: &'p Percept,
        phrase: &str,
    ) -> Result<&'p PerceivedObject, Failure> {
        match resolve(&percept.objects, phrase) {
            Resolution::One(object) => Ok(object),
            Resolution::None { known, nearest } => {
                let near = nearest
                    .map(|n| format!("; did you mean {n}?"))
                    .unwrap_or_default();
                if let Some(unseen) = looked_for(percept, phrase) {
                    return Err(not_seen(unseen, known));
                }
                let text = format!(
                    "perception sees nothing called `{phrase}` (known objects: {}){near}",
                    join(&known)
                );
                Err(Failure::new(Reason::ObjectNotFound, text)
                    .in_phase(Phase::Perceive)
                    .about(known))
            }
            Resolution::Ambiguous(matches) => {
                let text = format!(
                    "`{phrase}` matches {} objects: {}",
                    matches.len(),
                    matches
                        .iter()
                        .map(|o| describe(o))
                        .collect::<Vec<_>>()
                        .join(", ")
                );
                Err(Failure::new(Reason::AmbiguousObject, text)
                    .in_phase(Phase::Perceive)
                    .about(matches.iter().map(|o| o.id.clone())))
            }
        }
    }

    /// Where the tool is, in World.
    pub fn world_from_tool(&mut self) -> Pose {
        let now = self.world.observe();
        now.world_from_base * self.motion.base_from_tool(&now.joint_positions)
    }

    /// Plans and makes one motion under the usual monitors.
    ///
    /// # Errors
    ///
    /// No motion exists, or it was ended early; the failure says why.
    pub fn go(
        &mut self,
        goal: MotionGoal,
        scene: &PlanningScene,
        speed_scale: f64,
    ) -> Result<MotionReport, Failure> {
        let trajectory = self.plan(goal, scene, speed_scale)?;
        self.follow(&trajectory)
    }

    fn plan(
        &mut self,
        goal: MotionGoal,
        scene: &PlanningScene,
        speed_scale: f64,
    ) -> Result<Trajectory, Failure> {
        let now = self.world.observe();
        let request = MotionRequest {
            world_from_base: now.world_from_base,
            start: &now.joint_positions,
            gripper_width_m: now.gripper.width_m,
            goal,
            scene,
            speed_scale,
            keep_up: scene.keep_up,
        };
        let planned = self.motion.plan(&request);
        let goal = request.goal;
        match planned {
            Ok(planned) => Ok(planned.trajectory),
            Err(failure) => {
                self.tell_no_motion(&failure, &goal);
                Err(failure.into())
            }
        }
    }

    /// Plans and makes one motion that is meant to press on something, with a soft arm: it
    /// gives way rather than press harder than `max_force_n`, and stops when the fingers, or
    /// what they hold, feel most of that.
    ///
    /// # Errors
    ///
    /// As [`Robot::go`]. Too much force is `path_blocked`, with the figure `contact_force`.
    ///
    /// # Panics
    ///
    /// If the force is no positive number.
    pub fn press(
        &mut self,
        goal: MotionGoal,
        scene: &PlanningScene,
        speed_scale: f64,
        max_force_n: f64,
    ) -> Result<MotionReport, Failure> {
        let trajectory = self.plan(goal, scene, speed_scale)?;
        let soft = trajectory.compliant(Compliance {
            stiffness: SOFT,
            max_force_n: Some(max_force_n),
        });
        let watch = self.contact_watch(FELT_PART * max_force_n, SOFT);
        self.follow_under(&soft, &watch)
    }

    /// Moves to a joint configuration, around everything that is seen.
    ///
    /// # Errors
    ///
    /// As [`Robot::go`].
    pub fn move_joints(&mut self, joints: &[f64]) -> Result<MotionReport, Failure> {
        let percept = self.perceive()?;
        let scene = self.planning_scene(&percept);
        let speed = self.usual_speed();
        self.go(MotionGoal::Joints(joints.to_vec()), &scene, speed)
    }

    /// The speed fraction that suits what is in the hand.
    pub fn usual_speed(&self) -> f64 {
        let usual = if self.held.is_some() {
            CARRY_SPEED
        } else {
            FREE_SPEED
        };
        self.pace * usual
    }

    /// Follows a planned motion under the usual monitors: grip (when something is
    /// held), unexpected contact, joints that do not follow, cancellation.
    ///
    /// # Errors
    ///
    /// The motion was ended early; the failure says why and when.
    pub fn follow(&mut self, trajectory: &Trajectory) -> Result<MotionReport, Failure> {
        let watch = self.usual_watch();
        self.follow_under(trajectory, &watch)
    }

    /// Like [`Robot::follow`], but ended by a touch that is harder than `max_force_n`
    /// already, if that is less than usual.
    ///
    /// # Errors
    ///
    /// As [`Robot::follow`].
    pub fn follow_gently(
        &mut self,
        trajectory: &Trajectory,
        max_force_n: f64,
    ) -> Result<MotionReport, Failure> {
        let mut watch = self.usual_watch();
        for monitor in &mut watch.monitors {
            if let Monitor::UnexpectedContact {
                max_force_n: limit, ..
            } = monitor
            {
                *limit = limit.min(max_force_n);
            }
        }
        self.follow_under(trajectory, &watch)
    }

    fn follow_under(
        &mut self,
        trajectory: &Trajectory,
        watch: &Watch,
    ) -> Result<MotionReport, Failure> {
        self.moved = true;
        self.tell_motion(trajectory);
        let report = self.world.follow(trajectory, watch);
        self.emit(Event::MotionFinished {
            end: report.end.clone(),
            duration_secs: report.duration_secs,
            peak_tracking_error: report.peak_tracking_error,
        });
        match self.explain(&report.end) {
            None => Ok(report),
            Some(failure) => Err(failure),
        }
    }

    /// Follows a motion that [goes on](Trajectory::going_on), one of many that a policy
    /// asks for: under monitors for motions that may touch things on purpose. Nothing is
    /// told to the consumers of events.
    ///
    /// # Errors
    ///
    /// As [`Robot::follow`].
    pub fn stream(&mut self, trajectory: &Trajectory) -> Result<MotionReport, Failure> {
        let watch = self.contact_watch(STREAM_FORCE_N, 1.0);
        self.moved = true;
        let report = self.world.follow(trajectory, &watch);
        match self.explain(&report.end) {
            None => Ok(report),
            Some(failure) => Err(failure),
        }
    }

    /// Commands the gripper and waits for it, under the usual monitors: unexpected
    /// contact of the arm, joints that do not follow, and fingers that are blocked on
    /// their way to a width.
    ///
    /// # Errors
    ///
    /// Ended early, cancelled, or the physics broke. Closing on nothing is not an error
    /// here: look at the report.
    pub fn grip(&mut self, command: GripperCommand) -> Result<GripperReport, Failure> {
        let watch = self.gripper_watch();
        self.moved = true;
        let report = self.world.command_gripper(command, &watch);
        self.emit(Event::GripperMoved {
            width_m: report.after.gripper.width_m,
            end: report.end.clone(),
        });
        match self.explain_gripper(&report) {
            None => Ok(report),
            Some(failure) => Err(failure),
        }
    }

    /// Holds still for a while.
    ///
    /// # Errors
    ///
    /// Cancelled, or the physics broke.
    pub fn wait(&mut self, duration_secs: f64) -> Result<Observation, Failure> {
        // A stop that comes meanwhile has to wait no longer than this.
        const SLICE_SECS: f64 = 0.02;
        const ROUNDING_SECS: f64 = 1e-9;
        let mut left_secs = duration_secs;
        loop {
            if self.cancel.is_cancelled() {
                return Err(cancelled(self.world.observe().time_secs));
            }
            let waited = self.world.wait(left_secs.min(SLICE_SECS));
            let now = waited.map_err(|d| Failure::new(Reason::SimDiverged, d.to_string()))?;
            left_secs -= SLICE_SECS;
            if left_secs < ROUNDING_SECS {
                return Ok(now);
            }
        }
    }

    /// Whether anything moved since the last call; used to say whether a failed
    /// skill may have changed the world.
    pub fn take_moved(&mut self) -> bool {
        std::mem::take(&mut self.moved)
    }
}

pub(crate) fn cancelled(time_secs: f64) -> Failure {
    Failure::new(
        Reason::Cancelled,
        format!("a stop was asked for at {time_secs:.2} s"),
    )
}

/// What perception looked for by that name in vain.
fn looked_for<'p>(percept: &'p Percept, phrase: &str) -> Option<&'p Unseen> {
    let id = id_of_phrase(phrase)?;
    let mut unseen = percept.unseen.iter();
    unseen.find(|u| id_of_phrase(&u.phrase).as_ref() == Some(&id))
}

fn not_seen(unseen: &Unseen, known: Vec<ObjectId>) -> Failure {
    let text = format!("{} (known objects: {})", unseen.detail, join(&known));
    let mut failure = Failure::new(unseen.reason.clone(), text)
        .in_phase(Phase::Perceive)
        .about(known);
    failure.measured.extend(unseen.measured.iter().cloned());
    failure
}

/// Whether something sits somewhere else in the hand than motions would take it to be.
fn has_shifted(tool_from_before: &Pose, tool_from_now: &Pose) -> bool {
    /// Noise is less, and so is what motions make up for, m.
    const FAR_M: f64 = 0.02;
    let shift = tool_from_now.translation.vector - tool_from_before.translation.vector;
    shift.norm() > FAR_M
}

fn join(ids: &[ObjectId]) -> String {
    ids.iter()
        .map(ObjectId::as_str)
        .collect::<Vec<_>>()
        .join(", ")
}

fn describe(object: &PerceivedObject) -> String {
    let p = object.position();
    let color = object
        .color
        .as_deref()
        .map(|c| format!("{c}, "))
        .unwrap_or_default();
    format!("{} ({color}at x={:.3} y={:.3})", object.id, p.x, p.y)
}
