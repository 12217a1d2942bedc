//! Reads the pickle in a file of `torch.save`: an uncompressed archive with one `data.pkl`, or the
//! bare pickle.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use super::pickle::{Array, array};

/// Largest accepted file, bytes. LIBERO's files have 50 kB.
const MAX_BYTES: u64 = 64 << 20;

pub(super) fn load(path: &Path) -> Result<Array, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let bytes = file.metadata().map_err(|error| error.to_string())?.len();
    if bytes > MAX_BYTES {
        return Err(format!(
            "it has {bytes} bytes; at most {MAX_BYTES} are read"
        ));
    }
    let mut file = file;
    let mut start = [0; 4];
    let is_archive = file.read_exact(&mut start).is_ok() && &start == b"PK\x03\x04";
    file.rewind().map_err(|error| error.to_string())?;
    match is_archive {
        true => array(&in_archive(file)?).map_err(|error| format!("its `data.pkl`: {error}")),
        false => {
            let bytes = contents(file)?;
            array(&bytes).map_err(|error| {
                format!("it is neither an archive of `torch.save` nor a readable pickle: {error}")
            })
        }
    }
}

fn in_archive(file: File) -> Result<Vec<u8>, String> {
    let broken = |error: zip::result::ZipError| {
        format!("it is a broken or compressed archive ({error}); `torch.save` does not compress")
    };
    let mut archive = zip::ZipArchive::new(file).map_err(broken)?;
    let names = archive.file_names().filter_map(Result::ok);
    let names = names.map(std::borrow::Cow::into_owned);
    let is_pickle = |name: &String| name == "data.pkl" || name.ends_with("/data.pkl");
    let pickles: Vec<_> = names.filter(is_pickle).collect();
    let [name] = pickles.as_slice() else {
        return Err(format!(
            "the archive has {} files named `data.pkl`, expected one",
            pickles.len()
        ));
    };
    contents(archive.by_name(name).map_err(broken)?)
}

fn contents(file: impl Read) -> Result<Vec<u8>, String> {
    let mut bytes = vec![];
    let mut limited = file.take(MAX_BYTES + 1);
    let read = limited.read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    match bytes.len() as u64 > MAX_BYTES {
        true => Err(format!("its content has more than {MAX_BYTES} bytes")),
        false => Ok(bytes),
    }
}
