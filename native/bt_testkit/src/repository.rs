//! The Beamtalk sources of this repository, for tests over real programs.

use std::collections::BTreeMap;
use std::{fs, io};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Texts of all units below a folder of the repository, by their paths from its root.
///
/// # Errors
/// A folder or file that cannot be read.
#[expect(clippy::disallowed_methods, reason = "tests read the repository's own examples")]
pub fn units(folder: &str) -> io::Result<BTreeMap<String, String>> {
    let mut folders = vec![format!("{ROOT}/{folder}")];
    let mut units = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path.to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(name);
            } else if name.ends_with(".bt") {
                units.insert(name.replace(ROOT, ""), fs::read_to_string(&path)?);
            }
        }
    }
    Ok(units)
}
