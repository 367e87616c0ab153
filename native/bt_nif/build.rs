//! Linker options of the library.

#[expect(clippy::disallowed_methods, reason = "cargo tells a build script by the environment")]
fn main() {
    // The library owns a thread (see `janitor`): it must stay mapped when its module is purged.
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
    println!("cargo:rerun-if-changed=build.rs");
}
