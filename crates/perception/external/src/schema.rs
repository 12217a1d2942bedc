//! JSON schemas of this crate's inputs, for other programs and editors.

use regrasp_assets::text;

const SCHEMAS: [(&str, &str); 3] = [
    ("percepts", text("schemas/percepts.schema.json")),
    ("cameras", text("schemas/cameras.schema.json")),
    ("seen", text("schemas/seen.schema.json")),
];

/// Names of the schemas: a line of percepts, a file of cameras, and a file of sightings.
pub fn schema_names() -> impl Iterator<Item = &'static str> {
    SCHEMAS.iter().map(|(name, _)| *name)
}

/// Returns the JSON schema of one of [`schema_names`].
pub fn schema(name: &str) -> Option<&'static str> {
    let found = SCHEMAS.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::{PerceptLine, RigFile, SightingsFile};

    fn made<T: schemars::JsonSchema>() -> String {
        let schema = schemars::schema_for!(T);
        let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
        format!("{text}\n")
    }

    /// Compares a schema with its file, or writes the file if `WRITE_SCHEMAS` is set.
    #[track_caller]
    fn check<T: schemars::JsonSchema>(name: &str) {
        let path = regrasp_assets::folder().join(format!("schemas/{name}.schema.json"));
        if std::env::var_os("WRITE_SCHEMAS").is_some() {
            std::fs::write(&path, made::<T>()).expect("there is room");
        }
        let text = std::fs::read_to_string(&path).expect("the schema is there");
        assert_eq!(
            text,
            made::<T>(),
            "assets/schemas/{name}.schema.json is outdated; to write it, run \
             WRITE_SCHEMAS=1 cargo test -p regrasp-external-perception schema"
        );
    }

    #[test]
    fn the_files_say_what_the_code_says() {
        check::<PerceptLine>("percepts");
        check::<RigFile>("cameras");
        check::<SightingsFile>("seen");
    }

    #[test]
    fn a_line_that_is_taken_fits_the_schema() {
        let schema: Value =
            serde_json::from_str(schema("percepts").unwrap_or_default()).expect("a schema is JSON");
        let line = serde_json::json!({
            "stamp_unix_s": 1.5e9,
            "frame": "world",
            "objects": [{
                "id": "mug_1", "category": "mug", "color": "blue", "movable": true,
                "shape": {"kind": "mug", "height": 0.09, "diameter": 0.08},
                "position": [0.4, 0.1, 0.3], "quat_xyzw": [0.0, 0.0, 0.6, 0.8],
                "position_std_m": 0.002
            }]
        });
        assert!(jsonschema::is_valid(&schema, &line));
        assert_eq!(crate::check::line(&line.to_string()).err(), None);
        let wrong = serde_json::json!({ "stamp_unix_s": 1.5e9, "objects": [{"id": "x"}] });
        assert!(!jsonschema::is_valid(&schema, &wrong));
    }
}
