//! Follows a file to which another process writes.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use same_file::Handle;

/// Longest accepted line, bytes.
const LONGEST_BYTES: usize = 16 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) text: String,
    /// Line number in the file, from 1; `None` for a line from a URL.
    pub(crate) number: Option<u64>,
}

/// A file to which lines are appended, or which is replaced by a newer file.
pub(crate) struct TailFile {
    pub(crate) path: PathBuf,
    /// The open file, kept open to detect that another file has taken its place.
    open: Option<Open>,
}

struct Open {
    file: Handle,
    n_bytes: u64,
    n_lines: u64,
    /// Bytes after the last line feed.
    rest: Vec<u8>,
    last: Option<Line>,
}

impl TailFile {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, open: None }
    }

    fn read(&mut self) -> io::Result<Option<Line>> {
        if let Some(open) = &self.open
            && !open.is_still(&self.path)?
        {
            self.open = None;
        }
        let open = match &mut self.open {
            Some(open) => open,
            None => self.open.insert(Open::new(&self.path)?),
        };
        open.catch_up()?;
        Ok(open.last.clone())
    }

    pub(crate) fn newest(&mut self) -> Result<Option<Line>, String> {
        match self.read() {
            Ok(line) => Ok(line),
            // The writer has not created the file yet.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.open = None;
                Ok(None)
            }
            Err(error) => Err(format!("read {}: {error}", self.path.display())),
        }
    }
}

impl Open {
    fn new(path: &Path) -> io::Result<Self> {
        Ok(Self {
            file: Handle::from_path(path)?,
            n_bytes: 0,
            n_lines: 0,
            rest: vec![],
            last: None,
        })
    }

    /// Returns true if the file at the path is still the open one, and was not truncated.
    fn is_still(&self, path: &Path) -> io::Result<bool> {
        let n_bytes = self.file.as_file().metadata()?.len();
        Ok(self.file == Handle::from_path(path)? && n_bytes >= self.n_bytes)
    }

    fn catch_up(&mut self) -> io::Result<()> {
        let invalid = |what: String| io::Error::new(ErrorKind::InvalidData, what);
        let mut reader = BufReader::new(self.file.as_file_mut());
        loop {
            let most = (LONGEST_BYTES + 1).saturating_sub(self.rest.len()) as u64;
            let mut line = reader.by_ref().take(most);
            self.n_bytes += line.read_until(b'\n', &mut self.rest)? as u64;
            if self.rest.len() > LONGEST_BYTES {
                return Err(invalid(format!(
                    "line {} is longer than 16 MiB; a line ends with a line feed",
                    self.n_lines + 1
                )));
            }
            if self.rest.pop_if(|byte| *byte == b'\n').is_none() {
                return Ok(());
            }
            self.n_lines += 1;
            let text = String::from_utf8(std::mem::take(&mut self.rest))
                .map_err(|_| invalid(format!("line {} is not UTF-8 text", self.n_lines)))?;
            if !text.bytes().all(|byte| byte.is_ascii_whitespace()) {
                self.last = Some(Line {
                    text,
                    number: Some(self.n_lines),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write;

    use super::*;

    fn append(path: &Path, text: &str) {
        let mut file = OpenOptions::new().append(true).create(true).open(path);
        let file = file.as_mut().expect("a file in a folder of our own");
        file.write_all(text.as_bytes()).expect("there is room");
    }

    fn newest(tail: &mut TailFile) -> Option<(u64, String)> {
        let line = tail.newest().expect("it can be read")?;
        Some((line.number.expect("a file counts"), line.text))
    }

    #[test]
    fn the_last_complete_line_is_given_and_half_a_line_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("percepts.jsonl");
        let mut tail = TailFile::new(path.clone());
        assert_eq!(newest(&mut tail), None, "nothing has been written yet");
        append(&path, "one");
        assert_eq!(newest(&mut tail), None, "half a line");
        append(&path, " and\n\ntw");
        assert_eq!(newest(&mut tail), Some((1, "one and".into())));
        append(&path, "o\nthree\n");
        assert_eq!(newest(&mut tail), Some((4, "three".into())));
    }

    #[test]
    fn a_file_that_is_replaced_or_begun_again_is_read_from_its_beginning() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("percepts.jsonl");
        append(&path, "first\nsecond\n");
        let mut tail = TailFile::new(path.clone());
        assert_eq!(newest(&mut tail), Some((2, "second".into())));
        let next = folder.path().join("next");
        append(&next, "a longer one than before\nthird\nfourth\n");
        fs::rename(&next, &path).expect("the same folder");
        assert_eq!(newest(&mut tail), Some((3, "fourth".into())));
        fs::write(&path, "new\n").expect("there is room");
        assert_eq!(newest(&mut tail), Some((1, "new".into())));
    }
}
