//! The command line without secrets, for run folders and reports.

use std::env;
use std::ffi::OsString;
use std::sync::OnceLock;

const REDACTED: &str = "[redacted]";
/// Words in the names of flags, variables and headers whose values are secrets.
const SECRET: &str = "key token secret password passwd authorization credential cookie";
/// Flags that contain such a word but take no secret: the name of a variable and the key of a run.
const NO_SECRETS: [&str; 2] = ["--api-key-env", "--run-key"];
/// Minimum length of a variable's value to be redacted: shorter ones may be ordinary words.
const SHORTEST_SECRET: usize = 8;

/// Words of this command, which may differ from those of the process. Set once at its start.
static GIVEN: OnceLock<Vec<OsString>> = OnceLock::new();

/// Stores the words of this command, including the program's name. Only the first call counts.
pub(super) fn keep_words(words: &[OsString]) {
    GIVEN.get_or_init(|| words.to_vec());
}

/// Words of this command without the program's name, for output and files. These are redacted:
/// users and query values of URLs, values of headers, flags and variables with secret names, and
/// values of secret environment variables anywhere.
pub(super) fn given_words() -> Vec<String> {
    let variables = env::vars_os().filter_map(|(name, value)| {
        let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
        (is_secret(&name) && value.len() >= SHORTEST_SECRET).then_some(value)
    });
    let secrets: Vec<String> = variables.collect();
    let words = GIVEN.get().map_or(&[][..], Vec::as_slice).iter().skip(1);
    without_secrets(words.map(|w| w.to_string_lossy().into_owned()), &secrets)
}

fn without_secrets(words: impl Iterator<Item = String>, secrets: &[String]) -> Vec<String> {
    let mut kept = vec![];
    let mut is_value = false;
    for word in words {
        if is_value {
            is_value = false;
            kept.push(REDACTED.to_owned());
            continue;
        }
        let name = word.split('=').next().unwrap_or_default();
        let word = match word.split_once('=') {
            Some((name, _)) if has_secret_name(name) => format!("{name}={REDACTED}"),
            _ => {
                is_value = name == word && name.starts_with('-') && has_secret_name(name);
                in_words(&word)
            }
        };
        let without = |word: String, secret: &String| word.replace(secret.as_str(), REDACTED);
        kept.push(secrets.iter().fold(word, without));
    }
    kept
}

/// Returns true for a flag, or a variable set for one command, with a secret name.
fn has_secret_name(name: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    name.chars().all(is_name) && is_secret(name) && !NO_SECRETS.contains(&name)
}

fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    SECRET.split(' ').any(|part| name.contains(part))
}

/// Redacts the secrets of a header or a URL in a word.
fn in_words(word: &str) -> String {
    if let Some((name, _)) = word
        .split_once(':')
        .filter(|(n, v)| !v.starts_with("//") && is_secret(n) && !n.contains(char::is_whitespace))
    {
        return format!("{name}: {REDACTED}");
    }
    match word.split_once("://") {
        None => word.to_owned(),
        Some((scheme, rest)) => {
            let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            let (place, path) = rest.split_at(end);
            let host = match place.rsplit_once('@') {
                Some((_, host)) => format!("{REDACTED}@{host}"),
                None => place.to_owned(),
            };
            let path = match path.split_once('?') {
                None => path.to_owned(),
                Some((path, query)) => {
                    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
                        Some((name, _)) => format!("{name}={REDACTED}"),
                        None => REDACTED.to_owned(),
                    });
                    format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"))
                }
            };
            format!("{scheme}://{host}{path}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_a_command_holds_no_secret() {
        let (text, url) = (
            "put the red cube on the plate",
            "http://me:hunter22@host:8000/v1",
        );
        let url = format!("{url}?key=S3CRETS3CRET&b=S3CRET#x");
        let query = "key=[redacted]&b";
        let kept_url = format!("http://[redacted]@host:8000/v1?{query}=[redacted]");
        let (header, kept_header) = (
            "--header=X-Api-Key:S3CRET",
            "--header=X-Api-Key: [redacted]",
        );
        let given = [
            ("run", "run"),
            (text, text),
            ("--base-url", "--base-url"),
            (&url, &kept_url),
            ("--api-key=S3CRET", "--api-key=[redacted]"),
            ("--auth-token", "--auth-token"),
            ("S3CRET", "[redacted]"),
            ("--api-key-env", "--api-key-env"),
            ("MY_KEY", "MY_KEY"),
            ("--run-key", "--run-key"),
            ("night-7", "night-7"),
            ("OPENAI_API_KEY=S3CRET", "OPENAI_API_KEY=[redacted]"),
            ("Authorization: Bearer S3CRET", "Authorization: [redacted]"),
            (header, kept_header),
            ("sk-from-the-environment!", "[redacted]!"),
            ("nudged: {object: red_cube}", "nudged: {object: red_cube}"),
        ];
        let words = given.iter().map(|(word, _)| (*word).to_owned());
        let secrets = ["sk-from-the-environment".to_owned()];
        let kept = without_secrets(words, &secrets);
        let expected: Vec<_> = given.iter().map(|(_, kept)| *kept).collect();
        assert_eq!(kept, expected);
    }
}
