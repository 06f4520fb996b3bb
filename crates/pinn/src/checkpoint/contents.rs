//! What a run consists of, part by part, in one fixed order.

use super::codec::{Decoder, Encoder};
use super::{Checkpoint, Damage};
use crate::objective::{CalibrationState, ObjectiveMemory};
use crate::record::Row;
use crate::state::{Best, Progress, TrainState};
use ropinn_optim::State;
use std::collections::BTreeMap;

/// Bytes of the shortest row: eight numbers, the lengths of its four lists, two absent errors.
const SHORTEST_ROW: usize = 8 * 8 + 4 * 8 + 2;

impl Checkpoint {
    pub(super) fn encode(&self, out: &mut Encoder) {
        out.text(&self.config);
        let TrainState { progress, optimizer, objective, ended } = &self.state;
        encode_progress(out, progress);
        out.count(progress.rows.len() as u64);
        progress.rows.iter().for_each(|row| encode_row(out, row));
        encode_optimizer(out, optimizer);
        let ObjectiveMemory { calibration, factors, points } = objective;
        out.count(calibration.gradients.len() as u64);
        calibration.gradients.iter().for_each(|gradient| out.numbers(gradient));
        out.number(calibration.sigma);
        out.numbers(factors);
        out.numbers(points);
        let ended = ended.as_ref().map(|reason| serde_json::to_string(reason).expect("a stop reason has a JSON form"));
        out.optional(ended, |out, reason| out.text(&reason));
    }

    pub(super) fn decode(content: &[u8]) -> Result<Self, Damage> {
        let mut from = Decoder::new(content);
        from.what = "configuration";
        let config = from.text()?.to_owned();
        from.what = "progress";
        let mut progress = decode_progress(&mut from)?;
        from.what = "record";
        let rows = from.length(SHORTEST_ROW)?;
        for _ in 0..rows {
            progress.rows.push(decode_row(&mut from)?);
        }
        from.what = "optimiser's memory";
        let optimizer = decode_optimizer(&mut from)?;
        from.what = "calibration";
        let past = from.length(8)?;
        let mut gradients = Vec::new();
        for _ in 0..past {
            gradients.push(from.numbers()?);
        }
        let calibration = CalibrationState { gradients, sigma: from.number()? };
        from.what = "weights and points";
        let objective = ObjectiveMemory { calibration, factors: from.numbers()?, points: from.numbers()? };
        from.what = "stop reason";
        let ended = from.optional(Decoder::text)?;
        let ended = ended.map(|json| serde_json::from_str(json).map_err(|_| from.damage())).transpose()?;
        from.what = "end";
        from.finish()?;
        Ok(Self { config, state: TrainState { progress, optimizer, objective, ended } })
    }
}

/// All but the rows.
fn encode_progress(out: &mut Encoder, progress: &Progress) {
    out.numbers(&progress.theta);
    out.numbers(&progress.good);
    let counts = [progress.phase as u64, progress.phase_steps, progress.steps, progress.evaluations];
    counts.into_iter().for_each(|count| out.count(count));
    out.number(progress.seconds);
    out.number(progress.best_loss);
    let counts = [progress.best_step, progress.stalled, progress.retries, progress.runaway];
    counts.into_iter().for_each(|count| out.count(count));
    out.optional(progress.first_loss, Encoder::number);
    out.optional(progress.best.as_ref(), |out, best| {
        out.numbers(&best.theta);
        out.count(best.iteration);
        out.number(best.loss);
        out.optional(best.rmse, Encoder::number);
    });
}

fn decode_progress(from: &mut Decoder<'_>) -> Result<Progress, Damage> {
    let mut progress = Progress::new(from.numbers()?);
    progress.good = from.numbers()?;
    progress.phase = usize::try_from(from.tally()?).map_err(|_| from.damage())?;
    progress.phase_steps = from.tally()?;
    progress.steps = from.tally()?;
    progress.evaluations = from.tally()?;
    progress.seconds = from.number()?;
    progress.best_loss = from.number()?;
    progress.best_step = from.tally()?;
    progress.stalled = from.tally()?;
    progress.retries = from.tally()?;
    progress.runaway = from.tally()?;
    progress.first_loss = from.optional(Decoder::number)?;
    progress.best = from.optional(|from| {
        let (theta, iteration, loss) = (from.numbers()?, from.tally()?, from.number()?);
        Ok(Best { theta, iteration, loss, rmse: from.optional(Decoder::number)? })
    })?;
    // What follows counts on these.
    let sane = progress.seconds >= 0.0 && progress.seconds.is_finite();
    let ordered = progress.phase_steps <= progress.steps && progress.best_step <= progress.steps;
    if sane && ordered { Ok(progress) } else { Err(from.damage()) }
}

fn encode_row(out: &mut Encoder, row: &Row) {
    out.count(row.iteration);
    out.count(row.phase as u64);
    out.number(row.loss);
    [&row.parts, &row.equations, &row.trained].into_iter().for_each(|list| out.numbers(list));
    for value in [row.sigma, row.region_size, row.region_raw, row.grad_norm] {
        out.number(value);
    }
    out.count(row.evaluations);
    out.number(row.seconds);
    out.optional(row.rmae, Encoder::number);
    out.optional(row.rmse, Encoder::number);
    out.numbers(&row.rmse_by_unknown);
}

fn decode_row(from: &mut Decoder<'_>) -> Result<Row, Damage> {
    Ok(Row {
        iteration: from.tally()?,
        phase: usize::try_from(from.tally()?).ok().filter(|phase| *phase >= 1).ok_or_else(|| from.damage())?,
        loss: from.number()?,
        parts: from.numbers()?,
        equations: from.numbers()?,
        trained: from.numbers()?,
        sigma: from.number()?,
        region_size: from.number()?,
        region_raw: from.number()?,
        grad_norm: from.number()?,
        evaluations: from.tally()?,
        seconds: from.number()?,
        rmae: from.optional(Decoder::number)?,
        rmse: from.optional(Decoder::number)?,
        rmse_by_unknown: from.numbers()?,
    })
}

fn encode_optimizer(out: &mut Encoder, state: &State) {
    fn map<T>(out: &mut Encoder, entries: &BTreeMap<String, T>, encode: impl Fn(&mut Encoder, &T)) {
        out.count(entries.len() as u64);
        for (name, value) in entries {
            out.text(name);
            encode(out, value);
        }
    }
    out.text(&state.optimizer);
    map(out, &state.vectors, |out, values| out.numbers(values));
    map(out, &state.scalars, |out, value| out.number(*value));
    map(out, &state.counts, |out, value| out.count(*value));
}

fn decode_optimizer(from: &mut Decoder<'_>) -> Result<State, Damage> {
    fn map<'a, T>(
        from: &mut Decoder<'a>,
        decode: impl Fn(&mut Decoder<'a>) -> Result<T, Damage>,
    ) -> Result<BTreeMap<String, T>, Damage> {
        let mut entries = BTreeMap::new();
        // Each entry is at least the length of its name and eight bytes.
        for _ in 0..from.length(16)? {
            entries.insert(from.text()?.to_owned(), decode(from)?);
        }
        Ok(entries)
    }
    Ok(State {
        optimizer: from.text()?.to_owned(),
        vectors: map(from, Decoder::numbers)?,
        scalars: map(from, Decoder::number)?,
        counts: map(from, Decoder::tally)?,
    })
}
