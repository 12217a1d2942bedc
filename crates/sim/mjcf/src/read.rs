//! Reads a model file into a [`Model`].

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::assets::{Assets, Reader};
use crate::compiler::Compiler;
use crate::couplings::{couplings, hold};
use crate::defaults::Defaults;
use crate::ledger::{Fate, Ledger};
use crate::model::{Body, Coupling, Model};
use crate::vocabulary::{element, note_attributes};
use crate::{Result, SceneError, SourceLine, xml};

/// Reads a model with all the files that it refers to.
///
/// # Errors
///
/// [`SceneError`] with file and line: invalid XML, files that are missing, broken or include
/// themselves, unknown names, invalid numbers and words.
pub fn read(path: impl AsRef<Path>) -> Result<Model, SceneError> {
    read_inside(path.as_ref(), &[])
}

/// Reads a model that the models in `around` attach.
pub(crate) fn read_inside(path: &Path, around: &[PathBuf]) -> Result<Model> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let root = xml::load(path)?;
    let mut ledger = Ledger::default();
    note_attributes(&mut ledger, &root);
    let defaults = Defaults::read(&root)?;
    for default in defaults.places(&root) {
        ledger.read("default", &default.place);
        note_attributes(&mut ledger, default);
    }
    let compiler = Compiler::read(&root, &defaults, &mut ledger)?;
    let assets = Assets::read(&root, folder, &compiler, &defaults, &mut ledger)?;
    let open = around.iter().cloned();
    let mut reader = Reader {
        compiler: &compiler,
        defaults: &defaults,
        assets: &assets,
        ledger: &mut ledger,
        open: open
            .chain([path.canonicalize().unwrap_or_default()])
            .collect(),
        copied: vec![],
        n_copies: 0,
        attached: vec![],
    };
    let mut world = reader.world(&root)?;
    check_names(&world)?;
    let (copied, attached) = (reader.copied, reader.attached);
    let mut couplings = couplings(&root, &copied);
    check_parts(&world, &couplings, &copied)?;
    couplings.retain(|coupling| !hold(&mut world, coupling, &mut ledger));
    couplings.extend(attached);
    for child in &root.children {
        let (fate, why) = element("mujoco", &child.tag);
        // An empty section has no effect.
        let is_empty = fate == Fate::Unsupported && child.children.is_empty();
        if fate != Fate::Read && !is_empty {
            ledger.note(fate, &child.tag, why, &child.place);
        }
    }
    Ok(Model {
        path: path.to_owned(),
        name: root.text("model").unwrap_or_default().to_owned(),
        world,
        inertia_groups: compiler.inertia_groups,
        inertia_from: compiler.inertia_from,
        couplings,
        ledger,
    })
}

/// Returns the files that reading a model opens, each once: the model itself, included and attached
/// models, meshes and images. It does not open meshes and images, so it takes a fraction of the
/// time of [`read`].
///
/// # Errors
///
/// [`SceneError`] with file and line: invalid XML, missing models, recursive includes.
pub fn files(path: impl AsRef<Path>) -> Result<BTreeSet<PathBuf>, SceneError> {
    let mut found = BTreeSet::new();
    add_files(path.as_ref(), &mut found)?;
    Ok(found)
}

fn add_files(path: &Path, found: &mut BTreeSet<PathBuf>) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let root = xml::load(path)?;
    let defaults = Defaults::read(&root)?;
    let compiler = Compiler::read(&root, &defaults, &mut Ledger::default())?;
    found.insert(path.to_owned());
    let mut left = vec![&root];
    while let Some(element) = left.pop() {
        left.extend(&element.children);
        // An element knows its own file, which may be an included one.
        found.insert(PathBuf::from(&*element.place.file));
        let Some(file) = element.attribute("file").map(|file| &*file.value) else {
            continue;
        };
        match element.tag.as_str() {
            "model" => {
                let other = folder.join(file);
                if !found.contains(&other) {
                    add_files(&other, found)?;
                }
            }
            "mesh" => drop(found.insert(compiler.mesh_path(folder, file))),
            "texture" => drop(found.insert(compiler.texture_path(folder, file))),
            _ => {}
        }
    }
    Ok(())
}

/// Rejects actuators, tendons and constraints on parts that do not exist. Parts of a `<replicate>`
/// may be referred to by the names that they had before copying.
fn check_parts(world: &Body, couplings: &[Coupling], copied: &[(String, String)]) -> Result<()> {
    let mut known: [HashSet<&str>; 3] = Default::default();
    for body in world.all() {
        known[0].extend(body.joints.iter().filter_map(|joint| joint.name.as_deref()));
        known[1].extend(body.sites.iter().filter_map(|site| site.name.as_deref()));
        known[2].extend(body.name.as_deref());
    }
    known[2].insert("world");
    let was_copied = |name: &String| copied.iter().any(|(old, _)| old == name);
    for coupling in couplings {
        for ((names, known), kind) in coupling
            .parts
            .iter()
            .zip(&known)
            .zip(["joint", "site", "body"])
        {
            let is_unknown = |name: &&String| !known.contains(name.as_str()) && !was_copied(name);
            if let Some(name) = names.iter().find(is_unknown) {
                let message = format!("{}: there is no {kind} `{name}`", coupling.what);
                return Err(coupling.place.error(message));
            }
        }
    }
    Ok(())
}

fn check_names(world: &Body) -> Result<()> {
    let mut places: HashMap<&str, &SourceLine> = HashMap::new();
    for body in world.all() {
        let Some(name) = &body.name else { continue };
        if let Some(first) = places.insert(name, &body.place) {
            let line = first.line;
            let message = format!("the body `{name}` already exists in line {line}");
            return Err(body.place.error(message));
        }
    }
    Ok(())
}
