//! What a class's file is called after its class got another name.

use crate::error::Refusal;
use bt_xref::Index;

/// The new file of a class, in the style of the old one: named exactly like the class, or in snake
/// case; `None` when the file is named otherwise.
///
/// # Errors
///
/// `file.taken` when another unit has that file, or one that differs in letter case only.
pub fn renamed(index: &Index, file: &str, old: &str, new: &str) -> Result<Option<String>, Refusal> {
    let (folder, base) = match file.rfind('/') {
        Some(at) => file.split_at(at + 1),
        None => ("", file),
    };
    let (stem, extension) = match base.rfind('.') {
        Some(at) => base.split_at(at),
        None => (base, ""),
    };
    let new_stem = if stem == old {
        new.to_owned()
    } else if stem == snake_case(old) {
        snake_case(new)
    } else {
        return Ok(None);
    };
    let new_file = format!("{folder}{new_stem}{extension}");
    if new_file == file {
        return Ok(None);
    }
    let is_clash = |other: &str| other != file && other.eq_ignore_ascii_case(&new_file);
    match index.units().find(|entry| is_clash(&entry.file)) {
        Some(entry) => Err(Refusal::new(
            "file.taken",
            format!("cannot rename {file} to {new_file}: {} exists", entry.file),
            "Move the other file away first.",
        )),
        None => Ok(Some(new_file)),
    }
}

/// Snake case of a class name: `_` before an upper-case letter only behind a lower-case one
/// (`HTTPDock` is `httpdock`).
#[must_use]
pub fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let mut is_behind_lower = false;
    for ch in name.chars() {
        if ch.is_ascii_uppercase() && is_behind_lower {
            snake.push('_');
        }
        is_behind_lower = ch.is_ascii_lowercase();
        snake.push(ch.to_ascii_lowercase());
    }
    snake
}

/// The extension files of a class (`Counter+Reports.bt`), which a rename leaves where they are.
#[must_use]
pub fn extension_files(index: &Index, class: &str) -> Vec<String> {
    let is_extension = |file: &str| {
        let base = file.rsplit('/').next().unwrap_or(file);
        base.split_once('+').is_some_and(|(target, _)| target == class)
    };
    let files = index.units().map(|entry| &entry.file).filter(|file| is_extension(file));
    files.map(ToString::to_string).collect()
}
