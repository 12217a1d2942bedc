//! glTF 2.0, as text or binary: the triangles of its scene, with the nodes' transforms.

use std::path::{Component, Path};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gltf::accessor::{DataType, Item, Iter};
use gltf::mesh::{Mode, Semantic};
use gltf::{Document, Gltf, buffer};
use nalgebra::{Matrix4, Point3};
use percent_encoding::percent_decode_str;

use super::bytes;
use crate::triangles::{MAX_TRIANGLES, Mesh, ReadError, Result, Up, malformed};

/// Beginning of a binary file.
const MAGIC: &[u8] = b"glTF";

/// Reads the default scene or else the first one, or everything if the file has no scene.
pub(super) fn read(bytes: &[u8], path: &Path) -> Result<Mesh> {
    let text = (!bytes.starts_with(MAGIC)).then(|| bytes::text(bytes));
    let whole = text.as_ref().map_or(bytes, |text| text.as_bytes());
    let Gltf { document, mut blob } = Gltf::from_slice_without_validation(whole).map_err(flawed)?;
    let mut json = document.into_json();
    json.extensions_required.retain(|name| !is_read(name));
    if let Some(name) = json.extensions_required.first() {
        let kind = match name.contains("compression") {
            true => "compression",
            false => "this extension",
        };
        let what = format!("it requires the extension `{name}`, which is not supported");
        return Err(format!("{what}; export it without {kind}").into());
    }
    // The validation requires bounds of positions, which some files omit and nothing here uses.
    for accessor in &mut json.accessors {
        for bound in [&mut accessor.min, &mut accessor.max] {
            bound.get_or_insert_with(|| vec![0.0; 3].into());
        }
    }
    let document = Document::from_json(json).map_err(flawed)?;
    let buffers = document.buffers();
    let buffers = buffers.map(|buffer| buffer_bytes(&buffer, &mut blob, path));
    let buffers: Vec<Vec<u8>> = buffers.collect::<Result<_, _>>()?;
    check_lengths(&document)?;
    let mut mesh = Mesh {
        up: Up::Y,
        ..Mesh::default()
    };
    let mut is_visited = vec![false; document.nodes().len()];
    let roots = roots(&document).into_iter();
    let mut left: Vec<_> = roots.map(|node| (node, Matrix4::identity())).collect();
    while let Some((node, file_from_parent)) = left.pop() {
        if std::mem::replace(&mut is_visited[node.index()], true) {
            let why = "has two parents, or contains itself in a circle";
            return Err(malformed(format_args!("`nodes[{}]` {why}", node.index())));
        }
        let file_from_node = file_from_parent * matrix(&node);
        if let Some(part) = node.mesh() {
            add(&mut mesh, &part, &buffers, &file_from_node)?;
        }
        left.extend(node.children().map(|child| (child, file_from_node)));
    }
    Ok(mesh)
}

/// Checks that every accessor has all its bytes: the library silently reads fewer.
fn check_lengths(document: &Document) -> Result<()> {
    let views = document.views().map(|view| {
        let end = view.offset().checked_add(view.length());
        let name = format!("bufferViews[{}]", view.index());
        (name, end, view.buffer().length())
    });
    let accessors = document.accessors().filter_map(|accessor| {
        let view = accessor.view()?;
        let stride = view.stride().unwrap_or(accessor.size());
        let before_last = accessor.count().saturating_sub(1).checked_mul(stride);
        let end = before_last.and_then(|n| n.checked_add(accessor.offset() + accessor.size()));
        let name = format!("accessors[{}]", accessor.index());
        Some((name, end, view.length()))
    });
    match views
        .chain(accessors)
        .find(|(_, end, all)| end.is_none_or(|end| end > *all))
    {
        None => Ok(()),
        Some((name, ..)) => {
            let why = format_args!("`{name}` needs more bytes than there are");
            Err(malformed(why))
        }
    }
}

/// Describes a mistake in a file in the format's own terms.
fn flawed(error: gltf::Error) -> ReadError {
    use gltf::json::validation::Error as Flaw;
    let why = match error {
        gltf::Error::Deserialize(error) if error.is_eof() => "it ends too early".to_owned(),
        gltf::Error::Deserialize(error) => {
            let (line, column) = (error.line(), error.column());
            format!("line {line}, column {column} is not valid glTF 2.0")
        }
        gltf::Error::Binary(_) | gltf::Error::Io(_) => {
            "the lengths in its header do not match the file".to_owned()
        }
        gltf::Error::Validation(flaws) => {
            let message = flaws.first().map(|(path, flaw)| {
                let why = match flaw {
                    Flaw::IndexOutOfBounds => "refers to something that does not exist",
                    Flaw::Missing => "is missing",
                    _ => "has a value that is not allowed",
                };
                format!("`{}` {why}", path.as_str())
            });
            message.unwrap_or_default()
        }
    };
    malformed(why)
}

/// Returns true for an extension that this reader supports (quantized vertices) or may ignore,
/// since it only affects materials, their images or lights.
fn is_read(extension: &str) -> bool {
    const NOT_SHAPE: [&str; 3] = ["KHR_materials_", "KHR_lights_", "EXT_texture_"];
    extension == "KHR_mesh_quantization" || NOT_SHAPE.iter().any(|own| extension.starts_with(own))
}

/// Root nodes of the scene; without a scene, all nodes without a parent.
fn roots(document: &gltf::Document) -> Vec<gltf::Node<'_>> {
    let scene = document.default_scene();
    if let Some(scene) = scene.or_else(|| document.scenes().next()) {
        return scene.nodes().collect();
    }
    let mut is_child = vec![false; document.nodes().len()];
    for child in document.nodes().flat_map(|node| node.children()) {
        is_child[child.index()] = true;
    }
    let nodes = document.nodes();
    nodes.filter(|node| !is_child[node.index()]).collect()
}

fn matrix(node: &gltf::Node<'_>) -> Matrix4<f64> {
    let columns = node.transform().matrix();
    Matrix4::from_fn(|row, column| f64::from(columns[column][row]))
}

fn add(
    mesh: &mut Mesh,
    part: &gltf::Mesh<'_>,
    buffers: &[Vec<u8>],
    file_from_part: &Matrix4<f64>,
) -> Result<()> {
    // Mirrored parts would be inside out: the format requires their faces to be flipped.
    let is_mirrored = file_from_part.fixed_view::<3, 3>(0, 0).determinant() < 0.0;
    for primitive in part.primitives() {
        // Points and lines enclose nothing.
        let is_of = |kinds: &[Mode]| kinds.contains(&primitive.mode());
        if is_of(&[Mode::Points, Mode::Lines, Mode::LineLoop, Mode::LineStrip]) {
            continue;
        }
        let counts = primitive.attributes().map(|(_, accessor)| accessor.count());
        let counts = counts.chain(primitive.indices().map(|indices| indices.count()));
        if counts.max().unwrap_or(0) > 3 * MAX_TRIANGLES {
            return Err(ReadError::TooManyTriangles);
        }
        let reader = primitive.reader(|buffer| buffers.get(buffer.index()).map(Vec::as_slice));
        let positions =
            positions(&primitive, buffers).ok_or_else(|| malformed("a mesh has no positions"))?;
        let place = |p| file_from_part.transform_point(&Point3::from(p)).into();
        let vertices: Vec<[f64; 3]> = positions.into_iter().map(place).collect();
        let indices: Vec<u32> = match reader.read_indices() {
            Some(indices) => indices.into_u32().collect(),
            None => (0..vertices.len() as u32).collect(),
        };
        let triangles = triangles(primitive.mode(), &indices);
        let triangles = triangles.into_iter().map(|[a, b, c]| match is_mirrored {
            false => [a, b, c],
            true => [a, c, b],
        });
        mesh.add(vertices.iter().copied(), triangles)?;
        let is_usual = |accessor: gltf::Accessor<'_>| match accessor.data_type() {
            DataType::F32 => true,
            DataType::U8 | DataType::U16 => accessor.normalized(),
            _ => false,
        };
        let own = primitive
            .get(&Semantic::TexCoords(0))
            .filter(|a| is_usual(a.clone()));
        let own = own.and_then(|_| reader.read_tex_coords(0));
        let own = own.into_iter().flat_map(|all| all.into_f32());
        mesh.texcoords.extend(own);
    }
    Ok(())
}

/// Triangles of a list, a strip or a fan.
fn triangles(mode: Mode, indices: &[u32]) -> Vec<[u32; 3]> {
    let pairs = || indices.windows(2).enumerate().skip(1);
    match mode {
        // Every second triangle of a strip is turned over.
        Mode::TriangleStrip => pairs()
            .map(|(i, pair)| match i % 2 {
                1 => [indices[i - 1], pair[0], pair[1]],
                _ => [pair[0], indices[i - 1], pair[1]],
            })
            .collect(),
        Mode::TriangleFan => pairs()
            .map(|(_, pair)| [indices[0], pair[0], pair[1]])
            .collect(),
        _ => indices.as_chunks::<3>().0.to_vec(),
    }
}

/// Vertices of a part, as floats or quantized (`KHR_mesh_quantization`).
fn positions(part: &gltf::Primitive<'_>, buffers: &[Vec<u8>]) -> Option<Vec<[f64; 3]>> {
    fn read<T: Item + Copy + Into<f64>>(
        accessor: gltf::Accessor<'_>,
        buffers: &[Vec<u8>],
        largest: f64,
    ) -> Option<Vec<[f64; 3]>> {
        let is_normalized = accessor.normalized();
        let bytes = |buffer: gltf::Buffer<'_>| buffers.get(buffer.index()).map(Vec::as_slice);
        let all = Iter::<[T; 3]>::new(accessor, bytes)?;
        let number = |x: T| match is_normalized {
            true => (x.into() / largest).max(-1.0),
            false => x.into(),
        };
        Some(all.map(|p| p.map(number)).collect())
    }
    let accessor = part.get(&Semantic::Positions)?;
    match accessor.data_type() {
        DataType::F32 => read::<f32>(accessor, buffers, 1.0),
        DataType::I8 => read::<i8>(accessor, buffers, 127.0),
        DataType::U8 => read::<u8>(accessor, buffers, 255.0),
        DataType::I16 => read::<i16>(accessor, buffers, 32_767.0),
        DataType::U16 => read::<u16>(accessor, buffers, 65_535.0),
        DataType::U32 => None,
    }
}

/// Bytes of a buffer: in a binary file, as base64 in a text file, or in a separate file.
fn buffer_bytes(
    buffer: &gltf::Buffer<'_>,
    blob: &mut Option<Vec<u8>>,
    path: &Path,
) -> Result<Vec<u8>> {
    let bytes = match buffer.source() {
        buffer::Source::Bin => blob
            .take()
            .ok_or_else(|| malformed("its binary part is missing"))?,
        buffer::Source::Uri(uri) => match uri.strip_prefix("data:") {
            Some(data) => {
                let (_, text) = data
                    .split_once(";base64,")
                    .ok_or_else(|| malformed("a buffer is a data URI, but not in base64"))?;
                let base64 =
                    |error| malformed(format_args!("the base64 of a buffer is invalid: {error}"));
                STANDARD.decode(text).map_err(base64)?
            }
            None => beside(uri, path)?,
        },
    };
    let (n, of) = (bytes.len(), buffer.length());
    match n < of {
        false => Ok(bytes),
        true => Err(malformed(format_args!(
            "a buffer should have {of} bytes, but has {n}"
        ))),
    }
}

/// Reads a buffer's file in the same folder or below it. Its address should be percent-encoded, but
/// some exporters do not encode it.
fn beside(uri: &str, path: &Path) -> Result<Vec<u8>, String> {
    let decoded = percent_decode_str(uri).decode_utf8_lossy();
    if !is_below(uri) || !is_below(&decoded) {
        return Err(format!(
            "its buffer `{uri}` is not supported; expected a file in the same folder or below it"
        ));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let as_written = folder.join(uri);
    let whole = match as_written.is_file() {
        true => as_written,
        false => folder.join(&*decoded),
    };
    bytes::file_bytes(&whole).map_err(|why| format!("its buffer `{uri}` cannot be read: {why}"))
}

fn is_below(name: &str) -> bool {
    let is_plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    !name.contains(':') && Path::new(name).components().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// glTF file with a square, whose vertices are in a separate file at `uri`.
    fn file(uri: &str, mode: u8, more: &str) -> String {
        format!(
            r#"{{"asset": {{"version": "2.0"}}, "nodes": [{{"mesh": 0}}], "scenes": [{{"nodes": [0]}}],
            "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "mode": {mode}}}]}}],
            "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}}],
            "bufferViews": [{{"buffer": 0, "byteLength": 48}}],
            "buffers": [{{"byteLength": 48, "uri": "{uri}"}}]{more}}}"#
        )
    }

    #[test]
    fn buffers_are_found_by_their_address_and_primitives_of_each_kind_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let square = [
            0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0f32,
        ];
        let bytes: Vec<u8> = square.iter().flat_map(|x| x.to_le_bytes()).collect();
        for name in ["a part.bin", "50%.bin"] {
            std::fs::write(folder.path().join(name), &bytes).unwrap();
        }
        let path = folder.path().join("a.gltf");
        let read_text = |text: &str| read(text.as_bytes(), &path).map_err(|e| e.to_string());
        for (uri, mode, triangles) in [
            ("a part.bin", 4, vec![[0, 1, 2]]),
            ("a%20part.bin", 6, vec![[0, 1, 2], [0, 2, 3]]),
            ("./a%20part.bin", 5, vec![[0, 1, 2], [2, 1, 3]]),
            ("50%.bin", 6, vec![[0, 1, 2], [0, 2, 3]]),
        ] {
            for mark in ["", "\u{feff}"] {
                let text = mark.to_owned() + &file(uri, mode, "");
                assert_eq!(read_text(&text).unwrap().triangles, triangles, "{uri}");
            }
        }
        for uri in ["../a.bin", "%2e%2e/a.bin", "http://a.org/a.bin", "/a.bin"] {
            let error = read_text(&file(uri, 4, "")).unwrap_err();
            assert!(
                error.contains("expected a file in the same folder"),
                "{error}"
            );
        }
        for (extension, is_read) in [
            ("EXT_texture_webp", true),
            ("KHR_lights_punctual", true),
            ("EXT_meshopt_compression", false),
            ("EXT_mesh_gpu_instancing", false),
        ] {
            let more = format!(r#", "extensionsRequired": ["{extension}"]"#);
            let mesh = read_text(&file("50%.bin", 4, &more));
            assert_eq!(mesh.is_ok(), is_read, "{extension}");
        }
    }
}
