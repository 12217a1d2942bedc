//! `<compiler>` and `<option>`: settings for the interpretation of a model.

use std::path::{Path, PathBuf};

use crate::Result;
use crate::defaults::Defaults;
use crate::ledger::{Fate, Ledger};
use crate::model::{InertiaFrom, MeshInertia};
use crate::values::{Angles, Values};
use crate::vocabulary::{OWN_SOLVER, note};
use crate::xml::Element;

#[derive(Debug, smart_default::SmartDefault)]
pub(crate) struct Compiler {
    pub(crate) angles: Angles,
    mesh_folder: Option<String>,
    texture_folder: Option<String>,
    strips_paths: bool,
    /// Set if a `range` limits a joint that has no `limited`.
    #[default(true)]
    pub(crate) auto_limits: bool,
    #[default(InertiaFrom::Auto)]
    pub(crate) inertia_from: InertiaFrom,
    #[default([0, 5])]
    pub(crate) inertia_groups: [i64; 2],
    #[default(MeshInertia::Legacy)]
    pub(crate) mesh_inertia: MeshInertia,
    /// Set if primitives are fitted to the bounding box of a mesh instead of its moments.
    pub(crate) fits_box: bool,
    /// Set if impossible moments of inertia are replaced by their mean.
    pub(crate) balances: bool,
}

impl Compiler {
    pub(crate) fn read(model: &Element, defaults: &Defaults, ledger: &mut Ledger) -> Result<Self> {
        let mut compiler = Self::default();
        for element in model.children("compiler") {
            compiler.element(&Values::new(element, defaults, None)?)?;
            note(ledger, element);
        }
        for element in model.children("option") {
            let values = Values::new(element, defaults, None)?;
            note(ledger, element);
            let gravity = values.array::<3>("gravity")?;
            let is_usual = |[x, y, z]: [f64; 3]| x == 0.0 && y == 0.0 && z < -9.0;
            let given = values.get("gravity");
            let odd = given.filter(|_| !gravity.is_some_and(is_usual));
            if let Some(gravity) = odd {
                let why = "gravity is always 9.81 m/s² along -z";
                ledger.note(Fate::Unsupported, "option gravity", why, &gravity.place);
            }
            for flag in element.children.iter().flat_map(|flag| &flag.attributes) {
                let mut decides = "gravity contact constraint limit equality passive".split(' ');
                let is_off = flag.value == "disable" && decides.any(|name| name == flag.name);
                let (fate, why) = match is_off {
                    true => (Fate::Unsupported, "it stays enabled"),
                    false => (Fate::Ignored, OWN_SOLVER),
                };
                let what = format!("option flag {}", flag.name);
                ledger.note(fate, &what, why, &flag.place);
            }
        }
        Ok(compiler)
    }

    fn element(&mut self, values: &Values<'_>) -> Result<()> {
        if let Some(angle) = values.get("angle") {
            self.angles.unit_rad = match angle.value.as_str() {
                "radian" => 1.0,
                "degree" => Angles::default().unit_rad,
                _ => return Err(values.bad(angle, "`radian` or `degree`")),
            };
        }
        if let Some(sequence) = values.get("eulerseq") {
            let is_axis = |c: char| "xyzXYZ".contains(c);
            if sequence.value.len() != 3 || !sequence.value.chars().all(is_axis) {
                return Err(values.bad(sequence, "three of x, y, z, X, Y and Z"));
            }
            self.angles.sequence.clone_from(&sequence.value);
        }
        if let Some(coordinate) = values.get("coordinate")
            && coordinate.value != "local"
        {
            let allowed = "`local`; convert the model with a MuJoCo version before 2.3.4";
            return Err(values.bad(coordinate, allowed));
        }
        let text = |name: &str| values.text(name).map(str::to_owned);
        let assets = text("assetdir");
        self.mesh_folder = text("meshdir")
            .or(assets.clone())
            .or(self.mesh_folder.take());
        self.texture_folder = text("texturedir").or(assets).or(self.texture_folder.take());
        self.strips_paths |= values.flag("strippath")? == Some(true);
        self.balances = values.flag("balanceinertia")?.unwrap_or(self.balances);
        self.fits_box = values.flag("fitaabb")?.unwrap_or(self.fits_box);
        if values.flag("exactmeshinertia")? == Some(true) {
            self.mesh_inertia = MeshInertia::Exact;
        }
        self.auto_limits = values.flag("autolimits")?.unwrap_or(self.auto_limits);
        self.inertia_from = match values.flag("inertiafromgeom")? {
            None => self.inertia_from,
            Some(true) => InertiaFrom::Geoms,
            Some(false) => InertiaFrom::Inertial,
        };
        if let Some(groups) = values.array::<2>("inertiagrouprange")? {
            self.inertia_groups = groups.map(|g| g.round() as i64);
        }
        Ok(())
    }

    pub(crate) fn mesh_path(&self, folder: &Path, file: &str) -> PathBuf {
        joined(folder, self.mesh_folder.as_deref(), self.stripped(file))
    }

    pub(crate) fn texture_path(&self, folder: &Path, file: &str) -> PathBuf {
        joined(folder, self.texture_folder.as_deref(), self.stripped(file))
    }

    fn stripped<'a>(&self, file: &'a str) -> &'a str {
        match self.strips_paths {
            true => file.rsplit(['/', '\\']).next().unwrap_or(file),
            false => file,
        }
    }
}

/// Joins the folder of assets and a file name as MuJoCo does.
fn joined(folder: &Path, of_kind: Option<&str>, file: &str) -> PathBuf {
    folder.join(of_kind.unwrap_or("")).join(file)
}
