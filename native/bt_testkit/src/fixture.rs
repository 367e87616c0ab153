//! Several texts in one: `//- /path.bt` starts a file, a word behind the path is its tag.

/// A file of a fixture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixtureFile {
    /// Its path without the leading slash.
    pub path: String,
    /// What stands behind the path; may be empty.
    pub tag: String,
    /// Its text.
    pub text: String,
}

/// The files of a fixture. A text without a header is one file, `a.bt`.
#[must_use]
pub fn parse(text: &str) -> Vec<FixtureFile> {
    let mut files: Vec<FixtureFile> = Vec::new();
    for line in text.split_inclusive('\n') {
        if let Some(header) = line.strip_prefix("//- /") {
            let (path, tag) = header.trim().split_once(' ').unwrap_or((header.trim(), ""));
            files.push(FixtureFile {
                path: path.to_owned(),
                tag: tag.to_owned(),
                text: String::new(),
            });
            continue;
        }
        if files.is_empty() {
            files.push(FixtureFile {
                path: "a.bt".to_owned(),
                tag: String::new(),
                text: String::new(),
            });
        }
        if let Some(file) = files.last_mut() {
            file.text.push_str(line);
        }
    }
    files
}

/// The fixture that [`parse`] reads as these files.
#[must_use]
pub fn print(files: &[(String, String)]) -> String {
    files.iter().map(|(path, text)| format!("//- /{path}\n{text}")).collect()
}
