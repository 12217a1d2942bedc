//! `<asset>`: meshes, images and materials, read from their files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nalgebra::{Quaternion, UnitQuaternion};
use regrasp_api::Pose;
use regrasp_mesh::{Mesh, Surface, Up, hull_mesh, read_surface};
use regrasp_scene::{Texture, read_texture};

use crate::compiler::Compiler;
use crate::defaults::Defaults;
use crate::ledger::{Fate, Ledger};
use crate::model::{Coupling, Material, MeshAsset, MeshInertia, TextureAsset};
use crate::values::Values;
use crate::vocabulary::{self, note};
use crate::xml::Element;
use crate::{Result, SourceLine};

#[derive(Debug, Default)]
pub(crate) struct Assets {
    pub(crate) meshes: HashMap<String, Arc<MeshAsset>>,
    textures: HashMap<String, Option<Arc<TextureAsset>>>,
    materials: HashMap<String, Arc<Material>>,
    pub(crate) models: HashMap<String, PathBuf>,
}

struct AssetReader<'a> {
    folder: &'a Path,
    compiler: &'a Compiler,
    defaults: &'a Defaults,
    ledger: &'a mut Ledger,
    assets: Assets,
}

impl Assets {
    pub(crate) fn read(
        model: &Element,
        folder: &Path,
        compiler: &Compiler,
        defaults: &Defaults,
        ledger: &mut Ledger,
    ) -> Result<Self> {
        let mut reader = AssetReader {
            folder,
            compiler,
            defaults,
            ledger,
            assets: Self::default(),
        };
        let all = || model.children("asset").flat_map(|asset| &asset.children);
        // A material may refer to a texture that comes after it.
        for element in all().filter(|e| e.tag != "material") {
            match element.tag.as_str() {
                "mesh" => reader.mesh(element)?,
                "texture" => reader.texture(element)?,
                "model" => {
                    let values = Values::new(element, defaults, None)?;
                    let file = values.text("file").ok_or_else(|| values.lacks("file"))?;
                    let path = folder.join(file);
                    let name = name(&values, Some(&path))?;
                    reader.assets.models.insert(name, path);
                    note(reader.ledger, element);
                }
                tag => {
                    let (fate, why) = vocabulary::element("asset", tag);
                    reader.ledger.note(fate, tag, why, &element.place);
                }
            }
        }
        for element in all().filter(|e| e.tag == "material") {
            reader.material(element)?;
        }
        Ok(reader.assets)
    }

    pub(crate) fn material_of(&self, values: &Values<'_>) -> Result<Option<Arc<Material>>> {
        let named = values.get("material");
        let found = named.map(|a| find(&self.materials, &a.value, "material", &a.place));
        Ok(found.transpose()?.cloned())
    }
}

impl AssetReader<'_> {
    fn mesh(&mut self, element: &Element) -> Result<()> {
        let values = Values::new(element, self.defaults, None)?;
        let file = values.text("file");
        let file = file.map(|file| self.compiler.mesh_path(self.folder, file));
        let name = name(&values, file.as_deref())?;
        if is_again(&self.assets.meshes, &name, element, self.ledger) {
            return Ok(());
        }
        let scale = values.array::<3>("scale")?.unwrap_or([1.0; 3]);
        if scale.contains(&0.0) {
            return Err(values.wrong("scale", "three numbers that are not 0"));
        }
        let position = values.array::<3>("refpos")?.unwrap_or_default();
        let [w, x, y, z] = values.array("refquat")?.unwrap_or([1.0, 0.0, 0.0, 0.0]);
        let turn = UnitQuaternion::try_new(Quaternion::new(w, x, y, z), 1e-9);
        let file_from_mesh = Pose::from_parts(position.into(), turn.unwrap_or_default());
        let surface = match &file {
            None => in_the_model(&values)?,
            Some(path) => {
                let read = |path: &Path| read_surface(path, Some(Up::Z));
                read_file(&values, "mesh file", path, read)?
            }
        };
        // As in MuJoCo, the scale acts along the axes of the rotated mesh.
        let surface = surface.moved(&file_from_mesh.inverse()).scaled(scale);
        let inertia = match values.text("inertia") {
            None => self.compiler.mesh_inertia,
            Some("legacy") => MeshInertia::Legacy,
            Some("exact") => MeshInertia::Exact,
            Some("convex") => MeshInertia::Convex,
            Some("shell") => MeshInertia::Shell,
            Some(_) => {
                return Err(values.wrong("inertia", "`legacy`, `exact`, `convex` or `shell`"));
            }
        };
        note(self.ledger, element);
        let asset = MeshAsset {
            inertia,
            name: name.clone(),
            file: file.filter(|_| file_from_mesh == Pose::identity()),
            scale,
            surface: Arc::new(surface),
        };
        self.assets.meshes.insert(name, Arc::new(asset));
        Ok(())
    }

    fn texture(&mut self, element: &Element) -> Result<()> {
        let values = Values::new(element, self.defaults, None)?;
        let kind = values.text("type").unwrap_or("cube");
        let path = values.text("file");
        let path = path.map(|file| self.compiler.texture_path(self.folder, file));
        let name = name(&values, path.as_deref());
        if kind == "skybox" {
            let why = "rendered images have their own sky";
            self.ledger
                .note(Fate::Ignored, "texture of the sky", why, values.place());
            self.assets
                .textures
                .extend(name.ok().map(|name| (name, None)));
            return Ok(());
        }
        if !["2d", "cube"].contains(&kind) {
            return Err(values.wrong("type", "`2d`, `cube` or `skybox`"));
        }
        let name = name?;
        if is_again(&self.assets.textures, &name, element, self.ledger) {
            return Ok(());
        }
        let image = match &path {
            Some(path) => Some(read_file(&values, "image", path, read_texture)?),
            None => built_in(&values, self.ledger)?,
        };
        note(self.ledger, element);
        let asset = image.map(|image| TextureAsset {
            name: name.clone(),
            file: path,
            is_cube: kind == "cube",
            image: Arc::new(image),
        });
        self.assets.textures.insert(name, asset.map(Arc::new));
        Ok(())
    }

    fn material(&mut self, element: &Element) -> Result<()> {
        let values = Values::new(element, self.defaults, None)?;
        let name = name(&values, None)?;
        if is_again(&self.assets.materials, &name, element, self.ledger) {
            return Ok(());
        }
        let texture = values.get("texture");
        let texture = texture.map(|a| find(&self.assets.textures, &a.value, "texture", &a.place));
        let texture = texture.transpose()?.cloned().flatten();
        let material = Material {
            name: name.clone(),
            rgba: values.rgba("rgba")?.unwrap_or([1.0; 4]),
            specular: values.amount("specular", 0.5)?.min(1.0),
            texture,
            repeat: values.array("texrepeat")?.unwrap_or([1.0; 2]),
            uniform: values.flag("texuniform")?.unwrap_or(false),
        };
        note(self.ledger, element);
        self.assets.materials.insert(name, Arc::new(material));
        Ok(())
    }
}

/// Returns true if the name is already in use; the first element with it is kept.
fn is_again<T>(
    known: &HashMap<String, T>,
    name: &str,
    element: &Element,
    ledger: &mut Ledger,
) -> bool {
    let is_again = known.contains_key(name);
    if is_again {
        let what = format!("{} with a name that is already used", element.tag);
        let why = "only the first one with that name is used";
        ledger.note(Fate::Ignored, &what, why, &element.place);
    }
    is_again
}

pub(crate) fn find<'a, T>(
    known: &'a HashMap<String, T>,
    name: &str,
    what: &str,
    place: &SourceLine,
) -> Result<&'a T> {
    known.get(name).ok_or_else(|| {
        let mut names: Vec<&str> = known.keys().map(String::as_str).collect();
        names.sort_unstable();
        let names = match names.as_slice() {
            [] => "the model has none".to_owned(),
            names => format!("known: {}", names.join(", ")),
        };
        place.error(format!("there is no {what} `{name}` ({names})"))
    })
}

fn read_file<T, E: std::fmt::Display>(
    values: &Values<'_>,
    what: &str,
    path: &Path,
    read: impl Fn(&Path) -> Result<T, E>,
) -> Result<T> {
    read(path).map_err(|why| {
        let path = path.display();
        let message = format!("the {what} `{path}` cannot be used: {why}");
        values.place().error(message)
    })
}

/// Returns the name of an element, which defaults to that of its file.
fn name(values: &Values<'_>, file: Option<&Path>) -> Result<String> {
    let stem = |file: &Path| {
        let stem = file.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    };
    let name = values.name().or_else(|| file.map(stem));
    name.ok_or_else(|| values.lacks("name"))
}

/// Reads the triangles given in an element; without triangles, the hull of its vertices.
fn in_the_model(values: &Values<'_>) -> Result<Surface> {
    /// Largest length of a list.
    const MOST: usize = 3_000_000;
    if values.get("vertex").is_none() && values.get("builtin").is_some() {
        let allowed = "left out; export the mesh to a file and name it in `file`";
        return Err(values.wrong("builtin", allowed));
    }
    let corners = values.numbers("vertex", [12, MOST])?;
    let corners = corners.ok_or_else(|| values.lacks("file"))?;
    let (points, rest) = corners.as_chunks::<3>();
    if !rest.is_empty() {
        return Err(values.wrong("vertex", "three numbers for each corner"));
    }
    let Some(faces) = values.numbers("face", [3, MOST])? else {
        return Ok(hull_mesh(points).into());
    };
    let (triangles, rest) = faces.as_chunks::<3>();
    let is_corner = |i: &f64| (0.0..points.len() as f64).contains(i) && i.fract() == 0.0;
    if !rest.is_empty() || !faces.iter().all(is_corner) {
        return Err(values.wrong("face", "three corners for each triangle, counted from 0"));
    }
    let triangles = triangles.iter().map(|t| t.map(|i| i as u32)).collect();
    Ok(Mesh::new(points.to_vec(), triangles).into())
}

/// Makes a computed image; `None` if its kind is not supported.
fn built_in(values: &Values<'_>, ledger: &mut Ledger) -> Result<Option<Texture>> {
    let colour = |name: &str, default: f64| -> Result<[u8; 3]> {
        let rgb = values.array::<3>(name)?.unwrap_or([default; 3]);
        Ok(rgb.map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8))
    };
    let mut unsupported = |what, why| ledger.note(Fate::Unsupported, what, why, values.place());
    let (first, second) = (colour("rgb1", 0.8)?, colour("rgb2", 0.5)?);
    let pixels: &[[u8; 3]] = match values.text("builtin").unwrap_or("none") {
        "flat" => &[first],
        "checker" => &[first, second, second, first],
        "gradient" => {
            let why = "it is drawn in the mean of its two colours";
            unsupported("texture builtin=\"gradient\"", why);
            &[[0, 1, 2].map(|i| first[i].midpoint(second[i]))]
        }
        _ => {
            let why = "it has neither a `file` nor a known `builtin`";
            unsupported("texture without an image", why);
            return Ok(None);
        }
    };
    let image = Texture::of_pixels(if pixels.len() == 1 { 1 } else { 2 }, pixels);
    let image = image.map_err(|message| values.place().error(message));
    image.map(Some)
}

pub(crate) struct Reader<'a> {
    pub(crate) compiler: &'a Compiler,
    pub(crate) defaults: &'a Defaults,
    pub(crate) assets: &'a Assets,
    pub(crate) ledger: &'a mut Ledger,
    /// Models being read, the outermost first.
    pub(crate) open: Vec<PathBuf>,
    /// Old and new names of copied elements, inner copies first.
    pub(crate) copied: Vec<(String, String)>,
    pub(crate) n_copies: usize,
    /// Couplings of attached models.
    pub(crate) attached: Vec<Coupling>,
}
