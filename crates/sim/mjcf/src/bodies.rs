//! `<worldbody>`: bodies with their joints, geoms, sites and cameras.

use std::f64::consts::PI;

use nalgebra::{Matrix3, Unit, UnitQuaternion, Vector3};
use regrasp_api::Pose;

use crate::Result;
use crate::assets::Reader;
use crate::geoms::{geom, site};
use crate::ledger::Fate;
use crate::model::Mass;
use crate::model::{Body, Camera, InertiaFrom, Joint, Motion};
use crate::values::{Values, pose};
use crate::vocabulary::{element, note};
use crate::xml::Element;

impl Reader<'_> {
    /// Reads the world, which may consist of several `<worldbody>` elements.
    pub(crate) fn world(&mut self, model: &Element) -> Result<Body> {
        let mut world = Body::new(None, Pose::identity(), &model.place);
        for piece in model.children("worldbody") {
            let class = self.defaults.child_class(piece, None)?;
            note(self.ledger, piece);
            self.inside(&mut world, piece, class.as_deref())?;
        }
        match world.joints.first() {
            None => Ok(world),
            Some(joint) => Err(joint
                .place
                .error("<worldbody> has a joint, but only bodies move")),
        }
    }

    /// Reads the content of a body, or of a frame in it.
    pub(crate) fn inside(
        &mut self,
        body: &mut Body,
        content: &Element,
        class: Option<&str>,
    ) -> Result<()> {
        for child in &content.children {
            let values = Values::new(child, self.defaults, class)?;
            match child.tag.as_str() {
                tag @ ("body" | "frame") => {
                    let place = pose(&values, &self.compiler.angles)?;
                    let mut inner = Body::new(values.name(), place, &child.place);
                    let class = self.defaults.child_class(child, class)?;
                    self.inside(&mut inner, child, class.as_deref())?;
                    match tag {
                        "body" => body.bodies.push(inner),
                        _ => body.take_in(inner, &place),
                    }
                }
                "replicate" => self.replicate(body, &values, class)?,
                "attach" => self.attach(body, &values)?,
                "joint" | "freejoint" => body.joints.push(self.joint(&values)?),
                "inertial" => body.inertial = Some(self.inertial(&values)?),
                "geom" => match geom(&values, self)? {
                    Some(geom) => body.geoms.push(geom),
                    None => continue,
                },
                "site" => body.sites.push(site(&values, self)?),
                "camera" => match self.camera(&values)? {
                    Some(camera) => body.cameras.push(camera),
                    None => continue,
                },
                tag => {
                    let (fate, why) = element("body", tag);
                    self.ledger.note(fate, tag, why, &child.place);
                    continue;
                }
            }
            note(self.ledger, child);
        }
        Ok(())
    }

    /// Reads the first of a joint's coefficients, which may be followed by those of a polynomial.
    fn coefficient(&mut self, values: &Values<'_>, name: &str) -> Result<f64> {
        let all = values.numbers(name, [1, 3])?.unwrap_or_default();
        if all.iter().skip(1).any(|x| *x != 0.0) {
            let what = format!("joint {name}, 2nd and 3rd number");
            let why = "a scene file has only the linear part";
            self.ledger
                .note(Fate::Unsupported, &what, why, values.place());
        }
        match all.first() {
            Some(first) if *first < 0.0 => Err(values.wrong(name, "0 or greater")),
            first => Ok(first.copied().unwrap_or_default()),
        }
    }

    fn joint(&mut self, values: &Values<'_>) -> Result<Joint> {
        let motion = match (values.element.tag.as_str(), values.text("type")) {
            ("freejoint", _) | (_, Some("free")) => Motion::Free,
            (_, None | Some("hinge")) => Motion::Hinge,
            (_, Some("slide")) => Motion::Slide,
            (_, Some("ball")) => Motion::Ball,
            _ => return Err(values.wrong("type", "`hinge`, `slide`, `ball` or `free`")),
        };
        let axis = Vector3::from(values.array::<3>("axis")?.unwrap_or([0.0, 0.0, 1.0]));
        let Some(axis) = Unit::try_new(axis, 1e-9) else {
            return Err(values.wrong("axis", "a vector longer than 0"));
        };
        let unit = match motion {
            Motion::Hinge => self.compiler.angles.unit_rad,
            _ => 1.0,
        };
        let range = match motion {
            Motion::Hinge | Motion::Slide => self.limits(values)?,
            // Scenes have no ball joints, whose angle MuJoCo limits; a free joint has no limits.
            Motion::Ball | Motion::Free => None,
        };
        let range = range.map(|range| range.map(|x| x * unit));
        Ok(Joint {
            name: values.name(),
            motion,
            position: values.array("pos")?.unwrap_or_default(),
            axis: axis.into_inner().into(),
            range,
            reference: values.number("ref", 0.0)? * unit,
            damping: self.coefficient(values, "damping")?,
            friction: values.amount("frictionloss", 0.0)?,
            armature: values.amount("armature", 0.0)?,
            stiffness: self.coefficient(values, "stiffness")?,
            slack_at: values.number("springref", 0.0)? * unit,
            place: values.place().clone(),
        })
    }

    /// Reads the limits of a joint by MuJoCo's rules, in the model's unit.
    fn limits(&self, values: &Values<'_>) -> Result<Option<[f64; 2]>> {
        let range = values.array::<2>("range")?;
        let is_range = |[least, most]: &[f64; 2]| least < most;
        match (values.flag("limited")?, range) {
            (Some(false), _) => Ok(None),
            (Some(true), Some(range)) if is_range(&range) => Ok(Some(range)),
            (Some(true), _) => Err(values.wrong("range", "two numbers, the smaller number first")),
            (None, range) if self.compiler.auto_limits => Ok(range.filter(is_range)),
            (None, None | Some([0.0, 0.0])) => Ok(None),
            (None, Some(_)) => Err(values.wrong(
                "range",
                "left out, or come with `limited`, since <compiler> has `autolimits=\"false\"`",
            )),
        }
    }

    fn inertial(&self, values: &Values<'_>) -> Result<Mass> {
        let mass_kg = match values.array::<1>("mass")? {
            Some([mass]) if mass >= 0.0 => mass,
            Some(_) => return Err(values.wrong("mass", "0 or greater, kg")),
            None => return Err(values.lacks("mass")),
        };
        let diagonal = values.array::<3>("diaginertia")?;
        let moments = match (diagonal, values.array::<6>("fullinertia")?) {
            (Some(moments), _) => Matrix3::from_diagonal(&moments.into()),
            (None, Some([xx, yy, zz, xy, xz, yz])) => {
                Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
            }
            (None, None) => return Err(values.lacks("diaginertia")),
        };
        let about = moments.symmetric_eigenvalues();
        if about.min() < 0.0 {
            let message = "<inertial> has a negative principal moment of inertia";
            return Err(values.place().error(message));
        }
        // A moment of inertia cannot exceed the sum of the two others.
        let is_none = 2.0 * about.max() > about.sum() * (1.0 + 1e-9);
        let moments = match (is_none, self.compiler.balances) {
            (true, true) => Matrix3::identity() * (about.sum() / 3.0),
            (true, false) if self.compiler.inertia_from != InertiaFrom::Geoms => {
                let message = "one moment of inertia of <inertial> is larger than the sum of the \
                               other two, which is impossible; <compiler balanceinertia=\"true\"/> \
                               uses their mean";
                return Err(values.place().error(message));
            }
            _ => moments,
        };
        let about_center = Mass {
            kg: mass_kg,
            center: Vector3::zeros(),
            moments,
        };
        Ok(about_center.seen_from(&pose(values, &self.compiler.angles)?))
    }

    fn camera(&mut self, values: &Values<'_>) -> Result<Option<Camera>> {
        if let Some(mode) = values.text("mode")
            && mode != "fixed"
        {
            let what = format!("camera mode=\"{mode}\"");
            let why = "a scene file has only fixed cameras; give the camera a pose";
            self.ledger
                .note(Fate::Unsupported, &what, why, values.place());
            return Ok(None);
        }
        // MuJoCo's cameras look along -z with y up; cameras of scenes look along z with y down.
        let turned = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI);
        let fov_deg = field_of_view_deg(values)?;
        if !(1.0..=170.0).contains(&fov_deg) {
            let message = format!(
                "<camera> has a vertical field of view of {fov_deg} degrees, but must have 1 to 170"
            );
            return Err(values.place().error(message));
        }
        let size = values.array::<2>("resolution")?;
        Ok(Some(Camera {
            name: values.name(),
            body_from_camera: pose(values, &self.compiler.angles)? * turned,
            fov_rad: fov_deg.to_radians(),
            size: size.map(|size| size.map(|n| n.clamp(1.0, 4096.0) as u32)),
            place: values.place().clone(),
        }))
    }
}

/// Returns `fovy`, or the angle that the sensor's height and the focal length give.
fn field_of_view_deg(values: &Values<'_>) -> Result<f64> {
    let Some([_, height]) = values.array::<2>("sensorsize")? else {
        return values.number("fovy", 45.0);
    };
    let pixels = values.array::<2>("resolution")?.unwrap_or([1.0; 2]);
    let focal = match values.array::<2>("focalpixel")? {
        Some(focal) => focal[1] * height / pixels[1],
        None => match values.array::<2>("focal")? {
            Some(focal) => focal[1],
            None => return Err(values.lacks("focal")),
        },
    };
    Ok(2.0 * (0.5 * height / focal).atan().to_degrees())
}
