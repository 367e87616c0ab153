//! Linker options of the library.

fn main() {
    // The library owns a thread (see `janitor`): it must stay mapped when its module is purged.
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
    println!("cargo:rerun-if-changed=build.rs");
}
