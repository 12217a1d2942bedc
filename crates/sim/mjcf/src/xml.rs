//! Reads files into elements with their lines, and resolves `<include>`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use regrasp_mesh::{check_xml_depth, file_bytes, xml_document, xml_text};
use roxmltree::{Document, Node, NodeType};

use crate::{Result, SceneError, SourceLine};

#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub(crate) tag: String,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) children: Vec<Element>,
    pub(crate) place: SourceLine,
}

#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) place: SourceLine,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.name == name)
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.attribute(name).map(|a| a.value.as_str())
    }

    pub(crate) fn children(&self, tag: &str) -> impl Iterator<Item = &Element> {
        self.children.iter().filter(move |child| child.tag == tag)
    }
}

/// Reads a model file with its included files, and returns its `<mujoco>`.
pub(crate) fn load(path: &Path) -> Result<Element> {
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let mut loader = Loader {
        folder,
        open: vec![],
        depth: 0,
    };
    loader.file(path, None)
}

/// Returns true for a file that is only meant to be included: its root is `<mujocoinclude>`.
pub fn is_included(path: &Path) -> bool {
    let text = xml_text(&file_bytes(path).unwrap_or_default());
    let document = xml_document(&text);
    document.is_ok_and(|d| d.root_element().tag_name().name() == "mujocoinclude")
}

struct Loader {
    /// Folder of the model, to which paths of included files are relative.
    folder: PathBuf,
    /// Files being read, the outermost first.
    open: Vec<PathBuf>,
    /// Number of elements around the one being read, those around an `<include>` included.
    depth: usize,
}

impl Loader {
    fn file(&mut self, path: &Path, included: Option<&SourceLine>) -> Result<Element> {
        let name = path.display().to_string();
        let unreadable = |message: String| match included {
            Some(place) => place.error(format!(
                "the included file `{name}` cannot be read: {message}"
            )),
            None => SceneError::Unreadable {
                file: name.clone(),
                message,
            },
        };
        let bytes = file_bytes(path).map_err(|error| unreadable(error.to_string()))?;
        let real = path.canonicalize();
        let real = real.map_err(|error| unreadable(error.to_string()))?;
        if let Some(place) = included
            && self.open.contains(&real)
        {
            return Err(place.error(format!(
                "`{name}` includes itself, directly or through another file"
            )));
        }
        let text = xml_text(&bytes);
        let file: Arc<str> = name.as_str().into();
        let document = xml_document(&text).map_err(|(line, why)| {
            let file = Arc::clone(&file);
            SourceLine { file, line }.error(why)
        })?;
        self.open.push(real);
        let root = self.element(document.root_element(), &document, &file)?;
        self.open.pop();
        let known = match included {
            None => &["mujoco"][..],
            Some(_) => &["mujoco", "mujocoinclude"][..],
        };
        if !known.contains(&root.tag.as_str()) {
            let known = known.join("> or <");
            return Err(root
                .place
                .error(format!("the root is <{}>, but must be <{known}>", root.tag)));
        }
        Ok(root)
    }

    fn element(
        &mut self,
        node: Node<'_, '_>,
        document: &Document<'_>,
        file: &Arc<str>,
    ) -> Result<Element> {
        let place = |at: usize| SourceLine {
            file: Arc::clone(file),
            line: document.text_pos_at(at).row,
        };
        let attribute = |attribute: roxmltree::Attribute<'_, '_>| Attribute {
            name: attribute.name().to_owned(),
            value: attribute.value().to_owned(),
            place: place(attribute.range().start),
        };
        let mut element = Element {
            tag: node.tag_name().name().to_owned(),
            attributes: node.attributes().map(attribute).collect(),
            children: vec![],
            place: place(node.range().start),
        };
        check_xml_depth(self.depth).map_err(|why| element.place.error(why))?;
        self.depth += 1;
        for child in node.children() {
            // Text between elements is ignored.
            if child.node_type() != NodeType::Element {
                continue;
            }
            let inner = self.element(child, document, file)?;
            if inner.tag != "include" {
                element.children.push(inner);
                continue;
            }
            let Some(attribute) = inner.attribute("file") else {
                return Err(inner.place.error("<include> lacks the attribute `file`"));
            };
            let path = self.folder.join(&attribute.value);
            let included = self.file(&path, Some(&inner.place))?;
            element.children.extend(included.children);
        }
        self.depth -= 1;
        Ok(element)
    }
}
