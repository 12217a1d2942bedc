//! Finds calls in the text of an answer: JSON, alone or in a list, or markup of a chat template
//! that the server does not translate.
//!
//! One rule covers all formats: a call is a JSON object with a name and arguments, or a name in a
//! marker, followed by its arguments as JSON or as tagged parameters. Text around calls is ignored.
//! Nothing is repaired: incomplete or invalid JSON is an error.

use serde_json::{Map, Value, json};

use crate::ToolCall;
use crate::fields::arguments;

const THOUGHTS: [[&str; 2]; 5] = [
    ["<think>", "</think>"],
    ["<thinking>", "</thinking>"],
    ["<thought>", "</thought>"],
    ["<reasoning>", "</reasoning>"],
    ["[THINK]", "[/THINK]"],
];
/// Markers before the name of a call, in the markup of chat templates.
const MARKERS: [&str; 7] = [
    "<function=",
    "<invoke name=",
    "<tool_call>",
    "<|tool_call|>",
    "[TOOL_CALLS]",
    "tool▁sep｜>",
    "to=functions.",
];
/// Tags before and after the name of a parameter, and after its value.
const PARAMETERS: [[&str; 3]; 3] = [
    ["<parameter=", ">", "</parameter>"],
    ["<parameter name=", ">", "</parameter>"],
    ["<arg_key>", "</arg_key>", "</arg_value>"],
];
const NAMES: [&str; 3] = ["name", "tool_name", "tool"];
const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "args", "input"];
const LISTS: [&str; 2] = ["calls", "tool_calls"];

/// Separates text from thoughts. A thought without end tag reaches to the end; one without start
/// tag, which some servers drop, begins at the start.
pub(crate) fn without_thoughts(text: &str) -> (String, String) {
    let (mut said, mut thought) = (text.to_owned(), String::new());
    for [open, close] in THOUGHTS {
        while let Some(end) = said.find(close) {
            let start = said[..end].find(open).unwrap_or(0);
            thought += &said[start..end].replace(open, "");
            said.replace_range(start..end + close.len(), "");
        }
        if let Some(start) = said.find(open) {
            thought += &said[start + open.len()..];
            said.truncate(start);
        }
    }
    (said, thought)
}

/// Returns the known name in a name with a namespace, which some models add (`functions.pick`,
/// `default_api:pick`, `functions.pick:0`), or else the name unchanged.
pub fn known_name(said: &str, is_known: impl Fn(&str) -> bool) -> &str {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut known = said.split(|c| !is_word(c)).filter(|part| is_known(part));
    match (known.next(), known.next()) {
        (Some(part), None) if !is_known(said) => part,
        _ => said,
    }
}

/// Returns the calls in a text; empty if there are none.
///
/// # Errors
///
/// Text that looks like calls but cannot be parsed, with the reason in words for the model.
pub fn calls_in_text(text: &str) -> Result<Vec<ToolCall>, String> {
    let (mut lists, mut single) = (vec![], vec![]);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some((call, after)) = marked(rest)? {
            single.push(call);
            rest = after;
            continue;
        }
        match json_at(rest)? {
            Some((value, after)) => {
                match list_of(&value)? {
                    Some(list) => lists.push(list),
                    None => single.extend(call_of(&value)),
                }
                rest = after;
            }
            None => rest = &rest[c.len_utf8()..],
        }
    }
    if !single.is_empty() {
        lists.push(single);
    }
    lists.dedup();
    let mut calls = match lists.len() {
        0 if text.trim_start().starts_with(['{', '[', '`']) => {
            return Err("it is not the JSON that was asked for: it has no `calls`".into());
        }
        0 | 1 => lists.pop().unwrap_or_default(),
        n => return Err(format!("it holds {n} plans; expected one")),
    };
    for (idx, call) in calls.iter_mut().enumerate() {
        call.id = format!("call_{idx}");
    }
    Ok(calls)
}

/// Parses the JSON object or array at the beginning of a text. Words in braces are skipped.
fn json_at(text: &str) -> Result<Option<(Value, &str)>, String> {
    let Some(inner) = text.strip_prefix(['{', '[']) else {
        return Ok(None);
    };
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    match values.next() {
        Some(Ok(value)) => Ok(Some((value, &text[values.byte_offset()..]))),
        Some(Err(error)) if inner.trim_start().starts_with(['"', '{']) => {
            Err(format!("it is not the JSON that was asked for: {error}"))
        }
        _ => Ok(None),
    }
}

fn list_of(value: &Value) -> Result<Option<Vec<ToolCall>>, String> {
    let field = LISTS.iter().find_map(|key| value[*key].as_array());
    let Some(items) = field.or(value.as_array().filter(|items| {
        let is_call = |item| call_of(item).is_some();
        !items.is_empty() && items.iter().all(is_call)
    })) else {
        return Ok(None);
    };
    let calls = items.iter().enumerate().map(|(idx, item)| {
        let (name, given) = parts(item);
        let n = idx + 1;
        let wrong = || format!("it is not the JSON that was asked for: call {n} has no `name`");
        Ok(call(name.ok_or_else(wrong)?, given))
    });
    calls.collect::<Result<_, _>>().map(Some)
}

fn call_of(value: &Value) -> Option<ToolCall> {
    let (name, given) = parts(value);
    Some(call(name?, Some(given?)))
}

/// Name and arguments of a call, either of which may be missing.
fn parts(call: &Value) -> (Option<&str>, Option<Value>) {
    let function = call.get("function").filter(|it| it.is_object());
    let call = function.unwrap_or(call);
    let name = NAMES.iter().find_map(|key| call[*key].as_str());
    let given = ARGUMENTS.iter().find_map(|key| call.get(*key));
    (name, given.cloned())
}

fn call(name: &str, given: Option<Value>) -> ToolCall {
    ToolCall {
        id: String::new(),
        name: name.to_owned(),
        arguments: arguments(given),
    }
}

/// Returns the name after the marker at the beginning of a text, and the rest.
fn marker(text: &str) -> Option<(&str, &str)> {
    let after = MARKERS
        .iter()
        .find_map(|marker| text.strip_prefix(marker))?;
    let after = after.trim_start_matches(['"', '\'', ' ', '\n']);
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-.:/".contains(c);
    let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
    (end > 0).then(|| after.split_at(end))
}

/// Returns the call with the marker at the beginning of a text, and the rest.
fn marked(text: &str) -> Result<Option<(ToolCall, &str)>, String> {
    let Some((name, body)) = marker(text) else {
        return Ok(None);
    };
    let next = body.char_indices().map(|(at, _)| at);
    let end = next.clone().find(|at| marker(&body[*at..]).is_some());
    let (body, after) = body.split_at(end.unwrap_or(body.len()));
    let tagged = parameters(body);
    if !tagged.is_empty() {
        return Ok(Some((call(name, Some(Value::Object(tagged))), after)));
    }
    for at in next.take_while(|at| *at < body.len()) {
        if let Some((value, _)) = json_at(&body[at..])? {
            return Ok(Some((call(name, Some(value)), after)));
        }
    }
    Ok(Some((call(name, None), after)))
}

/// Parses parameters in tags. A value that is not JSON is text.
fn parameters(body: &str) -> Map<String, Value> {
    let mut found = Map::new();
    for [before, between, close] in PARAMETERS {
        for part in body.split(before).skip(1) {
            let Some((key, value)) = part.split_once(between) else {
                continue;
            };
            let value = value.split(close).next().unwrap_or_default().trim();
            let value = value.strip_prefix("<arg_value>").unwrap_or(value).trim();
            let value = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
            found.insert(key.trim_matches(['"', '\'', ' ']).to_owned(), value);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const PICK: &str = r#"{"name": "pick", "arguments": {"object": "red_cube"}}"#;
    const PLACE: &str = r#"{"name": "place_on", "arguments": {"target": "green_cube"}}"#;

    fn stack() -> Vec<(String, Value)> {
        vec![
            ("pick".into(), json!({ "object": "red_cube" })),
            ("place_on".into(), json!({ "target": "green_cube" })),
        ]
    }

    fn read(text: &str) -> Result<Vec<(String, Value)>, String> {
        let calls = calls_in_text(&without_thoughts(text).0)?;
        let calls = calls.into_iter();
        let calls = calls.map(|call| (call.name, call.arguments.expect("JSON")));
        Ok(calls.collect())
    }

    #[test]
    fn calls_are_read_from_every_usual_markup() {
        let texts = include_str!("../tests/data/calls_in_words.txt").split("\n=====\n");
        for text in texts {
            assert_eq!(read(text), Ok(stack()), "{text}");
        }
    }

    #[test]
    fn numbers_in_markup_are_numbers_and_no_arguments_are_none() {
        let text = "<function=wait><parameter=secs>2.5</parameter></function><function=home>\
                    </function>";
        let calls = vec![
            ("wait".into(), json!({ "secs": 2.5 })),
            ("home".into(), json!({})),
        ];
        assert_eq!(read(text), Ok(calls));
    }

    #[test]
    fn words_are_words_and_what_cannot_be_told_is_reported() {
        for words in [
            "I would pick it up.",
            "Take {the cube} [1] to the left",
            "{\"calls\": []}",
            "<think>{\"calls\": [",
            "The cube {\"name\": \"red_cube\", \"color\": \"red\"} is free",
        ] {
            assert_eq!(read(words), Ok(vec![]), "{words}");
        }
        let cut = format!("{{\"calls\": [{PICK}, {{\"name\": \"place");
        let broken = format!("So: {{\"calls\": [{PICK} {PLACE}]}}");
        let two = format!("{{\"calls\": [{PICK}]}} or {{\"calls\": [{PLACE}]}}");
        for (text, why) in [
            (cut.as_str(), "EOF"),
            (&broken, "expected `,`"),
            (&two, "2 plans"),
            ("{\"plan\": []}", "has no `calls`"),
            ("```json\n{}\n```", "has no `calls`"),
            ("{\"calls\": [{\"arguments\": {}}]}", "call 1 has no `name`"),
        ] {
            let told = read(text).expect_err(text);
            assert!(told.contains(why), "{text}: {told}");
        }
    }

    #[test]
    fn a_name_is_known_within_its_namespace() {
        let known = |name: &str| ["pick", "place_on"].contains(&name);
        let namespaces = ["functions.pick", "default_api:pick", "functions.pick:0"];
        for said in namespaces.into_iter().chain(["pick"]) {
            assert_eq!(known_name(said, known), "pick");
        }
        for said in ["unpick", "pick.place_on", "fly"] {
            assert_eq!(known_name(said, known), said);
        }
    }
}
