//! Plugs and holes.

use serde::{Deserialize, Serialize};

use crate::{ObjectId, Percept, Pose};

/// Which half of a connection something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PortKind {
    /// What goes in: the end of a peg, the prongs of a plug.
    Plug,
    /// What it goes into: a hole, a socket.
    Hole,
}

/// Where one object goes into another, or lets another in.
///
/// The frame's x axis is the way in: out of the tip of a plug, into the mouth of a hole.
/// When a plug is all the way in, its frame is `depth_m` along x from that of the hole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObjectPort {
    /// What it is a part of.
    pub object: ObjectId,
    /// Which half it is.
    pub kind: PortKind,
    /// The frame: origin at the middle of a plug's tip, or of a hole's mouth.
    pub object_from_port: Pose,
    /// Half of the cross-section along the frame's y and z, m.
    pub half_size_m: [f64; 2],
    /// How much of a plug goes in, or how deep a hole is, m.
    pub depth_m: f64,
    /// Whether it goes in one way round only, whatever its cross-section.
    pub keyed: bool,
}

/// A plug as it is to a hole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mating {
    /// How far the plug's tip is inside the hole, m; negative in front of it.
    pub depth_m: f64,
    /// How far the tip is beside the hole's axis, along the hole's y and z, m.
    pub aside_m: [f64; 2],
    /// Angle between the two axes, rad.
    pub tilt_rad: f64,
    /// Angle between the two frames in all, rad.
    pub angle_rad: f64,
}

impl ObjectPort {
    /// How a plug is to this hole.
    pub fn mating(
        &self,
        plug: &ObjectPort,
        world_from_hole_object: &Pose,
        world_from_plug_object: &Pose,
    ) -> Mating {
        let world_from_hole = world_from_hole_object * self.object_from_port;
        let world_from_plug = world_from_plug_object * plug.object_from_port;
        let hole_from_plug = world_from_hole.inverse() * world_from_plug;
        let tip = hole_from_plug.translation.vector;
        let way = hole_from_plug.rotation * nalgebra::Vector3::x();
        Mating {
            depth_m: tip.x,
            aside_m: [tip.y, tip.z],
            tilt_rad: way.y.hypot(way.z).atan2(way.x),
            angle_rad: hole_from_plug.rotation.angle(),
        }
    }

    /// How deep this plug goes into a hole, m.
    pub fn depth_in(&self, hole: &ObjectPort) -> f64 {
        self.depth_m.min(hole.depth_m)
    }

    /// Space that a plug has in this hole on either side, along the hole's y and z, if it
    /// is not turned about the axis, m; negative if it does not fit.
    pub fn play_m(&self, plug: &ObjectPort) -> [f64; 2] {
        [0, 1].map(|i| self.half_size_m[i] - plug.half_size_m[i])
    }
}

fn find<'a>(ports: &'a [ObjectPort], id: &ObjectId, kind: PortKind) -> Option<&'a ObjectPort> {
    ports.iter().find(|p| &p.object == id && p.kind == kind)
}

impl Percept {
    /// The plug or the hole of an object.
    pub fn port(&self, id: &ObjectId, kind: PortKind) -> Option<&ObjectPort> {
        find(&self.ports, id, kind)
    }

    /// How the plug of one object is to the hole of another; `None` if either is not seen
    /// or has none.
    pub fn mating(&self, object: &ObjectId, target: &ObjectId) -> Option<Mating> {
        let hole = self.port(target, PortKind::Hole)?;
        let plug = self.port(object, PortKind::Plug)?;
        let pose = |id| self.object(id).map(|o| &o.world_from_object);
        Some(hole.mating(plug, pose(target)?, pose(object)?))
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;

    fn port(kind: PortKind, object_from_port: Pose) -> ObjectPort {
        ObjectPort {
            object: ObjectId::new("x"),
            kind,
            object_from_port,
            half_size_m: [0.02, 0.02],
            depth_m: 0.1,
            keyed: false,
        }
    }

    #[test]
    fn a_mating_is_read_in_the_frame_of_the_hole() {
        let hole = port(
            PortKind::Hole,
            Pose::new(Vector3::new(-0.1, 0.01, 0.02), Vector3::x() * 0.4),
        );
        let plug = port(PortKind::Plug, Pose::translation(0.08, 0.0, 0.0));
        let world_from_box = Pose::new(Vector3::new(0.3, -0.2, 0.1), Vector3::z() * 1.2);
        let wanted = Pose::new(Vector3::new(0.05, 0.002, -0.001), Vector3::z() * 0.1);
        let world_from_tip = world_from_box * hole.object_from_port * wanted;
        let world_from_peg = world_from_tip * plug.object_from_port.inverse();
        let found = hole.mating(&plug, &world_from_box, &world_from_peg);
        assert!((found.depth_m - 0.05).abs() < 1e-12);
        assert!((found.aside_m[0] - 0.002).abs() < 1e-12);
        assert!((found.aside_m[1] + 0.001).abs() < 1e-12);
        assert!((found.tilt_rad - 0.1).abs() < 1e-9);
        assert!((found.angle_rad - 0.1).abs() < 1e-9);
    }
}
