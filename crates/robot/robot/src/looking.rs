//! Perception, and the contents of the hand.

use regrasp_api::{
    Failure, Held, ObjectId, PerceivedObject, Percept, Phase, Pose, Reason, Resolution, Sense,
    Unseen,
};
use regrasp_relations::InHand;

use crate::{Result, Robot};

impl Robot {
    /// Perceives the scene. The robot stands still for the latency of perception, unless the look
    /// [overlaps](Robot::begin_overlap) with other steps.
    ///
    /// # Errors
    ///
    /// A failure of perception, or an error of the robot meanwhile.
    pub fn perceive(&mut self) -> Result<Percept> {
        let observation = self.observe()?;
        let percept = self
            .perception
            .perceive(&observation)
            .map_err(|e| Failure::new(e.reason(), e.to_string()).in_phase(Phase::Perceive))?;
        self.relied_on(Sense::Sight);
        // On a real clock, part of the latency has passed already.
        let left_secs = percept.latency_secs - (self.time_secs() - observation.time_secs);
        match &mut self.longest_look_secs {
            Some(longest) => *longest = longest.max(percept.latency_secs),
            None if left_secs > 0.0 => {
                self.wait(left_secs)?;
            }
            None => {}
        }
        self.last_look = Some((percept.clone(), self.time_secs()));
        Ok(percept)
    }

    /// Returns the last percept if the robot has neither moved nor waited since and it is at most
    /// 0.1 s old; otherwise perceives again. For callers that need the state just after another
    /// look.
    ///
    /// # Errors
    ///
    /// As [`Robot::perceive`].
    pub fn glance(&mut self) -> Result<Percept> {
        const FRESH_SECS: f64 = 0.1;
        match &self.last_look {
            Some((percept, at_secs)) if self.time_secs() - at_secs <= FRESH_SECS => {
                let percept = percept.clone();
                self.relied_on(Sense::Sight);
                Ok(percept)
            }
            _ => self.perceive(),
        }
    }

    /// Discards the last percept, so that a run resumed here by another process, which has none,
    /// goes on in the same way.
    pub(crate) fn forget_look(&mut self) {
        self.last_look = None;
    }

    /// Makes perception take no time until [`Robot::end_overlap`], for looks that count as
    /// simultaneous with other steps.
    pub fn begin_overlap(&mut self) {
        self.longest_look_secs.get_or_insert(0.0);
    }

    /// Makes perception take its time again. Returns the longest latency since
    /// [`Robot::begin_overlap`], s.
    pub fn end_overlap(&mut self) -> f64 {
        self.longest_look_secs.take().unwrap_or(0.0)
    }

    /// Runs a function during which perception takes no time.
    pub(crate) fn without_waiting<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.longest_look_secs;
        self.begin_overlap();
        let seen = look(self);
        self.longest_look_secs = before;
        seen
    }

    /// Returns the contents of the hand by vision and finger sensors; the percept has to be
    /// current. Forgets a held object that is lost, and corrects the pose of one that has shifted.
    ///
    /// # Errors
    ///
    /// As [`Robot::observe`].
    pub fn in_hand(&mut self, percept: &Percept) -> Result<InHand> {
        let world_from_tool = self.world_from_tool()?;
        let observation = self.observe()?;
        if self.held.is_some() {
            self.relied_on(Sense::FingerWidth);
            if observation.gripper.finger_contact.is_some() {
                self.relied_on(Sense::FingerContacts);
            }
        }
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
        Ok(hand)
    }

    /// Sets the held object for a hand that no skill has closed: to the movable object nearest to
    /// the tool point, if the fingers press on something and it is within 5 cm, else to none.
    ///
    /// # Errors
    ///
    /// As [`Robot::observe`].
    pub fn recognise_held(&mut self, percept: &Percept) -> Result<()> {
        /// Largest distance of an object in the hand from the tool point, m.
        const IN_HAND_M: f64 = 0.05;
        let felt = self.observe()?.gripper;
        self.held = None;
        if !felt.presses(self.info.gripper.closed_below()) {
            return Ok(());
        }
        let world_from_tool = self.world_from_tool()?;
        let away = |o: &PerceivedObject| (o.position() - world_from_tool.translation.vector).norm();
        let near = percept.objects.iter().filter(|o| o.movable);
        let near = near.min_by(|a, b| away(a).total_cmp(&away(b)));
        self.held = near.filter(|o| away(o) < IN_HAND_M).map(|object| {
            let tool_from_object = world_from_tool.inverse() * object.world_from_object;
            Held::of(object, tool_from_object, felt.width_m)
        });
        Ok(())
    }

    /// Finds the one object that a phrase names.
    ///
    /// # Errors
    ///
    /// `object_not_found` with the known objects, or `ambiguous_object` with those that match. If
    /// perception searched for that name in vain, the reason that it gives.
    pub fn find<'p>(&self, percept: &'p Percept, phrase: &str) -> Result<&'p PerceivedObject> {
        match self.resolver.resolve(percept, phrase) {
            Resolution::One(object) => Ok(object),
            Resolution::None {
                known,
                unseen: Some(unseen),
                ..
            } => Err(not_seen(unseen, known)),
            Resolution::None { known, nearest, .. } => {
                let near = nearest
                    .map(|n| format!("; did you mean {n}?"))
                    .unwrap_or_default();
                let text = format!(
                    "no object `{phrase}` is seen (known objects: {}){near}",
                    join(&known)
                );
                Err(Failure::new(Reason::ObjectNotFound, text)
                    .in_phase(Phase::Perceive)
                    .about(known))
            }
            Resolution::Ambiguous(matches) => {
                let each: Vec<String> = matches.iter().map(|o| describe(o)).collect();
                let (n, each) = (each.len(), each.join(", "));
                let text = format!("`{phrase}` matches {n} objects: {each}");
                Err(Failure::new(Reason::AmbiguousObject, text)
                    .in_phase(Phase::Perceive)
                    .about(matches.iter().map(|o| o.id.clone())))
            }
        }
    }
}

fn not_seen(unseen: &Unseen, known: Vec<ObjectId>) -> Failure {
    let text = format!("{} (known objects: {})", unseen.detail, join(&known));
    let mut failure = Failure::new(unseen.reason.clone(), text)
        .in_phase(Phase::Perceive)
        .about(known);
    failure.measured.extend(unseen.measured.iter().cloned());
    failure
}

/// Returns true if an object's pose in the hand deviates too much from the one that motions assume.
fn has_shifted(tool_from_before: &Pose, tool_from_now: &Pose) -> bool {
    /// Displacement from which an object has shifted, m: more than the noise of perception and the
    /// errors that motions compensate.
    const FAR_M: f64 = 0.02;
    let shift = tool_from_now.translation.vector - tool_from_before.translation.vector;
    shift.norm() > FAR_M
}

fn join(ids: &[ObjectId]) -> String {
    let ids: Vec<_> = ids.iter().map(ObjectId::as_str).collect();
    ids.join(", ")
}

fn describe(object: &PerceivedObject) -> String {
    let p = object.position();
    let color = object.color.as_deref();
    let color = color.map(|c| format!("{c}, ")).unwrap_or_default();
    format!("{} ({color}at x={:.3} y={:.3})", object.id, p.x, p.y)
}
