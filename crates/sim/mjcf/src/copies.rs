//! `<replicate>` and `<attach>`: repeated bodies, and bodies from another file.

use nalgebra::Vector3;
use regrasp_api::Pose;

use crate::Result;
use crate::assets::{Reader, find};
use crate::model::Body;
use crate::read::read_inside;
use crate::values::{Values, euler};

const DEEPEST: usize = 16;
const MOST_COPIES: usize = 10_000;

impl Reader<'_> {
    /// Adds copies of the content of a `<replicate>`, each displaced from the one before it.
    pub(crate) fn replicate(
        &mut self,
        body: &mut Body,
        values: &Values<'_>,
        class: Option<&str>,
    ) -> Result<()> {
        let count = values.get("count").ok_or_else(|| values.lacks("count"))?;
        let number = usize::try_from(values.integer("count", 1)?).ok();
        let Some(number) = number.filter(|n| (0..=MOST_COPIES).contains(n)) else {
            return Err(values.bad(count, &format!("from 0 to {MOST_COPIES}")));
        };
        let offset = Vector3::from(values.array::<3>("offset")?.unwrap_or_default());
        let turn = values.array::<3>("euler")?.unwrap_or_default();
        let separator = values.text("sep").unwrap_or_default();
        let width = number.to_string().len();
        let mut here_from_copy = Pose::identity();
        for i in 0..number {
            self.n_copies += 1;
            if self.n_copies > MOST_COPIES {
                let message = format!("the model holds more than {MOST_COPIES} copies");
                return Err(values.place().error(message));
            }
            let mut copy = Body::new(None, Pose::identity(), values.place());
            self.inside(&mut copy, values.element, class)?;
            let new_name = |name: &str| format!("{name}{separator}{i:0width$}");
            copy.rename(&new_name, &mut self.copied);
            // MuJoCo multiplies the three angles, not the rotation.
            let angles = turn.map(|angle| angle * i as f64);
            here_from_copy.rotation = euler(angles, &self.compiler.angles);
            body.take_in(copy, &here_from_copy);
            here_from_copy.translation.vector += here_from_copy.rotation * offset;
        }
        Ok(())
    }

    /// Adds a body of another model, or everything in its world.
    pub(crate) fn attach(&mut self, body: &mut Body, values: &Values<'_>) -> Result<()> {
        let model = values.get("model").ok_or_else(|| values.lacks("model"))?;
        let path = find(&self.assets.models, &model.value, "model", &model.place)?;
        let real = path.canonicalize().unwrap_or_default();
        if self.open.contains(&real) || self.open.len() > DEEPEST {
            let path = path.display();
            let message = format!("`{path}` attaches itself, or is over {DEEPEST} models deep");
            return Err(values.place().error(message));
        }
        let mut other = read_inside(path, &self.open)?;
        let wanted = values.get("body");
        let mut taken = match wanted {
            None => other.world,
            Some(name) => {
                let mut around = Body::new(None, Pose::identity(), values.place());
                let Some(found) = other.world.find(&name.value) else {
                    let file = path.display();
                    let message = format!("there is no body `{}` in `{file}`", name.value);
                    return Err(name.place.error(message));
                };
                around.bodies.push(found.clone());
                around
            }
        };
        let prefix = values.text("prefix").unwrap_or_default().to_owned();
        let prefixed = |name: &str| format!("{prefix}{name}");
        taken.rename(&prefixed, &mut vec![]);
        for coupling in &mut other.couplings {
            let geared = coupling.gear.iter_mut().flat_map(|gear| &mut gear.joints);
            let names = coupling.parts.iter_mut().flatten().chain(geared);
            names.for_each(|name| *name = prefixed(name));
        }
        self.attached.append(&mut other.couplings);
        self.ledger.absorb(other.ledger);
        body.take_in(taken, &Pose::identity());
        Ok(())
    }
}

impl Body {
    /// Moves the content of another body into this one.
    pub(crate) fn take_in(&mut self, mut other: Self, body_from_other: &Pose) {
        let geoms = other.geoms.iter_mut().map(|g| &mut g.body_from_geom);
        let sites = other.sites.iter_mut().map(|s| &mut s.body_from_site);
        let cameras = other.cameras.iter_mut().map(|c| &mut c.body_from_camera);
        let bodies = other.bodies.iter_mut().map(|b| &mut b.parent_from_body);
        for own in geoms.chain(sites).chain(cameras).chain(bodies) {
            *own = body_from_other * *own;
        }
        let inertial = other.inertial.map(|mass| mass.seen_from(body_from_other));
        for joint in &mut other.joints {
            let at = body_from_other * nalgebra::Point3::from(joint.position);
            joint.position = at.coords.into();
            joint.axis = (body_from_other.rotation * nalgebra::Vector3::from(joint.axis)).into();
        }
        self.inertial = inertial.or(self.inertial);
        self.joints.append(&mut other.joints);
        self.geoms.append(&mut other.geoms);
        self.sites.append(&mut other.sites);
        self.cameras.append(&mut other.cameras);
        self.bodies.append(&mut other.bodies);
    }

    /// Renames everything in the body; adds the old and new names to `renamed`.
    fn rename(&mut self, to: &dyn Fn(&str) -> String, renamed: &mut Vec<(String, String)>) {
        let joints = self.joints.iter_mut().map(|joint| &mut joint.name);
        let geoms = self.geoms.iter_mut().map(|geom| &mut geom.name);
        let sites = self.sites.iter_mut().map(|site| &mut site.name);
        let cameras = self.cameras.iter_mut().map(|camera| &mut camera.name);
        let own = joints.chain(geoms).chain(sites).chain(cameras);
        for name in own.chain([&mut self.name]).flatten() {
            let new = to(name);
            renamed.push((name.clone(), new.clone()));
            *name = new;
        }
        let bodies = self.bodies.iter_mut();
        bodies.for_each(|body| body.rename(to, renamed));
    }
}
