//! Insertion of a plug into a hole, or of a ring over a peg: poses along the path, its free depth
//! above the support and the objects on the peg, and room for the hand.

use nalgebra::{UnitQuaternion, Vector3};
use regrasp_api::{
    Connection, Failure, Held, ObjectId, ObjectPort, PerceivedObject, Percept, Phase,
    PlanningScene, PortKind, Pose, Reason,
};
use regrasp_motion::Body;
use regrasp_robot::Result;

use crate::arm::Approach;
use crate::bodies::{bodies, body_of, keep_off};
use crate::candidates::list;
use crate::grasp::Hand;
use crate::params::{
    FINE_STEP_M, FINGER_ROOM_M, HAND_MARGIN_M, NEAR_M, RELEASE_OPENINGS_M, STEP_M,
};

/// Distance of the tip from the mouth before insertion, m: room for errors of the aim.
pub(super) const BEFORE_M: f64 = 0.02;
/// Heights from which a ring is dropped, above the deepest place where the hand has room, m: the
/// arm behind the hand may need more room.
const HIGHER_M: [f64; 4] = [0.0, 0.015, 0.03, 0.05];
/// Perceived penetration from which objects count as overlapping, m.
const OVERLAP_M: f64 = 0.001;
/// Least length by which a peg must protrude through a ring to hold it, m.
const LEAST_OUT_M: f64 = 0.003;
/// Least cosine of a peg's tilt at which a released ring slides down.
const FALLS_COS: f64 = 0.97;

/// State of an insertion.
#[derive(Clone)]
pub struct InsertTask {
    pub(super) held: Held,
    pub(super) fit: Fit,
}

/// A plug and its hole, one of which is held.
#[derive(Clone)]
pub(crate) struct Fit {
    pub(super) plug: ObjectPort,
    pub(super) hole: ObjectPort,
    pub(super) over: bool,
    pub(super) world_from_target: Pose,
    /// Bodies that the hand must avoid, the target first.
    pub(super) bodies: Vec<Body>,
    /// Objects on which the inserted object comes to rest, besides the target.
    pub(super) rests_on: Vec<ObjectId>,
    pub(super) depth_m: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct InsertPath {
    /// Tool poses in front of the hole and at the end.
    pub(crate) approach: Approach,
    /// True if the hand has room at the end.
    pub(crate) has_room: bool,
    pub(super) turn: Turn,
    /// Depth to which the hand brings the plug or hole, m.
    pub(super) depth_m: f64,
    /// Opening beyond the held width at release, m.
    pub(super) release_m: f64,
}

/// Orientation of a plug in its hole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn {
    pub(super) roll: f64,
    /// True if the plug enters from the other end of a through hole.
    pub(super) from_behind: bool,
}

impl Fit {
    /// Returns the fit of `object` into `target`, or over it, as they are perceived.
    ///
    /// # Errors
    ///
    /// `bad_arguments` if they have no plug and hole for each other, or the plug is too thick;
    /// `path_blocked` if objects on a peg leave too little of it.
    pub(crate) fn new(
        percept: &Percept,
        object: &ObjectId,
        target: &PerceivedObject,
    ) -> Result<Self> {
        let Some(connection) = percept.connection(object, &target.id) else {
            return Err(no_connection(percept, object, &target.id));
        };
        let mut fit = Self {
            plug: connection.plug.clone(),
            hole: connection.hole.clone(),
            over: connection.over,
            world_from_target: target.world_from_object,
            bodies: body_of(target).into_iter().collect(),
            rests_on: vec![],
            depth_m: connection.depth_m(),
        };
        if fit.turns().is_empty() {
            return Err(too_tight(&fit, object, &target.id));
        }
        if let Some(held) = percept.object(object).filter(|_| fit.over) {
            fit.stop_above_others(percept, held)?;
        }
        Ok(fit)
    }

    /// Limits the path down the peg to the depth that other objects leave free, in the orientation
    /// that leads deepest. Fails if the peg would not reach through the hole, or to the end of a
    /// blind one.
    fn stop_above_others(&mut self, percept: &Percept, held: &PerceivedObject) -> Result<()> {
        let (object, target) = (&held.id, self.target());
        let others: Vec<_> = bodies(percept, |o| &o.id != object && &o.id != target).collect();
        let body = |turn: &Turn, depth_m: f64| {
            let world_from_object = self.world_from_object(*turn, depth_m, [0.0; 2]);
            Body::new(&held.shape, &world_from_object)
        };
        let mut best: Option<(f64, Option<&ObjectId>)> = None;
        for turn in self.turns() {
            let found = deepest(self.depth_m, &others, |depth_m| body(&turn, depth_m));
            if best.is_none_or(|(depth_m, _)| found.0 > depth_m) {
                best = Some(found);
            }
            if found.1.is_none() {
                break;
            }
        }
        let (depth_m, blocker) = best.unwrap_or((self.depth_m, None));
        let least_m = match self.hole.through {
            true => (self.hole.depth_m + LEAST_OUT_M).min(self.depth_m),
            false => self.depth_m,
        };
        if let Some(blocker) = blocker.filter(|_| depth_m < least_m - OVERLAP_M) {
            let free_m = depth_m.max(0.0);
            let text = format!(
                "{blocker} blocks {object} on {target}: {free_m:.4} m of the peg are free, \
                 {least_m:.4} m are needed"
            );
            return Err(Failure::new(Reason::PathBlocked, text)
                .in_phase(Phase::Plan)
                .about([blocker.clone()])
                .measured("free", free_m, Some(least_m), "m"));
        }
        let turns = self.turns();
        let placed: Vec<Body> = turns
            .iter()
            .filter_map(|turn| body(turn, depth_m))
            .collect();
        let others = others.into_iter();
        let near = others.filter(|(_, other)| !keep_off(&placed, [other], NEAR_M));
        let (rests_on, bodies): (Vec<_>, Vec<_>) = near.map(|(o, b)| (o.id.clone(), b)).unzip();
        self.depth_m = depth_m;
        self.bodies.extend(bodies);
        self.rests_on = rests_on;
        Ok(())
    }

    pub(crate) fn target(&self) -> &ObjectId {
        match self.over {
            true => &self.plug.object,
            false => &self.hole.object,
        }
    }

    /// Scene of the insertion, in which the target and the objects below the inserted one may be
    /// touched.
    pub(crate) fn touching(&self, scene: PlanningScene) -> PlanningScene {
        let touches = std::iter::once(self.target()).chain(&self.rests_on);
        touches.fold(scene, |scene, id| scene.touching(id.clone()))
    }

    /// Orders a held object and its target: the one with the plug first.
    pub(super) fn inner_and_outer<'a>(
        &self,
        [held, target]: [&'a ObjectId; 2],
    ) -> [&'a ObjectId; 2] {
        match self.over {
            true => [target, held],
            false => [held, target],
        }
    }

    pub(super) fn connection(&self) -> Connection<'_> {
        Connection {
            plug: &self.plug,
            hole: &self.hole,
            over: self.over,
        }
    }

    pub(super) fn turns(&self) -> Vec<Turn> {
        let rolls = self.hole.turns(&self.plug);
        let behind = self.hole.other_mouth(&self.plug).is_some();
        let ends = [false, true].into_iter().take(1 + usize::from(behind));
        let turn = |from_behind| rolls.iter().map(move |&roll| Turn { roll, from_behind });
        ends.flat_map(turn).collect()
    }

    /// Pose of the object when the plug's tip is `depth_m` inside and offset by `aside` from the
    /// axis along the hole's y and z, m.
    pub(super) fn world_from_object(&self, turn: Turn, depth_m: f64, aside: [f64; 2]) -> Pose {
        let hole_from_plug = Pose::from_parts(
            Vector3::new(depth_m, aside[0], aside[1]).into(),
            UnitQuaternion::from_axis_angle(&Vector3::x_axis(), turn.roll),
        );
        let object_from_hole = self.object_from_mouth(turn);
        let plug_from_object = self.plug.object_from_port.inverse();
        match self.over {
            true => {
                let other = object_from_hole * hole_from_plug * plug_from_object;
                self.world_from_target * other.inverse()
            }
            // The order of multiplication is fixed for bitwise reproducible results.
            false => self.world_from_target * object_from_hole * hole_from_plug * plug_from_object,
        }
    }

    /// Frame of the end of the hole at which the plug enters.
    fn object_from_mouth(&self, turn: Turn) -> Pose {
        let behind = self.hole.other_mouth(&self.plug);
        let mouth = behind.filter(|_| turn.from_behind);
        mouth.map_or(self.hole.object_from_port, |m| m.object_from_port)
    }

    /// Insertion direction, in World.
    pub(super) fn axis(&self, turn: Turn) -> Vector3<f64> {
        let along = |object_from_port: Pose| {
            (self.world_from_target * object_from_port).rotation * Vector3::x()
        };
        match self.over {
            true => -along(self.plug.object_from_port),
            false => along(self.object_from_mouth(turn)),
        }
    }

    /// Returns true if the object slides down by itself after release.
    pub(super) fn falls(&self, turn: Turn) -> bool {
        self.over && self.hole.through && self.axis(turn).dot(&-Vector3::z()) >= FALLS_COS
    }

    /// Candidate paths for the current grasp: one for each orientation; for an object that falls
    /// down a peg several, the deepest first.
    pub(crate) fn paths(&self, hand: &Hand, held: &Held, width_m: f64) -> Vec<InsertPath> {
        let object_from_tool = held.tool_from_object.inverse();
        let turns = self.turns().into_iter();
        let mut paths: Vec<InsertPath> = turns
            .flat_map(|turn| {
                let path =
                    |depth_m: f64| self.path(hand, &object_from_tool, width_m, turn, depth_m);
                if !self.falls(turn) {
                    return vec![path(self.depth_m)];
                }
                let least_m = self.hole.depth_m.min(self.depth_m);
                let n = ((self.depth_m - least_m) / STEP_M).floor() as usize;
                let depths = (0..=n).map(|i| self.depth_m - STEP_M * i as f64);
                let Some(deepest) = depths.map(path).find(|path| path.has_room) else {
                    return vec![];
                };
                let higher = HIGHER_M.iter().map(|by| deepest.depth_m - by);
                higher.filter(|m| *m >= least_m).map(path).collect()
            })
            .collect();
        if self.over {
            paths.sort_by(|a, b| b.depth_m.total_cmp(&a.depth_m));
        }
        paths
    }

    fn path(
        &self,
        hand: &Hand,
        object_from_tool: &Pose,
        width_m: f64,
        turn: Turn,
        depth_m: f64,
    ) -> InsertPath {
        let pose = |depth_m| self.world_from_object(turn, depth_m, [0.0; 2]) * object_from_tool;
        let approach = Approach::new(pose(-BEFORE_M), pose(depth_m));
        // Beside a peg there may be room only for the tight opening.
        let [_, usual_m, tight_m] = RELEASE_OPENINGS_M;
        let has_room =
            |opening_m: f64| self.has_room_for(hand, &approach.world_from_tool, opening_m);
        let (has_room, release_m) = match self.over {
            false => (has_room(width_m), usual_m),
            true if has_room(width_m + usual_m) => (true, usual_m),
            true => (has_room(width_m + tight_m), tight_m),
        };
        InsertPath {
            approach,
            has_room,
            turn,
            depth_m,
            release_m,
        }
    }

    /// Returns true if the hand is clear of the target, and of the objects below on a peg.
    fn has_room_for(&self, hand: &Hand, world_from_tool: &Pose, width_m: f64) -> bool {
        let placed = hand.at(world_from_tool, width_m);
        let finger_m = [HAND_MARGIN_M, FINGER_ROOM_M][usize::from(self.over)];
        let (target, below) = self.bodies.split_at(self.bodies.len().min(1));
        let clear = |bodies, finger_m: f64| placed.keeps_off(bodies, finger_m, HAND_MARGIN_M);
        // The fingers may come closer to the objects below than to the peg.
        clear(target, finger_m) && clear(below, 0.5 * FINGER_ROOM_M)
    }
}

/// Returns the greatest depth, of at most `most_m`, before anything overlaps, and the first object
/// that would overlap.
fn deepest<'p>(
    most_m: f64,
    others: &[(&'p PerceivedObject, Body)],
    body: impl Fn(f64) -> Option<Body>,
) -> (f64, Option<&'p ObjectId>) {
    let length_m = BEFORE_M + most_m;
    let n = (length_m / FINE_STEP_M).ceil() as usize;
    let mut free_m = -BEFORE_M;
    for i in 0..=n {
        let depth_m = length_m * i as f64 / n.max(1) as f64 - BEFORE_M;
        let Some(body) = body(depth_m) else { break };
        let overlaps = |other: &&(&PerceivedObject, Body)| {
            let gap_m = body.gap_m(&other.1, 0.0);
            gap_m.is_some_and(|gap_m| gap_m < -OVERLAP_M)
        };
        if let Some((other, _)) = others.iter().find(overlaps) {
            return (free_m, Some(&other.id));
        }
        free_m = depth_m;
    }
    (most_m, None)
}

fn too_tight(fit: &Fit, object: &ObjectId, target: &ObjectId) -> Failure {
    let size = |port: &ObjectPort| {
        let [a, b] = port.half_size_m.map(|half| 2e3 * half);
        format!("{a:.1} x {b:.1} mm")
    };
    let (plug, hole) = (size(&fit.plug), size(&fit.hole));
    let [inner, outer] = fit.inner_and_outer([object, target]);
    let text =
        format!("argument `target`: {inner} measures {plug}, but the hole of {outer} only {hole}");
    Failure::new(Reason::BadArguments, text).about([object.clone(), target.clone()])
}

fn no_connection(percept: &Percept, object: &ObjectId, target: &ObjectId) -> Failure {
    let known = |kind: PortKind| {
        let of_kind = percept.ports.iter().filter(|p| p.kind == kind);
        match list(of_kind.map(|p| &p.object)).as_str() {
            "" => "no object has one".to_owned(),
            known => format!("objects with one: {known}"),
        }
    };
    let has = |kind| percept.port(object, kind).is_some();
    let (id, kind, text) = match (has(PortKind::Plug), has(PortKind::Hole)) {
        (true, _) => {
            let text = format!("argument `target`: {target} has no hole");
            (target, PortKind::Hole, text)
        }
        (false, true) => {
            let text = format!("argument `target`: {target} has no peg for the hole of {object}");
            (target, PortKind::Plug, text)
        }
        (false, false) => {
            let text = format!("the held {object} has neither a plug nor a hole");
            (object, PortKind::Plug, text)
        }
    };
    let text = format!("{text} ({})", known(kind));
    Failure::new(Reason::BadArguments, text).about([id.clone()])
}
