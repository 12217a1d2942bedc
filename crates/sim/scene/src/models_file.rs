//! Models files: objects that may be in a scene, for a perception that recognises them.

use std::path::Path;

use crate::defs::{SceneDef, Stand};
use crate::fields::{Field, Fields, Located};
use crate::formats::keys;
use crate::source::Source;
use crate::yaml::{self, Entry, Value};
use crate::{Assembly, Problem, Result, Scene, SceneError, object};

/// Word for all objects of a scene.
const ALL: &str = "all";
/// Keys for the place of an object, which a model ignores.
const PLACE: [&str; 6] = ["position", "on", "xy", "zone", "yaw_rad", "quat_xyzw"];

/// Content of a models file. It names scenes and classes that other crates read.
#[derive(Clone, Debug)]
pub struct ModelsFile {
    file: String,
    /// Objects that the file itself defines.
    pub assemblies: Vec<Assembly>,
    /// Names of scenes, each with the ids of its objects; an empty list means all.
    pub scenes: Vec<(ModelName, Vec<ModelName>)>,
    /// Classes of LIBERO; true for a fixture, which cannot be moved.
    pub classes: Vec<(ModelName, bool)>,
}

/// Name in a models file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelName {
    /// The name as written.
    pub word: String,
    line: usize,
}

impl From<Located<String>> for ModelName {
    fn from(Located { line, value: word }: Located<String>) -> Self {
        Self { word, line }
    }
}

impl ModelsFile {
    /// Returns the error for an unknown name, with the nearest known one.
    pub fn unknown<'a>(
        &self,
        what: &str,
        name: &ModelName,
        known: impl IntoIterator<Item = &'a str>,
    ) -> SceneError {
        Problem::unknown_word(what, &name.word, known).at(&self.file, name.line)
    }

    /// Returns the error for a name whose model cannot be read.
    pub fn refused(&self, name: &ModelName, why: impl ToString) -> SceneError {
        Problem::from(why.to_string()).at(&self.file, name.line)
    }
}

/// Reads a models file.
///
/// # Errors
///
/// [`SceneError`] with file and line: the mistakes of scene files, and names given twice.
pub fn load_models(path: impl AsRef<Path>) -> Result<ModelsFile, SceneError> {
    let source = Source::file(path.as_ref());
    let file = source.name();
    let root = yaml::parse(&file, &source.read()?)?;
    let models = Fields::new(&file, &root, "the models", keys("models"))?;
    let assemblies = models.each("objects", |item| assembly(&item, &source))?;
    let names: Vec<_> = assemblies.iter().map(Assembly::name).collect();
    if let Some(name) = (1..names.len()).find(|i| names[..*i].contains(&names[*i])) {
        let name = names[name];
        let problem = format!("two objects are called `{name}`; names must be unique");
        return Err(Problem::from(problem).at(&file, root.line));
    }
    let mut classes = vec![];
    if let Some(libero) = models.get("libero") {
        let of = libero.fields(keys("classes"))?;
        for (key, is_fixture) in [("objects", false), ("fixtures", true)] {
            let words = of.maybe(key, |field| field.words())?.unwrap_or_default();
            classes.extend(words.into_iter().map(|word| (word.into(), is_fixture)));
        }
    }
    let scenes = models.maybe("scenes", |field| scenes(&field, path.as_ref()))?;
    Ok(ModelsFile {
        scenes: scenes.unwrap_or_default(),
        file,
        assemblies,
        classes,
    })
}

/// Reads the names of scenes with the ids of objects. Paths of scene files are relative to the
/// models file.
fn scenes(field: &Field<'_>, path: &Path) -> Result<Vec<(ModelName, Vec<ModelName>)>> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let scene = |field: Field<'_>| {
        let mut ids: Vec<ModelName> = field.words()?.into_iter().map(Into::into).collect();
        ids.retain(|id| id.word != ALL);
        let is_file = [".yaml", ".yml"].iter().any(|end| field.key.ends_with(end));
        let word = match is_file {
            true => folder.join(field.key).display().to_string(),
            false => field.key.to_owned(),
        };
        let line = field.node.line;
        Ok((ModelName { word, line }, ids))
    };
    field.entries()?.map(scene).collect()
}

fn assembly(item: &Field<'_>, source: &Source) -> Result<Assembly> {
    let mut node = item.node.clone();
    if let Value::Map(entries) = &mut node.value {
        let is_kind = |e: &Entry, kind: &str| {
            e.key == "kind" && matches!(&e.node.value, Value::Text(text) if text == kind)
        };
        for support in ["table", "beads"] {
            if let Some(kind) = entries.iter().find(|e| is_kind(e, support)) {
                let why = "it is perceived without a model; leave it out".to_owned();
                return Err(Problem::from(format!("`{support}`: {why}")).at(item.file, kind.line));
            }
        }
        entries.retain(|e| !PLACE.contains(&e.key.as_str()));
        // Every object of a scene file needs a position.
        if let Value::Map(origin) = yaml::parse(item.file, "position: [0, 0, 0]")?.value {
            entries.extend(origin);
        }
    }
    let parsed = object::parse(item.file, &node, source)?;
    let n = parsed.objects.len();
    let def = SceneDef {
        file: item.file.to_owned(),
        stand: Stand::default(),
        objects: parsed.objects,
        rest: Scene {
            joints: parsed.joints,
            ports: parsed.ports,
            ..Scene::default()
        },
    };
    let scene = crate::layout::lay_out(&def, &vec![Default::default(); n])?;
    let first = scene.assemblies().into_iter().next();
    first.ok_or_else(|| {
        item.error(
            "it is a fixed table or floor, perceived without a model; leave it out".to_owned(),
        )
    })
}

#[cfg(test)]
mod tests {
    use regrasp_api::Pose;

    use super::*;

    fn load(text: &str) -> Result<ModelsFile, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("models.yaml");
        std::fs::write(&path, text).expect("it can be written");
        load_models(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn things_need_no_place_and_names_keep_their_lines() {
        let file = load(
            "objects:
- {id: can, kind: cylinder, radius: 0.03, height: 0.1, color: red, mass_kg: 0.3}
- {id: box, kind: drawer, size: [0.2, 0.3, 0.1], travel: 0.1, mass_kg: 1, position: [1, 2, 3]}
scenes:
  tabletop: [red_cube]
  shelf: all
libero: {objects: [milk], fixtures: [flat_stove]}
",
        );
        let file = file.expect("the file must be valid");
        let names: Vec<_> = file.assemblies.iter().map(|t| t.name().as_str()).collect();
        assert_eq!(names, ["can", "box_cabinet"]);
        assert!(file.assemblies[0].objects[0].is_movable());
        let base = &file.assemblies[1].objects[0];
        assert_eq!(base.world_from_object, Pose::identity());
        let scenes = file.scenes.iter();
        let scenes = scenes.map(|(s, ids)| (s.word.as_str(), ids.len()));
        assert_eq!(scenes.collect::<Vec<_>>(), [("tabletop", 1), ("shelf", 0)]);
        let classes = file.classes.iter();
        let classes = classes.map(|(c, fixed)| (c.word.as_str(), *fixed));
        let classes: Vec<_> = classes.collect();
        assert_eq!(classes, [("milk", false), ("flat_stove", true)]);
        let error = file.unknown("class", &file.classes[0].0, ["milk_box"]);
        assert!(error.to_string().contains(":7"), "{error}");
    }

    #[test]
    fn mistakes_have_lines() {
        for (text, words) in [
            ("things: []", ["things", "objects"]),
            ("objects:\n- {id: a, kind: bix}", [":2", "box"]),
            (
                "objects:\n- {id: t, kind: table, size: [1, 1], top_z: 0}",
                [":2", "without a model"],
            ),
            ("libero: {classes: [milk]}", ["classes", "fixtures"]),
        ] {
            let error = load(text).expect_err(text);
            for word in words {
                assert!(error.contains(word), "{text}: {error}");
            }
        }
    }
}
