//! How a plug goes into a hole: the poses on the way, and the room for the hand.

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::{UnitQuaternion, Vector3};
use regrasp_api::{
    Failure, ObjectId, ObjectPort, PerceivedObject, Percept, PortKind, Pose, Reason, Shape,
};
use regrasp_motion::Body;

use crate::candidates::Approach;
use crate::grasp::Hand;

/// Distance of the tip from the mouth before it goes in, m: room for what the aim is off.
pub(super) const BEFORE_M: f64 = 0.02;
/// What the hand keeps from what it pushes something into, m: a little more than motion
/// planning keeps between the arm and anything.
const HAND_ROOM_M: f64 = 0.006;

/// A plug and the hole for it.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    pub(super) plug: ObjectPort,
    pub(super) hole: ObjectPort,
    pub(super) world_from_target: Pose,
    shape: Shape,
}

impl Fit {
    /// How `object` goes into `target`, as they are seen.
    ///
    /// # Errors
    ///
    /// `bad_arguments` if the one has no plug, the other no hole, or the plug is too thick.
    pub(crate) fn new(
        percept: &Percept,
        object: &ObjectId,
        target: &PerceivedObject,
    ) -> Result<Self, Failure> {
        let plug = port(percept, object, PortKind::Plug)?;
        let hole = port(percept, &target.id, PortKind::Hole)?;
        let fit = Self {
            plug: plug.clone(),
            hole: hole.clone(),
            world_from_target: target.world_from_object,
            shape: target.shape.clone(),
        };
        if fit.rolls().is_empty() {
            let size = |port: &ObjectPort| port.half_size_m.map(|half| 2e3 * half);
            let ([a, b], [c, d]) = (size(plug), size(hole));
            let text = format!(
                "argument `target`: the end of {object} is {a:.1} x {b:.1} mm, the hole of {} \
                 {c:.1} x {d:.1} mm",
                target.id
            );
            return Err(
                Failure::new(Reason::BadArguments, text).about([object.clone(), target.id.clone()])
            );
        }
        Ok(fit)
    }

    /// What it goes into.
    pub(crate) fn target(&self) -> &ObjectId {
        &self.hole.object
    }

    /// How far it goes in, m.
    pub(super) fn depth_m(&self) -> f64 {
        self.plug.depth_in(&self.hole)
    }

    /// Turns about the axis with which the cross-section fits, rad.
    fn rolls(&self) -> Vec<f64> {
        let [y, z] = self.plug.half_size_m;
        let [wide, high] = self.hole.half_size_m;
        let upright = y <= wide && z <= high;
        let across = z <= wide && y <= high;
        let mut rolls = vec![];
        if upright {
            rolls.push(0.0);
        }
        if !self.plug.keyed {
            if upright {
                rolls.push(PI);
            }
            if across {
                rolls.extend([FRAC_PI_2, -FRAC_PI_2]);
            }
        }
        rolls
    }

    /// Where the object is when its tip is so deep inside, and `aside` of the axis along
    /// the hole's y and z, m.
    pub(super) fn world_from_object(&self, roll: f64, depth_m: f64, aside: [f64; 2]) -> Pose {
        let hole_from_plug = Pose::from_parts(
            Vector3::new(depth_m, aside[0], aside[1]).into(),
            UnitQuaternion::from_axis_angle(&Vector3::x_axis(), roll),
        );
        self.world_from_target
            * self.hole.object_from_port
            * hole_from_plug
            * self.plug.object_from_port.inverse()
    }

    /// The way in, in World.
    pub(super) fn axis(&self) -> Vector3<f64> {
        (self.world_from_target * self.hole.object_from_port).rotation * Vector3::x()
    }

    /// Tool poses in front of the hole and at the end, one pair for each turn.
    pub(crate) fn ways(&self, tool_from_object: &Pose) -> Vec<Approach> {
        let object_from_tool = tool_from_object.inverse();
        let pose =
            |roll, depth_m| self.world_from_object(roll, depth_m, [0.0; 2]) * object_from_tool;
        self.rolls()
            .into_iter()
            .map(|roll| Approach {
                world_from_before: pose(roll, -BEFORE_M),
                world_from_tool: pose(roll, self.depth_m()),
            })
            .collect()
    }

    /// The turn of one of the ways, rad.
    pub(super) fn roll_of(&self, way_idx: usize) -> f64 {
        self.rolls().get(way_idx).copied().unwrap_or(0.0)
    }

    /// Whether the hand keeps clear of the target at a tool pose.
    pub(crate) fn has_room_for(&self, hand: &Hand, world_from_tool: &Pose, width_m: f64) -> bool {
        let Some(body) = Body::new(&self.shape, &self.world_from_target) else {
            return true;
        };
        let placed = hand.at(world_from_tool, width_m);
        let mut solids = placed.fingers.iter().chain(&placed.hand);
        solids.all(|solid| solid.gap_m(&body, HAND_ROOM_M).is_none())
    }
}

/// The plug or hole of an object.
fn port<'p>(
    percept: &'p Percept,
    id: &ObjectId,
    kind: PortKind,
) -> Result<&'p ObjectPort, Failure> {
    percept.port(id, kind).ok_or_else(|| {
        let of_kind = percept.ports.iter().filter(|p| p.kind == kind);
        let known: Vec<_> = of_kind.map(|p| p.object.as_str()).collect();
        let known = match known.as_slice() {
            [] => "none is known".to_owned(),
            known => format!("known: {}", known.join(", ")),
        };
        let (argument, what) = match kind {
            PortKind::Plug => ("what is held", "end that goes into anything"),
            PortKind::Hole => ("argument `target`", "hole"),
        };
        let text = format!("{argument}: {id} has no {what} ({known})");
        Failure::new(Reason::BadArguments, text).about([id.clone()])
    })
}
