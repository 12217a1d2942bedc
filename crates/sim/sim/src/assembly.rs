//! Grouping of a URDF's links into rigid bodies.

use nalgebra::{Isometry3, Matrix3, Vector3};
use rapier3d_f64::math::Matrix;
use rapier3d_f64::prelude::MassProperties;
use regrasp_api::Pose;
use regrasp_geometry_parry::to_vector;
use regrasp_kinematics::{Inertial, RobotModel};
use regrasp_scene::RobotFile;

/// A robot and its bodies. Links that are joined by fixed joints form one body, which is faster and
/// cannot come apart.
pub(crate) struct Assembly<'a> {
    pub(crate) model: &'a RobotModel,
    pub(crate) file: &'a RobotFile,
    /// Bodies with parents first; the first one carries the model's root.
    pub(crate) bodies: Vec<BodyPlan>,
    pub(crate) body_of_link: Vec<usize>,
    pub(crate) body_from_link: Vec<Pose>,
}

pub(crate) struct BodyPlan {
    /// Link whose frame is the body's frame.
    pub(crate) first_link: usize,
    /// Joint that moves the body; `None` for the root.
    pub(crate) joint_idx: Option<usize>,
    pub(crate) mass: MassSum,
}

impl<'a> Assembly<'a> {
    pub(crate) fn new(model: &'a RobotModel, file: &'a RobotFile) -> Self {
        let mut assembly = Self {
            model,
            file,
            bodies: Vec::new(),
            body_of_link: Vec::new(),
            body_from_link: Vec::new(),
        };
        for link_idx in 0..model.links().len() {
            assembly.add_link(link_idx);
        }
        assembly
    }

    /// Body that a joint moves.
    pub(crate) fn moved_by(&self, joint_idx: usize) -> usize {
        self.body_of_link[self.model.joints()[joint_idx].child_link_idx]
    }

    /// Bodies that the finger joints move; joints that the model lacks are skipped.
    pub(crate) fn finger_bodies(&self) -> Vec<usize> {
        let fingers = self.file.gripper.finger_joints.iter();
        let fingers = fingers.filter_map(|name| self.model.joint_idx(name));
        fingers.map(|joint_idx| self.moved_by(joint_idx)).collect()
    }

    fn add_link(&mut self, link_idx: usize) {
        let model = self.model;
        let joint_idx = model.parent_joint_idx(link_idx);
        let fixed_to = joint_idx.map(|i| &model.joints()[i]);
        let fixed_to = fixed_to.filter(|joint| !joint.kind.is_movable());
        let (body_idx, body_from_link) = match fixed_to {
            Some(joint) => (
                self.body_of_link[joint.parent_link_idx],
                self.body_from_link[joint.parent_link_idx] * joint.parent_from_joint,
            ),
            None => {
                self.bodies.push(BodyPlan {
                    first_link: link_idx,
                    joint_idx,
                    mass: MassSum::default(),
                });
                (self.bodies.len() - 1, Isometry3::identity())
            }
        };
        self.body_of_link.push(body_idx);
        self.body_from_link.push(body_from_link);
        if let Some(inertial) = &model.links()[link_idx].inertial {
            self.bodies[body_idx].mass.add(&body_from_link, inertial);
        }
    }
}

#[derive(Default)]
pub(crate) struct MassSum {
    pub(crate) mass_kg: f64,
    moment: Vector3<f64>,
    inertia_at_origin: Matrix3<f64>,
}

impl MassSum {
    fn add(&mut self, body_from_link: &Pose, inertial: &Inertial) {
        let body_from_com = body_from_link * inertial.link_from_com;
        let com = body_from_com.translation.vector;
        let turn = body_from_com.rotation.to_rotation_matrix();
        let at_com = turn * inertial.inertia * turn.inverse();
        self.mass_kg += inertial.mass_kg;
        self.moment += inertial.mass_kg * com;
        self.inertia_at_origin += at_com + steiner(inertial.mass_kg, &com);
    }

    pub(crate) fn properties(&self) -> MassProperties {
        let com = self.moment / self.mass_kg;
        let i = self.inertia_at_origin - steiner(self.mass_kg, &com);
        let columns = [0, 1, 2].map(|column| i.column(column).into_owned());
        mass_properties(&com, self.mass_kg, columns)
    }
}

/// Mass properties from the centre of mass, the mass, and the columns of the inertia about that
/// centre.
pub(crate) fn mass_properties(
    com: &Vector3<f64>,
    mass_kg: f64,
    inertia: [Vector3<f64>; 3],
) -> MassProperties {
    let [x, y, z] = inertia.each_ref().map(to_vector);
    MassProperties::with_inertia_matrix(to_vector(com), mass_kg, Matrix::from_cols(x, y, z))
}

/// Increase of an inertia about the centre of mass when the reference point shifts by `offset`
/// (parallel axis theorem).
fn steiner(mass_kg: f64, offset: &Vector3<f64>) -> Matrix3<f64> {
    mass_kg * (Matrix3::identity() * offset.norm_squared() - offset * offset.transpose())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Translation3, UnitQuaternion};

    /// Checks two points of 1 kg at x = ±0.5 m, written as two inertials in a rotated link.
    #[test]
    fn lumped_points_make_a_dumbbell() {
        let mut sum = MassSum::default();
        let body_from_link = Isometry3::from_parts(
            Translation3::identity(),
            UnitQuaternion::from_euler_angles(0.0, 0.0, std::f64::consts::FRAC_PI_2),
        );
        for y in [-0.5, 0.5] {
            sum.add(
                &body_from_link,
                &Inertial {
                    mass_kg: 1.0,
                    link_from_com: Isometry3::translation(0.0, y, 0.0),
                    inertia: Matrix3::identity() * 1e-9,
                },
            );
        }
        let inertia = sum.properties().reconstruct_inertia_matrix();
        // A rod along x: zero about x, 2 m r^2 = 0.5 about y and z.
        assert!((inertia.x_axis.x).abs() < 1e-6);
        assert!((inertia.y_axis.y - 0.5).abs() < 1e-6);
        assert!((inertia.z_axis.z - 0.5).abs() < 1e-6);
    }
}
