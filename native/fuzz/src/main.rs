//! Random texts against the parser, for a bounded time: `make fuzz`.
//!
//! A plain program rather than a coverage-guided one, so that it runs with the stable toolchain and
//! nothing installed. Every case comes from a number; a finding prints that number, and
//! `--case N` runs it alone. Cases run on a stack as small as a dirty scheduler's.
//!
//! Targets, in turn: `bytes` (any bytes: no panic, lossless, a sound tree, every query answers) and
//! `round_trip` (a program is parsed, printed and parsed again: the same tree; printed with other
//! blanks: the same tree but for them).

mod bytes;
mod round_trip;

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const STACK: usize = 256 * 1024;

/// What the command line asks for.
struct Options {
    seconds: u64,
    seed: u64,
    case: Option<u64>,
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!("usage: bt_fuzz [--seconds N] [--seed N] [--case N]");
        return ExitCode::from(2);
    };
    let thread = std::thread::Builder::new().stack_size(STACK);
    match thread.spawn(move || run(&options)).map(std::thread::JoinHandle::join) {
        Ok(Ok(true)) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn options() -> Option<Options> {
    let mut options = Options { seconds: 60, seed: 1, case: None };
    let mut args = std::env::args().skip(1);
    while let Some(name) = args.next() {
        let value: u64 = args.next()?.parse().ok()?;
        match name.as_str() {
            "--seconds" => options.seconds = value,
            "--seed" => options.seed = value,
            "--case" => options.case = Some(value),
            _ => return None,
        }
    }
    Some(options)
}

/// Runs cases until the time is over; `true` when there was no finding.
fn run(options: &Options) -> bool {
    let start = Instant::now();
    let end = Duration::from_secs(options.seconds);
    let first = options.case.unwrap_or(options.seed.wrapping_mul(1 << 32));
    let mut case = first;
    let mut n_bytes = 0;
    let mut next_report = Duration::from_secs(10);
    loop {
        match catch_unwind(AssertUnwindSafe(|| run_case(case))) {
            Ok(n) => n_bytes += n as u64,
            Err(_) => {
                println!("finding: case {case} (run it alone with --case {case})");
                return false;
            }
        }
        case += 1;
        let elapsed = start.elapsed();
        if options.case.is_some() || elapsed >= end {
            let n_cases = case - first;
            println!("{n_cases} executions, {n_bytes} bytes, {elapsed:.0?}: no finding");
            return true;
        }
        if elapsed >= next_report {
            println!("{:>5.0?}  {} executions, next is case {case}", elapsed, case - first);
            next_report += Duration::from_secs(10);
        }
    }
}

/// Runs one case; the number of bytes it has parsed.
fn run_case(case: u64) -> usize {
    if case.is_multiple_of(4) {
        round_trip::run(case)
    } else {
        bytes::run(case)
    }
}
