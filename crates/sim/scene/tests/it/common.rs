//! Files that are written, loaded, and refused.

use regrasp_ground_truth::Success;
use regrasp_scene::{SceneError, Task, builtin_robot, load_task};
use regrasp_testkit::rows;

/// A task from its text.
pub(crate) fn task(text: &str) -> Result<Task, SceneError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.yaml");
    std::fs::write(&path, text).unwrap();
    load_task(&path, &builtin_robot().unwrap())
}

/// A condition from its text.
#[track_caller]
pub(crate) fn condition(text: &str) -> Success {
    serde_saphyr::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Checks what is said of a task in which one piece is replaced. Rows: the piece, what comes in
/// its place, the line of the error, a part of the message.
#[track_caller]
pub(crate) fn refused(text: &str, table: &str) {
    told(text, table, |text| task(text).map(drop));
}

/// The same for files that are loaded in another way.
#[track_caller]
pub(crate) fn told(text: &str, table: &str, load: impl Fn(&str) -> Result<(), SceneError>) {
    for [from, to, line, message] in rows(table) {
        assert!(text.contains(&from), "{from} is not in the file");
        let Err(error) = load(&text.replacen(&from, &to, 1)) else {
            panic!("`{to}` for `{from}` is fine");
        };
        let said = error.to_string();
        assert_eq!(error.line(), line.parse().ok(), "{from} -> {to}: {said}");
        assert!(said.starts_with("load "), "{said}");
        assert!(said.contains(&format!(".yaml:{line}: ")), "{said}");
        assert!(said.contains(&message), "{said}\ndoes not say\n{message}");
    }
}
