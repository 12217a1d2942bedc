//! Plugs and holes.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use crate::{ObjectId, Pose};

/// Half of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PortKind {
    /// Inserted half: the end of a peg, the prongs of a plug, a post that a ring is put over.
    Plug,
    /// Receiving half: a hole, a socket, the inside of a ring.
    Hole,
}

/// Cross-section of a plug or a hole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// Rectangle, which fits at up to four rotations.
    #[default]
    Rectangle,
    /// Circle, which fits at any rotation.
    Round,
    /// Regular polygon with this number of sides, which fits at as many rotations; the y axis of
    /// the frame is perpendicular to one side.
    Polygon(u32),
}

/// Plug or hole of an object.
///
/// The frame's x axis is the direction of insertion: out of the tip of a plug, into the mouth of a
/// hole. When a plug is fully inserted, its frame is `depth_m` along x from that of the hole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObjectPort {
    /// Object that has the plug or hole.
    pub object: ObjectId,
    /// Half of the connection.
    pub kind: PortKind,
    /// Frame in the object: its origin is the middle of the plug's tip or the hole's mouth.
    pub object_from_port: Pose,
    /// Half of the cross-section along the frame's y and z, m.
    pub half_size_m: [f64; 2],
    /// Insertion length of a plug, or depth of a hole, m.
    pub depth_m: f64,
    /// Set if plug and hole fit at one rotation only, whatever their cross-section.
    pub keyed: bool,
    /// Cross-section.
    #[serde(default, skip_serializing_if = "is_default")]
    pub section: Section,
    /// Set if a hole goes all the way through, so that a plug comes out of the other side.
    #[serde(default, skip_serializing_if = "is_default")]
    pub through: bool,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Number of rotations to try, evenly spaced, if a plug fits at any rotation.
const N_TURNS: usize = 12;

/// Position of a plug relative to a hole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mating {
    /// Distance of the plug's tip inside the hole, m; negative in front of it.
    pub depth_m: f64,
    /// Offset of the plug from the hole's axis, along the hole's y and z, m: of its tip, or of its
    /// axis at the mouth of a through hole.
    pub aside_m: [f64; 2],
    /// Angle between the two axes, rad.
    pub tilt_rad: f64,
    /// Total angle between the two frames, rad.
    pub angle_rad: f64,
}

impl ObjectPort {
    /// Returns the position of a plug relative to this hole. A plug may enter a through hole from
    /// either side unless one of them is keyed; the result refers to the mouth that it enters.
    pub fn mating(
        &self,
        plug: &ObjectPort,
        world_from_hole_object: &Pose,
        world_from_plug_object: &Pose,
    ) -> Mating {
        let world_from_plug = world_from_plug_object * plug.object_from_port;
        let to_mouth = |mouth: ObjectPort| {
            let world_from_hole = world_from_hole_object * mouth.object_from_port;
            mating(&(world_from_hole.inverse() * world_from_plug), self.through)
        };
        let other = self.other_mouth(plug).map(to_mouth);
        let this = to_mouth(self.clone());
        match other {
            Some(other) if other.tilt_rad < this.tilt_rad => other,
            _ => this,
        }
    }

    /// Returns the opposite end of a through hole, if the plug may enter there too.
    pub fn other_mouth(&self, plug: &ObjectPort) -> Option<ObjectPort> {
        let is_open = self.through && !self.keyed && !plug.keyed;
        is_open.then(|| {
            let over = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), PI);
            let there = Vector3::new(self.depth_m, 0.0, 0.0);
            let mut mouth = self.clone();
            mouth.object_from_port *= Pose::from_parts(there.into(), over);
            mouth
        })
    }

    /// Returns the depth to which this plug goes into a hole, m.
    pub fn depth_in(&self, hole: &ObjectPort) -> f64 {
        if hole.through {
            return self.depth_m;
        }
        self.depth_m.min(hole.depth_m)
    }

    /// Returns the clearance of a plug in this hole on either side, along the hole's y and z,
    /// without rotation about the axis, m; negative if it does not fit.
    pub fn play_m(&self, plug: &ObjectPort) -> [f64; 2] {
        if self.section == plug.section {
            return [0, 1].map(|i| self.half_size_m[i] - plug.half_size_m[i]);
        }
        [self.inner_radius_m() - plug.outer_radius_m(); 2]
    }

    /// Returns the rotations about the hole's axis at which a plug fits, rad.
    pub fn turns(&self, plug: &ObjectPort) -> Vec<f64> {
        let is_keyed = self.keyed || plug.keyed;
        let evenly = |n: usize| (0..n).map(|i| TAU * i as f64 / n as f64).collect();
        let [y, z] = plug.half_size_m;
        let [wide, high] = self.half_size_m;
        let upright = self.play_m(plug).iter().all(|play| *play >= 0.0);
        let mut turns: Vec<f64> = match (plug.section, self.section) {
            (Section::Rectangle, Section::Rectangle) => {
                let half = if upright { vec![0.0, PI] } else { vec![] };
                let across = if z <= wide && y <= high {
                    vec![FRAC_PI_2, -FRAC_PI_2]
                } else {
                    vec![]
                };
                half.into_iter().chain(across).collect()
            }
            _ if !upright => vec![],
            (Section::Polygon(n), Section::Polygon(m)) if n == m => evenly(n as usize),
            _ => evenly(N_TURNS),
        };
        turns.retain(|turn| !is_keyed || *turn == 0.0);
        turns
    }

    fn inner_radius_m(&self) -> f64 {
        self.half_size_m[0].min(self.half_size_m[1])
    }

    fn outer_radius_m(&self) -> f64 {
        let [y, z] = self.half_size_m;
        match self.section {
            Section::Rectangle => y.hypot(z),
            Section::Round => y,
            Section::Polygon(n) => y / (PI / f64::from(n.max(3))).cos(),
        }
    }
}

fn mating(hole_from_plug: &Pose, through: bool) -> Mating {
    let tip = hole_from_plug.translation.vector;
    let way = hole_from_plug.rotation * Vector3::x();
    let mut aside_m = [tip.y, tip.z];
    if through && way.x > 0.5 {
        aside_m = [tip.y - tip.x * way.y / way.x, tip.z - tip.x * way.z / way.x];
    }
    Mating {
        depth_m: tip.x,
        aside_m,
        tilt_rad: way.y.hypot(way.z).atan2(way.x),
        angle_rad: hole_from_plug.rotation.angle(),
    }
}

/// Plug and hole of a moved object and its target.
#[derive(Clone, Copy, Debug)]
pub struct Connection<'p> {
    /// Inserted half.
    pub plug: &'p ObjectPort,
    /// Receiving half.
    pub hole: &'p ObjectPort,
    /// Set if the moved object has the hole: a ring that is put over a peg.
    pub over: bool,
}

impl<'p> Connection<'p> {
    /// Finds the connection by which `object` goes into `target`, or over it.
    pub fn find(
        ports: &'p [ObjectPort],
        object: &ObjectId,
        target: &ObjectId,
    ) -> Option<Connection<'p>> {
        let pair = |plug, hole| {
            let plug = find(ports, plug, PortKind::Plug)?;
            Some((plug, find(ports, hole, PortKind::Hole)?))
        };
        let ((plug, hole), over) = match pair(object, target) {
            Some(into) => (into, false),
            None => (pair(target, object)?, true),
        };
        Some(Connection { plug, hole, over })
    }

    /// Returns the position of the plug relative to the hole for these object poses.
    pub fn mating(&self, world_from_object: &Pose, world_from_target: &Pose) -> Mating {
        let (hole_object, plug_object) = match self.over {
            true => (world_from_object, world_from_target),
            false => (world_from_target, world_from_object),
        };
        self.hole.mating(self.plug, hole_object, plug_object)
    }

    /// Returns the largest depth of the plug, m.
    pub fn depth_m(&self) -> f64 {
        self.plug.depth_in(self.hole)
    }
}

fn find<'a>(ports: &'a [ObjectPort], id: &ObjectId, kind: PortKind) -> Option<&'a ObjectPort> {
    ports.iter().find(|p| &p.object == id && p.kind == kind)
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
            section: Section::Rectangle,
            through: false,
        }
    }

    #[test]
    fn a_ring_is_over_a_peg_whichever_of_its_sides_is_down() {
        let at_height = |z: f64| Pose::new(Vector3::z() * z, Vector3::y() * -FRAC_PI_2);
        let peg = port(PortKind::Plug, at_height(0.1));
        let mut hole = port(PortKind::Hole, at_height(-0.01));
        (hole.depth_m, hole.through) = (0.02, true);
        let (mut ring, mut post) = (hole.clone(), peg.clone());
        (ring.object, post.object) = (ObjectId::new("ring"), ObjectId::new("post"));
        let ports = [ring, post];
        let over = Connection::find(&ports, &ports[0].object, &ports[1].object)
            .expect("a ring fits over a post");
        assert!(over.over);
        assert!((over.depth_m() - 0.1).abs() < 1e-12);
        let world_from_peg = Pose::new(Vector3::new(0.3, 0.1, 0.2), Vector3::z() * 0.4);
        for turn in [Vector3::zeros(), Vector3::x() * PI] {
            let world_from_ring = world_from_peg * Pose::new(Vector3::new(0.003, 0.0, 0.03), turn);
            let found = over.mating(&world_from_ring, &world_from_peg);
            assert!((found.depth_m - 0.08).abs() < 1e-9, "{found:?}");
            assert!(found.tilt_rad < 1e-9, "{found:?}");
            let aside_m = found.aside_m[0].hypot(found.aside_m[1]);
            assert!((aside_m - 0.003).abs() < 1e-9, "{found:?}");
        }
    }

    #[test]
    fn a_cross_section_tells_the_turns_with_which_a_plug_fits() {
        let with = |(section, half, keyed)| {
            let mut port = port(PortKind::Plug, Pose::identity());
            (port.section, port.half_size_m, port.keyed) = (section, [half; 2], keyed);
            port
        };
        let (rectangle, round, hexagon) = (Section::Rectangle, Section::Round, Section::Polygon(6));
        let plug = |section| (section, 0.02, false);
        let hole = |section, half| (section, half, false);
        for (plug, hole, wanted) in [
            (plug(rectangle), hole(rectangle, 0.021), 4),
            ((rectangle, 0.02, true), hole(rectangle, 0.021), 1),
            (plug(rectangle), hole(rectangle, 0.019), 0),
            (plug(hexagon), hole(hexagon, 0.021), 6),
            (plug(round), hole(round, 0.021), N_TURNS),
            (plug(round), hole(rectangle, 0.021), N_TURNS),
            (plug(rectangle), hole(round, 0.021), 0),
            (plug(rectangle), hole(round, 0.029), N_TURNS),
            (plug(hexagon), hole(round, 0.022), 0),
        ] {
            let n_turns = with(hole).turns(&with(plug)).len();
            assert_eq!(n_turns, wanted, "{plug:?} into {hole:?}");
        }
    }

    #[test]
    fn a_mating_is_read_in_the_frame_of_the_hole() {
        let mouth = Pose::new(Vector3::new(-0.1, 0.01, 0.02), Vector3::x() * 0.4);
        let hole = port(PortKind::Hole, mouth);
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
