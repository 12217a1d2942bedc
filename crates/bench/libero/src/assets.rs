//! Files of LIBERO. Tasks that use the same model share it, so that it is read once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use regrasp_api::{JointKind, JointRole, Pose, Shape};
use regrasp_mjcf::{Body, Model, Options, Pieces, files, object, read};
use regrasp_scene::{Assembly, Scene, SceneObject, color_word};
use walkdir::WalkDir;
use xxhash_rust::xxh3::Xxh3;

use crate::arena::Room;
use crate::class::{JointRule, Side};
use crate::error::LiberoError;
use crate::problem::{Instance, Problem, problems_in};

/// LIBERO's folder, which contains `bddl_files` and `assets`.
#[derive(Debug)]
pub struct Assets {
    root: PathBuf,
    files: BTreeMap<String, Vec<PathBuf>>,
    models: Shared<Model>,
    /// Rooms, by the files of their models.
    pub(crate) rooms: Shared<Room>,
    /// Hashes of files; that of a model includes the files to which it refers.
    hashes: Mutex<BTreeMap<PathBuf, u128>>,
}

/// A cache by file whose entries live as long as a task uses them.
#[derive(Debug)]
pub(crate) struct Shared<T>(Mutex<BTreeMap<PathBuf, Weak<T>>>);

impl<T> Shared<T> {
    /// Returns the entry of a file; `make` reads the file if no task uses it.
    pub(crate) fn of(
        &self,
        path: &Path,
        make: impl FnOnce() -> Result<T, LiberoError>,
    ) -> Result<Arc<T>, LiberoError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(there) = known.get(path).and_then(Weak::upgrade) {
            return Ok(there);
        }
        let made = Arc::new(make()?);
        known.insert(path.to_owned(), Arc::downgrade(&made));
        Ok(made)
    }
}

/// Name of the environment variable for LIBERO's folder.
pub const ROOT_VARIABLE: &str = "REGRASP_LIBERO";

/// The objects of a class, and LIBERO's measures of them.
#[derive(Clone, Debug)]
pub(crate) struct AssetModel {
    pub(crate) pieces: Pieces,
    /// Keeps the cached model alive.
    _model: Arc<Model>,
    /// Height of `bottom_site`, m.
    pub(crate) bottom: f64,
    /// Height of `top_site`, m.
    pub(crate) top: f64,
    /// x of `horizontal_radius_site`, m.
    pub(crate) radius: f64,
    /// First folder of the model's path below `assets`.
    pub(crate) folder: String,
}

/// Classes whose files have another name.
const RENAMED: [(&str, &str); 1] = [("rack", "simple_rack")];

impl Assets {
    /// Opens LIBERO's folder.
    ///
    /// # Errors
    ///
    /// [`LiberoError`] if its folder `assets` contains no model.
    pub fn open(root: &Path) -> Result<Self, LiberoError> {
        let assets = root.join("assets");
        let files = models_below(&assets);
        if files.is_empty() {
            let why = format!("`{}` contains no model (.xml)", assets.display());
            return Err(LiberoError::no_root(why));
        }
        Ok(Self {
            root: root.to_owned(),
            files,
            models: Shared(Mutex::default()),
            rooms: Shared(Mutex::default()),
            hashes: Mutex::default(),
        })
    }

    /// Opens `root`, or else the folder in the environment variable [`ROOT_VARIABLE`].
    ///
    /// # Errors
    ///
    /// The errors of [`Assets::open`], and [`LiberoError`] if neither folder is given.
    pub fn find(root: Option<&Path>) -> Result<Self, LiberoError> {
        let from_environment = std::env::var_os(ROOT_VARIABLE).map(PathBuf::from);
        match root.map(Path::to_owned).or(from_environment) {
            Some(root) => Self::open(&root),
            None => Err(LiberoError::no_root("no folder is given")),
        }
    }

    /// Folder of a suite's problem files.
    pub fn suite(&self, name: &str) -> PathBuf {
        self.root.join("bddl_files").join(name)
    }

    /// Returns true if there is a model of a class.
    pub fn has(&self, class: &str) -> bool {
        self.class_path(class).is_ok()
    }

    /// Names of all models, which are also the names of their classes.
    pub fn model_names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// All problem files of the folder, suite by suite.
    ///
    /// # Errors
    ///
    /// [`LiberoError`] if `bddl_files` cannot be read, or a suite has no problem file.
    pub fn problems(&self) -> Result<Vec<PathBuf>, LiberoError> {
        let root = self.suite("");
        let folders = std::fs::read_dir(&root).map_err(|e| LiberoError::unreadable(&root, e))?;
        let folders = folders.flatten().map(|entry| entry.path());
        let mut folders: Vec<PathBuf> = folders.filter(|path| path.is_dir()).collect();
        folders.sort();
        let files: Result<Vec<_>, _> = folders.iter().map(|path| problems_in(path)).collect();
        Ok(files?.concat())
    }

    pub(crate) fn scene_path(&self, style: &str) -> Option<PathBuf> {
        let path = self.scene(style);
        path.is_file().then_some(path)
    }

    pub(crate) fn scene(&self, style: &str) -> PathBuf {
        let path = self.root.join("assets/scenes").join(style);
        path.with_extension("xml")
    }

    pub(crate) fn texture(&self, name: &str) -> PathBuf {
        let path = self.root.join("assets/textures").join(name);
        path.with_extension("png")
    }

    pub(crate) fn model(&self, path: &Path) -> Result<Arc<Model>, LiberoError> {
        self.models.of(path, || Ok(read(path)?))
    }

    /// Hashes the content of a file; for a model, also that of all files to which it refers.
    ///
    /// # Errors
    ///
    /// [`LiberoError`] if one of the files cannot be read.
    pub(crate) fn hash(&self, path: &Path) -> Result<u128, LiberoError> {
        let mut hashes = self.hashes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = hashes.get(path) {
            return Ok(*known);
        }
        let is_model = path.extension().is_some_and(|e| e == "xml");
        let all = match is_model {
            true => files(path)?,
            false => [path.to_owned()].into(),
        };
        let mut hash = Xxh3::new();
        for file in all {
            let bytes = match std::fs::read(&file) {
                Ok(bytes) => bytes,
                Err(error) if !is_model => return Err(LiberoError::unreadable(&file, error)),
                // Reading the model gives a better error, with the line that refers to the file.
                Err(error) => {
                    self.model(path)?;
                    return Err(LiberoError::unreadable(&file, error));
                }
            };
            hash.update(&(bytes.len() as u64).to_le_bytes());
            hash.update(&bytes);
        }
        let hash = hash.digest128();
        hashes.insert(path.to_owned(), hash);
        Ok(hash)
    }

    /// Returns the path of an instance's model.
    ///
    /// # Errors
    ///
    /// [`LiberoError`] if its class has no model, or several.
    pub(crate) fn model_path(
        &self,
        problem: &Problem,
        instance: &Instance,
    ) -> Result<&Path, LiberoError> {
        let path = self.class_path(&instance.class);
        path.map_err(|message| problem.wrong(instance.at, message))
    }

    /// Returns the path of a class's model, or the reason why none can be chosen.
    fn class_path(&self, class: &str) -> Result<&Path, String> {
        let renamed = RENAMED.iter().find(|(name, _)| *name == class);
        let file = renamed.map_or(class, |(_, file)| file);
        // Models in `scenes` belong to rooms: LIBERO has no class for them.
        let rooms = self.root.join("assets/scenes");
        let files = self.files.get(file).map_or(&[][..], Vec::as_slice);
        let own = files.iter().filter(|path| !path.starts_with(&rooms));
        let own: Vec<&PathBuf> = own.collect();
        match own[..] {
            [] => {
                let (looked, nearest) = (self.root.join("assets"), self.nearest(file));
                let looked = looked.display();
                Err(format!(
                    "there is no model of class `{class}`: no `{file}.xml` below {looked}{nearest}"
                ))
            }
            [path] => Ok(path),
            [first, second, ..] => Err(format!(
                "there are two models of class `{class}`, `{}` and `{}`: remove one of them",
                first.display(),
                second.display()
            )),
        }
    }

    /// Returns the objects of an instance, at the origin.
    pub(crate) fn instance_model(
        &self,
        problem: &Problem,
        instance: &Instance,
        is_free: bool,
    ) -> Result<AssetModel, LiberoError> {
        let path = self.model_path(problem, instance)?;
        let model = self.class_model(path, &instance.class, &instance.name, is_free)?;
        model.map_err(|message| problem.wrong(instance.at, message))
    }

    /// Returns the objects and joints of a class, named after the class, outside of a scene.
    ///
    /// # Errors
    ///
    /// [`LiberoError`] if the class has no model, several, or one that cannot be used.
    pub fn assembly(&self, class: &str, is_fixture: bool) -> Result<Assembly, LiberoError> {
        let path = self.class_path(class).map_err(LiberoError)?;
        let model = self.class_model(path, class, class, !is_fixture)?;
        let Pieces {
            objects, joints, ..
        } = model.map_err(LiberoError)?.pieces;
        let scene = Scene {
            joints,
            ..Scene::new(class, Pose::identity(), 0.0, objects)
        };
        let thing = scene.assemblies().into_iter().next();
        thing.ok_or_else(|| LiberoError(format!("the model of class `{class}` has no body")))
    }

    /// Returns the objects of a class's model, named after an instance, or the reason why the model
    /// has none.
    fn class_model(
        &self,
        path: &Path,
        class: &str,
        name: &str,
        is_free: bool,
    ) -> Result<Result<AssetModel, String>, LiberoError> {
        let model = self.model(path)?;
        let outer = model.world.bodies.iter();
        let Some((outer, own)) = outer
            .filter_map(|outer| Some((outer, body_named(outer, "object")?)))
            .next()
        else {
            let path = path.display();
            return Ok(Err(format!("`{path}` has no body `object` inside a body")));
        };
        let options = Options {
            instance: Some(name.to_owned()),
            free: Some(is_free),
            inertia_groups: Some([0, 0]),
        };
        let mut pieces = object(&model, own, &options)?;
        name_parts(&mut pieces, class);
        set_limits(&mut pieces, class);
        let measure = |site: &str, i: usize| {
            let found = outer.sites.iter().find(|s| s.name.as_deref() == Some(site));
            found.map(|s| s.body_from_site.translation.vector[i])
        };
        let folder = path.strip_prefix(self.root.join("assets")).ok();
        let folder = folder.and_then(|p| p.components().next());
        Ok(Ok(AssetModel {
            bottom: measure("bottom_site", 2).unwrap_or(0.0),
            top: measure("top_site", 2).unwrap_or(0.0),
            radius: measure("horizontal_radius_site", 0).unwrap_or(0.0),
            folder: folder.map_or_else(String::new, |f| f.as_os_str().to_string_lossy().into()),
            pieces,
            _model: Arc::clone(&model),
        }))
    }

    fn nearest(&self, name: &str) -> String {
        let shares = |file: &&String| {
            let words: Vec<_> = name.split('_').collect();
            file.split('_').any(|word| words.contains(&word))
        };
        let near: Vec<_> = self.files.keys().filter(shares).cloned().collect();
        match near.is_empty() {
            true => String::new(),
            false => format!(" (similar: {})", near.join(", ")),
        }
    }
}

/// All models below a folder, by their file names in lower case.
fn models_below(folder: &Path) -> BTreeMap<String, Vec<PathBuf>> {
    const MAX_DEPTH: usize = 7;
    let mut models = BTreeMap::<String, Vec<PathBuf>>::new();
    let entries = WalkDir::new(folder).follow_links(true).max_depth(MAX_DEPTH);
    for entry in entries.sort_by_file_name().into_iter().flatten() {
        let path = entry.path();
        if entry.file_type().is_file()
            && path.extension().is_some_and(|e| e == "xml")
            && let Some(stem) = path.file_stem()
        {
            let name = stem.to_string_lossy().to_lowercase();
            models.entry(name).or_default().push(path.to_owned());
        }
    }
    models
}

pub(crate) fn body_named<'a>(body: &'a Body, name: &str) -> Option<&'a Body> {
    if body.name.as_deref() == Some(name) {
        return Some(body);
    }
    body.bodies.iter().find_map(|inner| body_named(inner, name))
}

/// Names the parts as people do: the object itself by its class, a sliding part `drawer`, a turning
/// part `door`, or `knob` if it is small. The colour of all is the colour word in the class.
fn name_parts(pieces: &mut Pieces, class: &str) {
    let words = || class.split('_');
    // Porcelain is white unless the class names another colour.
    let porcelain = words().any(|word| word == "porcelain").then_some("white");
    let color = words().find_map(color_word).or(porcelain);
    let joints = pieces.joints.clone();
    let whole = pieces.objects.first().map(|o| o.shape.clone());
    for object in &mut pieces.objects {
        object.color = color.map(str::to_owned);
        let joint = joints.iter().find(|joint| joint.child == object.id);
        object.category = match (joint, &whole) {
            (None, _) | (_, None) => kind_of(class, &object.shape),
            (Some(joint), Some(whole)) => part_of(object, joint.kind, whole).to_owned(),
        };
        for zone in &mut object.zones {
            zone.name = place_name(&zone.name, class);
        }
        // A hollow object needs no zone for its inside: the object's own name means the inside.
        if object.shape.cavity().is_some() {
            object.zones.retain(|zone| zone.name != INSIDE);
        }
    }
}

/// Returns the noun for a class. A box, or an object of a single part, is named as a box: `cookies`
/// become `cookie_box`.
fn kind_of(class: &str, shape: &Shape) -> String {
    let is_box = match shape {
        Shape::Box { .. } => true,
        Shape::Compound { parts } => parts.len() == 1,
        _ => false,
    };
    if !is_box || class.ends_with("box") {
        return class.to_owned();
    }
    let one = match class.strip_suffix('s') {
        Some(one) if !one.ends_with('s') => one,
        _ => class,
    };
    format!("{one}_box")
}

fn part_of(part: &SceneObject, kind: JointKind, whole: &Shape) -> &'static str {
    let size = |shape: &Shape| {
        let size = shape.aabb(&Pose::identity()).size();
        size.max()
    };
    match kind {
        JointKind::Prismatic => "drawer",
        // A knob is small compared to its object.
        JointKind::Revolute if size(&part.shape) < 0.6 * size(whole) => "knob",
        JointKind::Revolute => "door",
    }
}

/// Sets the limits at which joints count as open or closed, on or off: slightly stricter than
/// LIBERO's, as a margin against noise.
fn set_limits(pieces: &mut Pieces, class: &str) {
    /// Margin of the open limit, as a fraction of the travel.
    const MORE: f64 = 0.02;
    for joint in &mut pieces.joints {
        let part = pieces.objects.iter().find(|o| o.id == joint.child);
        let is_knob = part.is_some_and(|part| part.category == "knob");
        let range = [joint.lower, joint.upper];
        let words = match is_knob {
            true => ["turnon", "turnoff"],
            false => ["open", "close"],
        };
        let [on, off] = words.map(|word| JointRule::of(class, word, range));
        let closed = match on.side {
            Side::Above => joint.lower,
            Side::Below => joint.upper,
        };
        if is_knob {
            joint.role = JointRole::Sets;
        }
        joint.closed_at = Some(closed);
        let travel = joint.upper - joint.lower;
        let from = (on.limit - closed).abs();
        joint.open_from = Some((from + MORE * travel).min(0.5 * (from + travel)));
        joint.closed_up_to = Some(0.5 * (off.limit - closed).abs());
    }
}

const INSIDE: &str = "inside";

/// Returns the everyday name of a site: `back_contain_region` is the back compartment, the
/// `top_region` of a shelf the top shelf, and a site without a location the inside.
fn place_name(site: &str, class: &str) -> String {
    let words: Vec<&str> = site.split('_').filter(|w| *w != "region").collect();
    let named = words.iter().map(|word| match *word {
        "contain" => "compartment",
        other => other,
    });
    let named: Vec<&str> = named.collect();
    match named.as_slice() {
        ["compartment" | "heating" | "inner"] | [] => INSIDE.to_owned(),
        [side @ ("top" | "middle" | "bottom")] if class.ends_with("shelf") => {
            format!("{side}_shelf")
        }
        _ => named.join("_"),
    }
}

#[cfg(test)]
mod tests {
    use regrasp_testkit::rows;

    use super::*;

    #[test]
    fn what_somebody_has_is_made_once_and_what_nobody_has_is_gone() {
        let shared = Shared(Mutex::default());
        let never = || Err(LiberoError("it was made again".to_owned()));
        let first = shared.of(Path::new("a"), || Ok(7));
        let again = shared.of(Path::new("a"), never);
        assert_eq!(again.as_deref().ok(), Some(&7));
        assert!(shared.of(Path::new("b"), never).is_err());
        drop((first, again));
        assert!(shared.of(Path::new("a"), never).is_err());
    }

    #[test]
    fn places_are_called_as_people_call_them() {
        for [site, class, name] in rows(
            "back_contain_region | desk_caddy  | back_compartment
             contain_region      | basket      | inside
             heating_region      | microwave   | inside
             cook_region         | flat_stove  | cook
             top_side            | white_shelf | top_side
             top_region          | white_shelf | top_shelf",
        ) {
            assert_eq!(place_name(&site, &class), name);
        }
    }
}
