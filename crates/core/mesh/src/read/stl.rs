//! STL, binary or text.

use std::path::Path;

use super::bytes;
use crate::triangles::{Corner, MAX_TRIANGLES, Mesh, Result, malformed, truncated};

/// Sizes of the header and of each triangle of a binary STL file, bytes.
const STL: [usize; 2] = [84, 50];

/// Reads an STL file. Its normals are ignored: they follow from its flat triangles.
///
/// Many binary files begin with `solid`, as text does. But text contains no byte 0 except after its
/// end, and a binary file does, at the latest in its count of triangles.
pub(super) fn read(bytes: &[u8], _: &Path) -> Result<Mesh> {
    if bytes::is_utf_16(bytes) {
        return text(&bytes::text(bytes));
    }
    let n_behind = bytes.iter().rev().take_while(|byte| **byte == 0).count();
    let of_text = bytes.len() - n_behind;
    match bytes[..of_text.max(STL[0].min(bytes.len()))].contains(&0) {
        true => binary(bytes),
        false => text(&bytes::text(bytes)),
    }
}

/// Reads the vertices of loops; other words and line breaks are ignored.
fn text(text: &str) -> Result<Mesh> {
    let wrong = |line: usize, why| Err(malformed(format_args!("line {}: {why}", line + 1)));
    let mut corners: Vec<[f64; 3]> = vec![];
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    let words = lines.lines().enumerate();
    let words = words.flat_map(|(i, line)| line.split_ascii_whitespace().map(move |w| (i, w)));
    let mut words = words.peekable();
    let mut is_inside = false;
    while let Some((i, word)) = words.next() {
        match word.to_ascii_lowercase().as_str() {
            "loop" => is_inside = true,
            "endloop" if !corners.len().is_multiple_of(3) => {
                return wrong(i, "a triangle lacks corners, or has more than three");
            }
            "endloop" => is_inside = false,
            // Outside loops, the word may be part of the solid's name.
            "vertex" if is_inside => {
                let number = |(_, word): &(usize, &str)| word.parse::<f64>().is_ok();
                let own = std::iter::from_fn(|| words.next_if(number));
                let own: Vec<f64> = own.filter_map(|(_, word)| word.parse().ok()).collect();
                match own[..] {
                    [x, y, z] => corners.push([x, y, z]),
                    _ => return wrong(i, "a vertex is not three numbers"),
                }
            }
            _ => {}
        }
    }
    if corners.is_empty() && !text.contains("endsolid") {
        return wrong(0, "this is neither a binary nor a text STL file");
    }
    if !corners.len().is_multiple_of(3) {
        return wrong(text.lines().count(), "a triangle lacks corners");
    }
    flat(corners.into_iter())
}

fn flat(corners: impl Iterator<Item = [f64; 3]>) -> Result<Mesh> {
    let mut mesh = Mesh::default();
    let corners: Vec<_> = corners.map(Corner::from).collect();
    let triangles = corners.as_chunks::<3>().0.iter();
    triangles.copied().try_for_each(|t| mesh.add_flat(t))?;
    Ok(mesh)
}

/// Reads a binary file and ignores bytes after the last triangle. If the count is missing (0 or the
/// largest number), all triangles are read.
fn binary(bytes: &[u8]) -> Result<Mesh> {
    let [header, each] = STL;
    let (_, body) = bytes::header(bytes, header)?;
    let count = u32::from_le_bytes([bytes[80], bytes[81], bytes[82], bytes[83]]);
    let (n_there, n_claimed) = (body.len() / each, count as usize);
    let n = match count {
        0 | u32::MAX if body.len().is_multiple_of(each) => n_there,
        _ if n_claimed > n_there => {
            let why = format_args!("its header says {n_claimed} triangles, but it has {n_there}");
            return Err(truncated(why));
        }
        _ => n_claimed,
    };
    let corner = |bytes: &[u8]| {
        let words = bytes.as_chunks::<4>().0;
        [0, 1, 2].map(|i| f64::from(f32::from_le_bytes(words[i])))
    };
    // Each triangle begins with its normal, 12 bytes.
    let corners = body.chunks_exact(each).take(n.min(MAX_TRIANGLES + 1));
    let corners = corners.flat_map(|t| [12, 24, 36].map(|at| corner(&t[at..at + 12])));
    flat(corners)
}

#[cfg(test)]
mod tests {
    use super::*;

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
                let mesh = read(&binary_stl(header, count, behind), Path::new("a.stl")).unwrap();
                assert_eq!(mesh.vertices, [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]);
            }
        }
        let short = read(&binary_stl(b"", 2, b""), Path::new("")).unwrap_err();
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
            text.to_owned() + "\0\0",
            text.replacen("solid", "solid vertex 1", 1),
        ] {
            let utf_16 = text.encode_utf16().flat_map(u16::to_le_bytes);
            let utf_16: Vec<u8> = [0xff, 0xfe].into_iter().chain(utf_16).collect();
            for bytes in [text.as_bytes(), &utf_16] {
                let mesh = read(bytes, Path::new("a.stl")).unwrap();
                assert_eq!(mesh.triangles.len(), 1);
            }
        }
        for (text, part) in [
            (text.replace("vertex 0 2 0", ""), "lacks corners"),
            (
                text.replace("endloop", "vertex 1 1 1\nendloop"),
                "line 8: a triangle lacks corners, or has more than three",
            ),
            (
                text.replace("0 2 0", "0 2"),
                "line 6: a vertex is not three numbers",
            ),
            ("<html></html>".to_owned(), "neither a binary nor"),
        ] {
            let error = read(text.as_bytes(), Path::new("a.stl"))
                .unwrap_err()
                .to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
