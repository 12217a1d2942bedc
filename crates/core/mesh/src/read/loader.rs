//! STL, and OBJ by `mesh-loader`.

use std::path::Path;

use mesh_loader::Loader;

use crate::triangles::{MAX_TRIANGLES, Mesh, ReadError};

/// Bytes before the triangles of a binary STL file, and of each triangle.
const STL: [usize; 2] = [84, 50];

/// Reads an STL file. Its normals are those of its flat triangles: those are found anyway.
///
/// Many binary files begin with `solid`, as text does; but text has no byte 0, and a binary
/// file has some, in its count of triangles at the latest.
pub(super) fn stl(bytes: &[u8], _: &Path) -> Result<Mesh, ReadError> {
    match bytes.contains(&0) {
        true => binary(bytes),
        false => text(&String::from_utf8_lossy(bytes)),
    }
}

/// Reads the corners of loops; nothing else counts, nor where lines end.
fn text(text: &str) -> Result<Mesh, ReadError> {
    let wrong = |line: usize, why: &str| format!("the file is malformed: line {}: {why}", line + 1);
    let mut corners: Vec<[f64; 3]> = vec![];
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    let words = lines.lines().enumerate();
    let words = words.flat_map(|(i, line)| line.split_ascii_whitespace().map(move |w| (i, w)));
    let mut words = words.peekable();
    let mut is_inside = false;
    while let Some((i, word)) = words.next() {
        match word.to_ascii_lowercase().as_str() {
            "loop" => is_inside = true,
            "endloop" => is_inside = false,
            // A name may say so, too.
            "vertex" if is_inside => {
                let number = |(_, word): &(usize, &str)| word.parse::<f64>().is_ok();
                let own = std::iter::from_fn(|| words.next_if(number));
                let own: Vec<f64> = own.filter_map(|(_, word)| word.parse().ok()).collect();
                match own[..] {
                    [x, y, z] => corners.push([x, y, z]),
                    _ => return Err(wrong(i, "a vertex is not three numbers").into()),
                }
            }
            _ => {}
        }
    }
    if corners.is_empty() && !text.contains("endsolid") {
        return Err(wrong(0, "this is neither a binary STL file nor one as text").into());
    }
    if !corners.len().is_multiple_of(3) {
        return Err(wrong(text.lines().count(), "a triangle lacks corners").into());
    }
    flat(corners.into_iter())
}

/// Triangles of three corners each.
fn flat(corners: impl ExactSizeIterator<Item = [f64; 3]>) -> Result<Mesh, ReadError> {
    let n = corners.len() / 3;
    if n > MAX_TRIANGLES {
        return Err(ReadError::TooManyTriangles);
    }
    let mut mesh = Mesh::default();
    mesh.add(
        corners,
        (0..n as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]),
    )?;
    Ok(mesh)
}

/// Bytes behind the last triangle mean nothing. A count that was never filled in means all.
fn binary(bytes: &[u8]) -> Result<Mesh, ReadError> {
    let [header, each] = STL;
    let Some((_, body)) = bytes.split_at_checked(header) else {
        return Err(format!("the file is truncated: its header takes {header} bytes").into());
    };
    let count = u32::from_le_bytes([bytes[80], bytes[81], bytes[82], bytes[83]]);
    let (n_there, n_said) = (body.len() / each, count as usize);
    let n = match count {
        0 | u32::MAX if body.len().is_multiple_of(each) => n_there,
        _ if n_said > n_there => {
            let why = format!("its header says {n_said} triangles, but it has {n_there}");
            return Err(format!("the file is truncated: {why}").into());
        }
        _ => n_said,
    };
    let corner = |bytes: &[u8]| {
        let words = bytes.as_chunks::<4>().0;
        [0, 1, 2].map(|i| f64::from(f32::from_le_bytes(words[i])))
    };
    // The normal of each comes first.
    let corners = body.chunks_exact(each).take(n.min(MAX_TRIANGLES + 1));
    let corners = corners.flat_map(|t| [12, 24, 36].map(|at| corner(&t[at..at + 12])));
    flat(corners.collect::<Vec<_>>().into_iter())
}

/// Reads an OBJ file. Materials are not looked at: a missing file of them is no mistake.
pub(super) fn obj(bytes: &[u8], path: &Path) -> Result<Mesh, ReadError> {
    // The library knows comments only as whole lines, and no lines that go on behind a `\`.
    let lines = bytes.split(|byte| *byte == b'\n');
    let lines = lines.map(|line| line.split(|byte| *byte == b'#').next().unwrap_or_default());
    let mut bytes = Vec::with_capacity(bytes.len());
    for line in lines {
        let line = line.trim_ascii_end();
        let begun = line.strip_suffix(b"\\");
        bytes.extend(begun.unwrap_or(line));
        bytes.push(begun.map_or(b'\n', |_| b' '));
    }
    check_corners(&bytes)?;
    let loader = Loader::default();
    let scene = loader.load_obj_from_slice_with_reader(&bytes, path, |_| Ok(Vec::new()));
    joined(&parts(scene, path)?)
}

/// Refuses faces whose corners are not there, in the file's own count.
fn check_corners(obj: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(obj);
    let is_corner = |line: &&str| line.split_ascii_whitespace().next() == Some("v");
    let n_all = text.lines().filter(is_corner).count() as i64;
    let mut n = 0;
    for line in text.lines() {
        n += i64::from(is_corner(&line));
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("f") {
            continue;
        }
        let named = words.filter_map(|word| word.split('/').next()?.parse::<i64>().ok());
        for at in named {
            if at == 0 || at > n_all || at < -n {
                let line = line.trim();
                return Err(format!(
                    "the file is malformed: the face `{line}` has the corner {at}, but there are \
                     {n_all}, counted from 1"
                ));
            }
        }
    }
    Ok(())
}

fn parts(
    scene: std::io::Result<mesh_loader::Scene>,
    path: &Path,
) -> Result<Vec<mesh_loader::Mesh>, ReadError> {
    // What the reader says begins with the file's name, which the caller says as well.
    let scene = scene.map_err(|error| {
        let said = error.to_string();
        let name = format!("{}:", path.display());
        let said = said.trim_start_matches(&name).trim();
        ReadError::Refused(format!("the file is malformed: {said}"))
    })?;
    Ok(scene.meshes)
}

/// Joins all parts of a scene. (The library can do so itself, but counts the vertices of a part
/// by its last triangle.)
fn joined(parts: &[mesh_loader::Mesh]) -> Result<Mesh, ReadError> {
    let are_all = |has: fn(&mesh_loader::Mesh) -> bool| parts.iter().all(has);
    let has_normals = are_all(|part| part.normals.len() == part.vertices.len());
    let has_texcoords = are_all(|part| part.texcoords[0].len() == part.vertices.len());
    let mut mesh = Mesh::default();
    for part in parts {
        let vertices = part.vertices.iter().map(|v| v.map(f64::from));
        mesh.add(vertices, part.faces.iter().copied())?;
        if has_normals {
            mesh.normals.extend(&part.normals);
        }
        if has_texcoords {
            // OBJ counts upwards from the image's lower edge.
            let downwards = part.texcoords[0].iter().map(|[u, v]| [*u, 1.0 - v]);
            mesh.texcoords.extend(downwards);
        }
    }
    Ok(mesh)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;

    /// One triangle behind a header, which says how many there are.
    fn binary_stl(header: &[u8], count: u32, behind: &[u8]) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(80, if header.ends_with(b" ") { b' ' } else { 0 });
        bytes.extend(count.to_le_bytes());
        let numbers = [
            0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0f32,
        ];
        bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
        [&bytes, &[0; 2][..], behind].concat()
    }

    #[test]
    fn binary_stl_is_known_by_its_bytes_whatever_its_header_says() {
        for header in [
            &b""[..],
            b"solid part",
            b"solid ",
            b"solid a\n facet normal 0 0 1\n outer loop\n vertex 0 0 0",
            b"SOLID",
        ] {
            for (count, behind) in [
                (1, &b""[..]),
                (1, b"17 bytes of words"),
                (1, &[0; 50]),
                (u32::MAX, b""),
                (0, b""),
            ] {
                let mesh = stl(&binary_stl(header, count, behind), Path::new("a.stl")).unwrap();
                assert_eq!(mesh.vertices, [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]);
            }
        }
        let short = stl(&binary_stl(b"", 2, b""), Path::new("")).unwrap_err();
        assert!(
            short.to_string().contains("2 triangles, but it has 1"),
            "{short}"
        );
        let text = "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 2 0\n\
            endloop\nendfacet\nendsolid\n";
        for text in [
            text.to_owned(),
            text.replace('\n', "\r\n").to_uppercase(),
            text.replace('\n', "\r"),
            text.replace('\n', " "),
            text.replacen("solid", "solid vertex 1", 1),
        ] {
            let mesh = stl(text.as_bytes(), Path::new("a.stl")).unwrap();
            assert_eq!(mesh.triangles.len(), 1);
        }
        for (text, part) in [
            (text.replace("vertex 0 2 0", ""), "lacks corners"),
            (
                text.replace("0 2 0", "0 2"),
                "line 6: a vertex is not three numbers",
            ),
            ("<html></html>".to_owned(), "neither a binary STL file"),
        ] {
            let said = stl(text.as_bytes(), Path::new("a.stl"))
                .unwrap_err()
                .to_string();
            assert!(said.contains(part), "{said}");
        }
    }

    #[test]
    fn corners_of_obj_are_counted_from_1_or_from_the_last() {
        for (face, is_there) in [
            ("1 2 3", true),
            ("-3 -2/1 -1//1", true),
            ("0 1 2", false),
            ("1 2 4", false),
            ("-4 1 2", false),
        ] {
            let text = format!("v 0 0 0\nv 1 0 0\nv 0 2 0\nf {face}\nl 1 9\n");
            let read = obj(text.as_bytes(), Path::new("a.obj"));
            assert_eq!(read.is_ok(), is_there, "{face}: {read:?}");
        }
    }

    #[test]
    fn comments_in_obj_may_follow_what_counts() {
        let text = "# made by hand\no box # one\nv 0 0 0 # corner\nv 1 0 0#b\r\nv 0 2 0\nf 1 2 \\ # on\r\n 3 # face\n";
        let mesh = obj(text.as_bytes(), Path::new("a.obj")).unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2]]);
    }
}
