//! JSON schemas of files, for editors.

/// What there is a schema of, and its text.
const SCHEMAS: [(&str, &str); 4] = [
    ("task", regrasp_assets::text("schemas/task.schema.json")),
    ("scene", regrasp_assets::text("schemas/scene.schema.json")),
    ("robot", regrasp_assets::text("schemas/robot.schema.json")),
    ("result", regrasp_assets::text("schemas/result.schema.json")),
];

/// Of what there are schemas: task, scene and robot files, and the result of an episode.
pub fn schema_names() -> impl Iterator<Item = &'static str> {
    SCHEMAS.iter().map(|(name, _)| *name)
}

/// The JSON schema of one of [`schema_names`]. That of scenes refers to that of tasks, as
/// the file `task.schema.json` beside it.
pub fn schema(name: &str) -> Option<&'static str> {
    let found = SCHEMAS.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text)
}
