//! A soak: `gsi serve` on publishers that report at the live volume, through months of simulated time, while its
//! memory, its ticks and its store are measured. `scripts/soak` runs it. Its output is a measurement and no
//! test.
//!
//! The publishers run in this process and the service in a separate one, so that only the service is measured.

mod service;
mod verdict;

use gsi_model::{Clock, DAY, SimulatedPace, TICK, Timestamp};
use gsi_sim::{SimServer, World, WorldSettings};
use service::{Installation, RunningService, ServiceFigures, bytes_below, file_bytes};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use verdict::{ratio_of_thirds, say};

/// Rows of the event publisher in a quarter of an hour on a busy day.
const ROWS_PER_SLOT: f64 = 1_500.0;
const BEGINS: &str = "2026-08-01T00:00:00Z";
const USUAL_DAYS: f64 = 90.0;
/// Two ticks a second; each takes a fraction of a second on one core.
const USUAL_SCALE: f64 = 1_800.0;
const CHECK_EVERY: Duration = Duration::from_millis(100);

/// The store's size at this volume by docs/operating.md: the publishers' history and eight days of every tick's
/// engine state, and then a daily growth.
const DATABASE_FIRST_MB: f64 = 25.0;
const DATABASE_MB_PER_DAY: f64 = 15.0;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [binary, folder] = arguments.as_slice() else { return Err("usage: soak BINARY FOLDER".into()) };
    let (days, scale) = (number("TEST_SOAK_DAYS", USUAL_DAYS)?, number("TEST_SOAK_SCALE", USUAL_SCALE)?);
    let begins: Timestamp = BEGINS.parse()?;
    let since = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let pace = SimulatedPace { begins, since: UNIX_EPOCH + Duration::from_secs(since), scale };
    let world = Arc::new(World::new(WorldSettings {
        rows_per_slot: ROWS_PER_SLOT,
        // The service does not read that file.
        mentions_per_row: 0.0,
        live: begins,
        ..WorldSettings::new(1, begins.minus(DAY))
    }));
    let publishers = SimServer::start(world.clone(), Arc::new(pace))?;
    let installation = Installation {
        binary: binary.into(),
        data: Path::new(folder).join("data"),
        publishers: publishers.base_url(),
        since: Timestamp::from_unix(since as i64),
        pace,
    };
    println!(
        "{days} simulated days at {scale} seconds a second ({:.0} minutes), {ROWS_PER_SLOT} rows a quarter-hour wanted, {:.0} published",
        days * DAY as f64 / scale / 60.0,
        rows_per_slot(&world, begins)
    );
    let measurements = soak(&installation, days)?;
    conclude(&installation, days, &measurements)?;
    publishers.stop();
    Ok(())
}

fn number(name: &str, usual: f64) -> Result<f64, Box<dyn Error>> {
    match std::env::var(name) {
        Err(_) => Ok(usual),
        Ok(text) => text.parse().map_err(|_| format!("{name} takes a number").into()),
    }
}

/// Rows in a file of the event publisher, over a week.
fn rows_per_slot(world: &World, from: Timestamp) -> f64 {
    let slots = (0..7 * DAY / TICK).step_by(7).map(|n| world.slot(from.plus(n * TICK)));
    let rows: Vec<usize> = slots.map(|news| news.export.iter().filter(|b| **b == b'\n').count()).collect();
    rows.iter().sum::<usize>() as f64 / rows.len() as f64
}

/// One measurement of the service.
struct Measurement {
    day: f64,
    resident_mb: f64,
    /// Of the ticks since the measurement before, if there were any.
    tick_ms: Option<f64>,
    cpu_seconds: f64,
    ticks: u64,
}

fn soak(installation: &Installation, days: f64) -> Result<Vec<Measurement>, Box<dyn Error>> {
    let mut service = installation.start()?;
    println!(
        "{:>6} {:>6} {:>9} {:>8} {:>9} {:>7} {:>9} {:>12} {:>9} {:>9} {:>9}",
        "day",
        "ticks",
        "rows kept",
        "events",
        "db MB",
        "WAL MB",
        "arch. MB",
        "resident MB",
        "own MB",
        "tick ms",
        "CPU ms"
    );
    let (mut measurements, mut before): (Vec<Measurement>, ServiceFigures) = (Vec::new(), service.figures()?);
    let mut tenth = 1;
    let mut first_of_tenth = 0;
    while tenth <= 10 {
        std::thread::sleep(CHECK_EVERY);
        let now = service.figures()?;
        let day = installation.pace.now().since(installation.pace.begins) as f64 / DAY as f64;
        let ticks = now.ticks - before.ticks;
        measurements.push(Measurement {
            day,
            resident_mb: now.resident_mb,
            tick_ms: (ticks > 0).then(|| (now.tick_seconds - before.tick_seconds) * 1e3 / ticks as f64),
            cpu_seconds: now.cpu_seconds,
            ticks: now.ticks,
        });
        before = now;
        if day >= days * f64::from(tenth) / 10.0 {
            print_tenth(installation, &service, &measurements[first_of_tenth..]);
            first_of_tenth = measurements.len() - 1;
            tenth += 1;
        }
    }
    service.stop()?;
    Ok(measurements)
}

fn print_tenth(installation: &Installation, service: &RunningService, measurements: &[Measurement]) {
    let data = &installation.data;
    let Some((first, last)) = measurements.first().zip(measurements.last()) else { return };
    let done = service.ticks_done();
    println!(
        "{:>6.1} {:>6} {:>9} {:>8} {:>9.1} {:>7.1} {:>9.1} {:>12.1} {:>9.1} {:>9.0} {:>9.0}",
        last.day,
        done.ticks,
        done.rows,
        done.events,
        file_bytes(&data.join("gsi.db")) / 1e6,
        file_bytes(&data.join("gsi.db-wal")) / 1e6,
        bytes_below(&data.join("archive")) / 1e6,
        verdict::median(measurements.iter().map(|l| l.resident_mb)),
        service.own_mb(),
        verdict::median(measurements.iter().filter_map(|l| l.tick_ms)),
        (last.cpu_seconds - first.cpu_seconds) * 1e3 / (last.ticks - first.ticks).max(1) as f64,
    );
}

fn conclude(
    installation: &Installation,
    days: f64,
    measurements: &[Measurement],
) -> Result<(), Box<dyn Error>> {
    let third = |n: usize| measurements.iter().filter(move |l| (l.day * 3.0 / days) as usize == n);
    let cpu_per_tick = |n: usize| {
        let (first, last) = (third(n).next()?, third(n).next_back()?);
        let ticks = last.ticks.checked_sub(first.ticks).filter(|ticks| *ticks > 0)?;
        Some((last.cpu_seconds - first.cpu_seconds) / ticks as f64)
    };
    println!();
    let memory = [1, 2].map(|n| verdict::median(third(n).map(|l| l.resident_mb)));
    say(
        "memory, last third against the second",
        ratio_of_thirds(memory),
        memory[1] <= memory[0] * 1.05,
        "≤ 1.05",
    );
    let tick = [1, 2].map(|n| verdict::median(third(n).filter_map(|l| l.tick_ms)));
    say(
        "median tick, last third against the second",
        ratio_of_thirds(tick),
        tick[1] <= tick[0] * 1.05,
        "≤ 1.05",
    );
    let cpu = [1, 2].map(|n| cpu_per_tick(n).unwrap_or(f64::NAN) * 1e3);
    say(
        "CPU of a tick, last third against the second",
        ratio_of_thirds(cpu),
        cpu[1] <= cpu[0] * 1.05,
        "≤ 1.05",
    );
    // The first ticks read the publishers' history, which takes longer than the clock allows here.
    let later: Vec<&Measurement> = measurements.iter().filter(|l| l.day >= days / 10.0).collect();
    if let Some((first, last)) = later.first().zip(later.last()) {
        let (done, due) = (last.ticks - first.ticks, ((last.day - first.day) * DAY as f64) as i64 / TICK);
        let share = done as f64 / due as f64;
        say(
            "ticks done of those due since the first tenth",
            format!("{done} of {due}"),
            share >= 0.99,
            "≥ 99 %",
        );
    }

    let data = &installation.data;
    let database = file_bytes(&data.join("gsi.db")) / 1e6;
    let predicted = DATABASE_FIRST_MB + DATABASE_MB_PER_DAY * days;
    let is_near = (database / predicted - 1.0).abs() <= 0.1;
    say("database", format!("{database:.0} MB, {predicted:.0} predicted"), is_near, "within 10 %");

    let mut service = installation.start()?;
    let (ready, first_tick) = (service.seconds_to_ready, service.seconds_to_first_tick()?);
    say("restart on that store, until it is ready", format!("{ready:.2} s"), ready < 2.0, "< 2 s");
    say("until it has done a tick", format!("{first_tick:.2} s"), first_tick < 2.0, "< 2 s");
    println!("memory after the restart: {:.0} MB", service.figures()?.resident_mb);
    service.stop()?;
    let last_day = installation.pace.begins.plus(((days - 1.0).max(0.0) * DAY as f64) as i64).to_string();
    let last_moment = installation.pace.begins.plus((days * DAY as f64) as i64).to_string();
    for arguments in
        [&["store", "check"][..], &["replay", "--verify", "--from", &last_day, "--to", &last_moment]]
    {
        let (answer, seconds, is_good) = installation.run(arguments)?;
        say(&format!("gsi {}", arguments.join(" ")), format!("{seconds:.0} s"), is_good, "sound");
        println!("    {}", answer.trim_end().replace('\n', "\n    "));
    }
    Ok(())
}
