//! Hands whose fingers turn, replaced by fingers that slide.
//!
//! Skills, motion planning and simulation know two fingers that slide along the tool's y axis, each
//! by half of the width. A hand whose pads stay parallel while links turn, such as a four-bar
//! linkage, is close to that: its pads also move along the tool's z axis. The replacement has the
//! pads where they reach furthest along z, so no fingertip is ever deeper than it is modelled.
//! Every other link of the hand that turns (knuckles) rides along with the finger on its side: its
//! end at the pad is then at the true place, and its end at the hand is farther out or in than the
//! true one.
//!
//! Let w(θ) be the opening at the drive's position θ. By virtual work, the drive's torque τ gives
//! the force F on each pad: τ dθ = F dw.

#[cfg(test)]
mod tests;

use std::mem;

use nalgebra::{Isometry3, Translation3, Unit, Vector3};
use regrasp_geometry::Aabb;

use crate::gripper::{GripperError, GripperLinks, PAD_SIDE_TOL_M, PAD_TOL_M, Posed, link_idx};
use crate::model::{Collision, Joint, JointKind, JointLimits, Linkage, RobotModel, Visual};

/// Largest angle by which a pad may turn between the least and the largest width, degrees: over
/// pads 2 cm long that turn in opposite directions, the gap then differs by 2 mm.
const MOST_TILT_DEG: f64 = 3.0;
/// Tolerated distances, m: of the widths in the robot file from those of the URDF, of the middle
/// between the pads from the tool point, and of the pads' motion from the tool's yz plane.
const TOL_M: f64 = 1e-3;
/// Largest slope of a pad's path, from the tool's y axis towards z.
const MOST_SLOPE: f64 = 1.0;
/// Number of intervals in which the drive's range is evaluated.
const N_INTERVALS: usize = 100;

impl RobotModel {
    /// Returns the model with fingers that slide in place of a hand whose fingers turn. Any other
    /// model is returned unchanged.
    ///
    /// The drive is the joint that the others of the hand mimic. It is evaluated over the part of
    /// its range in which the others are within theirs.
    ///
    /// # Errors
    ///
    /// [`GripperError`] if a name is unknown, a joint of the hand does not mimic the drive, or the
    /// pads do not open along the tool's y axis, symmetrically and without turning.
    pub fn with_sliding_fingers(self, names: &GripperLinks<'_>) -> Result<Self, GripperError> {
        let Some(hand) = self.turning_hand(names)? else {
            return Ok(self);
        };
        let stances = hand.stances()?;
        hand.check(&stances)?;
        hand.replaced(&stances)
    }

    /// Returns the smallest and the largest distance between the pads that the limits of the hand's
    /// joints allow, m; the widths in `names` are ignored.
    ///
    /// # Errors
    ///
    /// [`GripperError`] if a link is unknown or, for a hand whose fingers turn, a joint does not
    /// mimic the drive, or the pads have no collision shape or do not open steadily along y.
    pub fn pad_distances_m(&self, names: &GripperLinks<'_>) -> Result<[f64; 2], GripperError> {
        if let Some(hand) = self.turning_hand(names)? {
            let all = hand.opening()?;
            return Ok([0, N_INTERVALS].map(|k| all[k].width_m));
        }
        let limits = |joint: &String| Some(&self.joints[self.joint_idx(joint)?].limits);
        let limits: Vec<_> = names.finger_joints.iter().filter_map(limits).collect();
        let most = limits.iter().map(|l| l.upper).fold(f64::INFINITY, f64::min);
        let least = limits.iter().map(|l| l.lower).fold(0.0, f64::max);
        Ok([2.0 * least, 2.0 * most])
    }

    fn turning_hand<'a>(
        &'a self,
        names: &'a GripperLinks<'a>,
    ) -> Result<Option<Hand<'a>>, GripperError> {
        let [pad, other, ..] = names.fingers else {
            return Ok(None);
        };
        let pads = [link_idx(self, pad)?, link_idx(self, other)?];
        let to_tool: Vec<usize> = self.joints_above(link_idx(self, names.tool)?).collect();
        let joints = &self.joints;
        let is_movable = |joint: &usize| joints[*joint].kind.is_movable();
        let wrist = to_tool.iter().copied().find(is_movable);
        // Movable joints between a pad and the hand, from the pad up.
        let chains = pads.map(|pad| -> Vec<usize> {
            let above = self.joints_above(pad);
            let of_hand = above.take_while(|joint| !to_tool.contains(joint));
            of_hand.filter(is_movable).collect()
        });
        let turns = |joint: &usize| joints[*joint].kind != JointKind::Prismatic;
        let roots: Vec<usize> = chains.iter().filter_map(|c| c.last().copied()).collect();
        let is_one_jaw = names.finger_joints.len() == 1 && !roots.is_empty();
        // Sliding fingers need a replacement only if their pads do not meet at position zero or
        // open towards negative positions, or if other joints move with them.
        let is_other = || {
            let closed = Posed::new(self, names.tool, &vec![0.0; joints.len()])?;
            let (Some(pads), [joint, ..]) = (closed.pads(names)?, names.finger_joints) else {
                return Ok(false);
            };
            let joint = closed.joint(joint)?;
            let closes = pads.apart_m * closed.axis_in_tool(joint).y < -PAD_SIDE_TOL_M;
            let is_apart = pads.width_m > TOL_M || pads.width_m < -PAD_TOL_M;
            // Fingers that move through each other from 0 on have wrong axes.
            Ok(is_apart || closes && joint.limits.lower.abs() > TOL_M)
        };
        let is_of_hand = |joint: &usize| {
            let mut above = self.joints_above(joints[*joint].child_link_idx);
            let is_beyond = wrist.is_none_or(|wrist| above.any(|joint| joint == wrist));
            is_movable(joint) && is_beyond && !to_tool.contains(joint)
        };
        let moving: Vec<usize> = (0..joints.len()).filter(is_of_hand).collect();
        let is_alone = moving.iter().all(|joint| roots.contains(joint));
        if !is_one_jaw && !chains.iter().flatten().any(turns) && is_alone && !is_other()? {
            return Ok(None);
        }
        let source = |joint: &usize| self.source(*joint).source_joint_idx;
        let n_following = |drive: &usize| moving.iter().filter(|j| source(j) == *drive).count();
        let drives = moving.iter().rev().map(source);
        let hand = Hand {
            drive: drives.max_by_key(n_following).unwrap_or_default(),
            moving: moving.clone(),
            roots,
            pads,
            names,
            model: self,
        };
        hand.check_joints()?;
        Ok(Some(hand))
    }
}

/// A hand whose fingers turn; indices are those of the model.
struct Hand<'a> {
    model: &'a RobotModel,
    names: &'a GripperLinks<'a>,
    drive: usize,
    /// Joints of the hand and its fingers.
    moving: Vec<usize>,
    /// The joint of each finger next to the hand; one for a hand with a fixed jaw.
    roots: Vec<usize>,
    /// Link of each pad.
    pads: [usize; 2],
}

/// A hand at one position of its drive.
struct Stance<'a> {
    drive: f64,
    q_by_joint: Vec<f64>,
    posed: Posed<'a>,
    /// Distance between the inner faces of the pads, m.
    width_m: f64,
    /// Place of the middle between the inner faces along the tool's y axis, m.
    middle_m: f64,
    /// Sign of the first pad's displacement from the other along the tool's y axis.
    side: f64,
    /// Outermost x, middle y and tip z of each pad in the tool frame, m.
    places: [Vector3<f64>; 2],
}

impl Stance<'_> {
    fn reach_m(&self) -> f64 {
        0.5 * (self.places[0].z + self.places[1].z)
    }

    fn tool_from(&self, link: usize) -> Isometry3<f64> {
        self.posed.tool_from_root * self.posed.root_from_link[link]
    }
}

impl<'a> Hand<'a> {
    fn refuse<T>(&self, problem: String) -> Result<T, GripperError> {
        Err(GripperError::Linkage {
            drive: self.model.joints[self.drive].name.clone(),
            problem,
        })
    }

    fn check_joints(&self) -> Result<(), GripperError> {
        let joints = &self.model.joints;
        let drive = &joints[self.drive].name;
        if !self.moving.contains(&self.drive) {
            return self.refuse(format!(
                "`{drive}` moves the tool link, so it is not part of the hand"
            ));
        }
        let is_one_jaw = self.roots.len() == 1;
        for (i, root) in self.roots.iter().enumerate() {
            let root = &joints[*root].name;
            if !is_one_jaw && self.names.finger_joints.get(i) != Some(root) {
                let pad = &self.names.fingers[i];
                return self.refuse(format!(
                    "in `finger_joints`, name `{root}`, the first joint between the hand and `{pad}`"
                ));
            }
        }
        let is_passive = |j: &&usize| self.model.source(**j).source_joint_idx != self.drive;
        let passive = self.moving.iter().filter(is_passive);
        let passive: Vec<_> = passive.map(|j| format!("`{}`", joints[*j].name)).collect();
        if !passive.is_empty() {
            return self.refuse(format!(
                "{} can move, but does not follow `{drive}`; write `<mimic joint=\"{drive}\" \
                 multiplier=\"…\"/>` into each of these joints, or make them fixed",
                passive.join(", ")
            ));
        }
        match is_one_jaw {
            true => self.refuse_one_jaw(),
            false => Ok(()),
        }
    }

    fn refuse_one_jaw(&self) -> Result<(), GripperError> {
        let all = self.between(self.range()?)?;
        let tilt_deg = self.tilt_rad(&all).to_degrees();
        let [low, high] = middles_mm(&all);
        let way_mm = high - low;
        self.refuse(format!(
            "it turns one pad by {tilt_deg:.1} degrees and shifts the middle between the pads by \
             {way_mm:.1} mm, but both pads must move, each by half of the width, and stay parallel; \
             leave `gripper` out of the robot file to use the arm without gripping"
        ))
    }

    /// Range of the drive in which every joint of the hand is within its limits.
    fn range(&self) -> Result<[f64; 2], GripperError> {
        let mut range = [(f64::NEG_INFINITY, self.drive), (f64::INFINITY, self.drive)];
        for &joint in &self.moving {
            let limits = &self.model.joints[joint].limits;
            let mimic = self.model.source(joint);
            let by_drive = |at: f64| (at - mimic.offset) / mimic.multiplier;
            let [a, b] = [limits.lower, limits.upper].map(by_drive);
            if a.max(b) < range[1].0 {
                range[1] = (a.max(b), joint);
            }
            if a.min(b) > range[0].0 {
                range[0] = (a.min(b), joint);
            }
        }
        let [(low, lowest), (high, highest)] = range;
        if low < high && (high - low).is_finite() {
            return Ok([low, high]);
        }
        let [from, to] = [lowest, highest].map(|joint| &self.model.joints[joint].name);
        self.refuse(format!(
            "the range of the drive is from {low:.3} (by the limits of `{from}`) to {high:.3} (by \
             those of `{to}`); correct `lower` and `upper` there, or the sign of the multiplier"
        ))
    }

    fn stance(&self, drive: f64) -> Result<Stance<'a>, GripperError> {
        let (model, names) = (self.model, self.names);
        let mut q_by_joint = vec![0.0; model.joints.len()];
        q_by_joint[self.drive] = drive;
        let posed = Posed::new(model, names.tool, &q_by_joint)?;
        let Some(pads) = posed.pads(names)? else {
            return self.refuse("`finger_links` must name two links, one for each pad".to_owned());
        };
        let place = |b: Aabb| Vector3::new(b.max[0], b.center().y, b.max[2]);
        Ok(Stance {
            drive,
            q_by_joint,
            posed,
            places: pads.bounds.map(place),
            width_m: pads.width_m,
            middle_m: pads.middle_m,
            side: pads.apart_m.signum(),
        })
    }

    fn between(&self, [from, to]: [f64; 2]) -> Result<Vec<Stance<'a>>, GripperError> {
        let part = |k: usize| k as f64 / N_INTERVALS as f64;
        let drives = (0..=N_INTERVALS).map(|k| from + part(k) * (to - from));
        drives.map(|drive| self.stance(drive)).collect()
    }

    /// The hand over the range of its drive, from closed to open.
    fn opening(&self) -> Result<Vec<Stance<'a>>, GripperError> {
        let mut all = self.between(self.range()?)?;
        if all[0].width_m > all[N_INTERVALS].width_m {
            all.reverse();
        }
        self.check_direction(&all)?;
        let [closed, open] = [&all[0], &all[N_INTERVALS]];
        let closes = |pair: &&[Stance<'_>]| pair[1].width_m <= pair[0].width_m;
        if let Some([at, _]) = all.windows(2).find(closes) {
            return self.refuse(format!(
                "between the drive positions {:.3} and {:.3}, the pads do not open steadily: they \
                 reverse near {:.3}, {:.4} m apart; end the range of the drive there",
                closed.drive, open.drive, at.drive, at.width_m
            ));
        }
        Ok(all)
    }

    /// The hand from the least to the largest width of the robot file.
    fn stances(&self) -> Result<Vec<Stance<'a>>, GripperError> {
        let all = self.opening()?;
        let [closed, open] = [&all[0], &all[N_INTERVALS]];
        let [least, most] = self.names.width_m;
        if least < closed.width_m - TOL_M || most > open.width_m + TOL_M {
            return self.refuse(format!(
                "between the drive positions {:.3} and {:.3}, the pads move from {:.4} to {:.4} m \
                 apart, but `min_width_m` and `max_width_m` are {least:.4} and {most:.4} m",
                closed.drive, open.drive, closed.width_m, open.width_m
            ));
        }
        let drive_at = |width_m: f64| {
            let after = all.partition_point(|stance| stance.width_m < width_m);
            let after = after.clamp(1, N_INTERVALS);
            let [a, b] = [&all[after - 1], &all[after]];
            let part = (width_m - a.width_m) / (b.width_m - a.width_m);
            a.drive + part.clamp(0.0, 1.0) * (b.drive - a.drive)
        };
        self.between([least, most].map(drive_at))
    }

    /// Checks that the pads move along the tool's y axis.
    fn check_direction(&self, stances: &[Stance<'_>]) -> Result<(), GripperError> {
        for (i, joint) in self.names.finger_joints.iter().enumerate() {
            let [from, to] = [0, N_INTERVALS].map(|k| stances[k].places[i]);
            let way = to - from;
            if way.x.abs() > TOL_M || way.z.abs() > TOL_M + MOST_SLOPE * way.y.abs() {
                return Err(GripperError::ToolAxes {
                    tool: self.names.tool.to_owned(),
                    joint: joint.clone(),
                    axis_in_tool: way.normalize().into(),
                });
            }
        }
        Ok(())
    }

    /// Largest angle by which the pads turn, rad.
    fn tilt_rad(&self, stances: &[Stance<'_>]) -> f64 {
        let turned = |stance: &Stance<'_>| {
            let by = self.pads.map(|pad| {
                let [at, first] = [stance, &stances[0]].map(|s| s.tool_from(pad).rotation);
                at.angle_to(&first)
            });
            by[0].max(by[1])
        };
        stances.iter().map(turned).fold(0.0, f64::max)
    }

    /// Checks that the pads do not turn and that the tool point stays midway between them.
    fn check(&self, stances: &[Stance<'_>]) -> Result<(), GripperError> {
        let [least, most] = self.names.width_m;
        let tilt_deg = self.tilt_rad(stances).to_degrees();
        if tilt_deg > MOST_TILT_DEG {
            let range_mm = 1e3 * (most - least) * MOST_TILT_DEG / tilt_deg;
            return self.refuse(format!(
                "the pads turn by {tilt_deg:.1} degrees between the widths {least:.4} and \
                 {most:.4} m, but may turn by at most {MOST_TILT_DEG}; keep them parallel by a \
                 joint that mimics the drive with a negative multiplier, or choose `min_width_m` \
                 and `max_width_m` about {range_mm:.0} mm apart"
            ));
        }
        let [low, high] = middles_mm(stances);
        if low.abs().max(high.abs()) > 1e3 * TOL_M {
            return self.refuse(format!(
                "the middle between the pads is {low:.1} to {high:.1} mm from the tool point along \
                 y; both pads must move by half of the width, and the tool link must be midway"
            ));
        }
        Ok(())
    }

    /// The model with sliding fingers, and the hand posed so that its pads reach furthest.
    fn replaced(&self, stances: &[Stance<'_>]) -> Result<RobotModel, GripperError> {
        let first = &stances[0];
        let [shortest, at] = stances.iter().fold([first; 2], |[short, far], stance| {
            let is_short = stance.reach_m() < short.reach_m();
            let is_far = stance.reach_m() > far.reach_m();
            [
                [short, stance][usize::from(is_short)],
                [far, stance][usize::from(is_far)],
            ]
        });
        let slopes = stances.windows(2).map(|pair| {
            (pair[1].width_m - pair[0].width_m).abs() / (pair[1].drive - pair[0].drive).abs()
        });
        let [flattest, steepest] = slopes.fold([f64::INFINITY, 0.0], |[low, high], slope| {
            [f64::min(low, slope), f64::max(high, slope)]
        });
        let Joint { name, limits, .. } = &self.model.joints[self.drive];
        let force_n = limits.effort / steepest;
        let mut model = self.model.clone();
        model.linkage = Some(Linkage {
            drive: name.clone(),
            drive_by_width: stances.iter().map(|s| [s.width_m, s.drive]).collect(),
            shorter_m: at.reach_m() - shortest.reach_m(),
            tilt_rad: self.tilt_rad(stances),
            force_n,
        });
        for &idx in &self.moving {
            let position = self.model.position(&at.q_by_joint, idx);
            let joint = &mut model.joints[idx];
            joint.parent_from_joint = joint.parent_from_child(position);
            (joint.kind, joint.mimic) = (JointKind::Fixed, None);
            (joint.limits, joint.dynamics) = Default::default();
        }
        let [lower, upper] = self.names.width_m.map(|width_m| 0.5 * width_m);
        for (i, root) in self.roots.iter().enumerate() {
            let joint = &mut model.joints[*root];
            let opens_in_tool = Vector3::y() * at.side * [1.0, -1.0][i];
            let child_from_tool = at.tool_from(joint.child_link_idx).rotation.inverse();
            joint.axis = Unit::new_normalize(child_from_tool * opens_in_tool);
            joint.parent_from_joint *= Translation3::from(joint.axis.scale(-0.5 * at.width_m));
            joint.kind = JointKind::Prismatic;
            joint.limits = JointLimits {
                lower,
                upper,
                velocity: 0.5 * flattest * limits.velocity,
                effort: force_n,
            };
        }
        self.carry(&mut model, at)?;
        Ok(model)
    }

    /// Moves the shapes of each moving link other than the pads to the first link of its finger. A
    /// link that belongs to no finger joins the one on its side.
    fn carry(&self, model: &mut RobotModel, at: &Stance<'_>) -> Result<(), GripperError> {
        for (idx, link) in self.model.links.iter().enumerate() {
            let above: Vec<usize> = self.model.joints_above(idx).collect();
            let moves = above.iter().any(|joint| self.moving.contains(joint));
            if !moves || self.names.fingers.contains(&link.name) {
                continue;
            }
            let middle_m = at.posed.bounds(&link.name)?.center().y;
            let beside = usize::from(middle_m * at.side < 0.0);
            let mut roots = self.roots.iter();
            let root = roots.find(|root| above.contains(root));
            let root = root.unwrap_or(&self.roots[beside]);
            let onto = self.model.joints[*root].child_link_idx;
            if onto == idx {
                continue;
            }
            let onto_from_link = at.tool_from(onto).inverse() * at.tool_from(idx);
            let collisions = mem::take(&mut model.links[idx].collisions);
            let visuals = mem::take(&mut model.links[idx].visuals);
            let onto = &mut model.links[onto];
            onto.collisions
                .extend(collisions.into_iter().map(|shape| Collision {
                    link_from_geometry: onto_from_link * shape.link_from_geometry,
                    ..shape
                }));
            onto.visuals.extend(visuals.into_iter().map(|shape| Visual {
                link_from_geometry: onto_from_link * shape.link_from_geometry,
                ..shape
            }));
        }
        Ok(())
    }
}

/// Least and largest place of the middle between the pads along the tool's y axis, mm.
fn middles_mm(stances: &[Stance<'_>]) -> [f64; 2] {
    let middles = stances.iter().map(|stance| 1e3 * stance.middle_m);
    middles.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], at| {
        [low.min(at), high.max(at)]
    })
}
