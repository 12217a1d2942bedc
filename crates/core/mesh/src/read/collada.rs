//! COLLADA scenes as `mesh-loader` reads them rightly; others are refused.
//!
//! It scales by the file's unit before it applies a node's matrix instead of after, it
//! multiplies the matrices of nested nodes in the wrong order, and of a geometry that
//! the scene shows twice it keeps one. A mesh in the wrong place is worse than none.

use roxmltree::{Document, Node};

use crate::triangles::ReadError;

/// A COLLADA file as `mesh-loader` can be trusted with it.
pub(super) struct Prepared {
    /// The file with its unit set to one metre.
    pub(super) text: String,
    /// Metres in the unit the file is written in.
    pub(super) metres_per_unit: f64,
}

/// Takes the unit out of a COLLADA file, and refuses a scene that would be misread.
pub(super) fn prepare(text: &str) -> Result<Prepared, ReadError> {
    let document = Document::parse(text).map_err(|error| malformed(&error.to_string()))?;
    check_scene(&document)?;
    let unit = elements(&document, "unit").find_map(|unit| unit.attribute_node("meter"));
    let Some(unit) = unit else {
        return Ok(Prepared {
            text: text.to_owned(),
            metres_per_unit: 1.0,
        });
    };
    let metres_per_unit = unit.value().trim().parse::<f64>();
    let metres_per_unit = metres_per_unit.ok().filter(|m| m.is_finite() && *m > 0.0);
    let mut text = text.to_owned();
    text.replace_range(unit.range_value(), "1");
    Ok(Prepared {
        text,
        metres_per_unit: metres_per_unit.ok_or_else(|| malformed("its unit is not a length"))?,
    })
}

fn check_scene(document: &Document<'_>) -> Result<(), ReadError> {
    let mut shown = Vec::new();
    for instance in elements(document, "instance_geometry") {
        let n_transforms = instance.ancestors().filter(is_transformed).count();
        if n_transforms > 1 {
            return Err(refused("nested nodes with transforms are not supported"));
        }
        let url = instance.attribute("url");
        if shown.contains(&url) {
            return Err(refused("a geometry shown more than once is not supported"));
        }
        shown.push(url);
    }
    Ok(())
}

/// Whether a node moves what it holds. A matrix of one is what exporters write for
/// "not at all".
fn is_transformed(node: &Node<'_, '_>) -> bool {
    let is_transform = |child: &Node<'_, '_>| match child.tag_name().name() {
        "matrix" => !is_identity(child.text().unwrap_or_default()),
        "translate" | "rotate" | "scale" | "skew" | "lookat" => true,
        _ => false,
    };
    node.tag_name().name() == "node" && node.children().any(|child| is_transform(&child))
}

fn is_identity(matrix: &str) -> bool {
    let numbers = matrix
        .split_whitespace()
        .map(|word| word.parse::<f64>().ok());
    let identity = (0..16).map(|i| Some(if i % 5 == 0 { 1.0 } else { 0.0 }));
    numbers.eq(identity)
}

fn elements<'a, 'b>(
    document: &'a Document<'b>,
    name: &'a str,
) -> impl Iterator<Item = Node<'a, 'b>> {
    document
        .descendants()
        .filter(move |node| node.tag_name().name() == name)
}

fn refused(why: &str) -> ReadError {
    ReadError::Refused(why.to_owned())
}

fn malformed(why: &str) -> ReadError {
    ReadError::Refused(format!("the file is malformed: {why}"))
}
