//! Which tiles go to which accumulator: a function of the batch sizes alone, never of the threads.

use crate::program::Program;
use crate::typed::tile_split;

/// One tile of one term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub term: usize,
    pub first: usize,
    pub samples: usize,
    /// Samples padded to whole lanes.
    pub lanes: usize,
    /// Samples of the whole batch, for the mean.
    pub total: usize,
}

/// Bounds on the number of accumulators, on the memory they take together, and on the tiles that share the cost of one.
const MOST_GROUPS: usize = 64;
const FEWEST_GROUPS: usize = 8;
const GROUP_BYTES: usize = 64 << 20;
const TILES_PER_GROUP: usize = 8;

/// Tiles of all terms in order, cut into groups of about equal work.
#[derive(Default)]
pub(crate) struct Schedule {
    samples: Vec<usize>,
    jobs: Vec<Job>,
    bounds: Vec<usize>,
}

impl Schedule {
    /// Makes the schedule anew if the batch sizes have changed.
    pub fn update(&mut self, terms: &[Program], samples: impl Iterator<Item = usize> + Clone) {
        if self.samples.iter().copied().eq(samples.clone()) {
            return;
        }
        self.samples = samples.collect();
        self.jobs.clear();
        for (term, (program, &total)) in terms.iter().zip(&self.samples).enumerate() {
            let (size, lanes) = tile_split(total, program.tile_samples());
            self.jobs.extend((0..total).step_by(size).map(|first| Job {
                term,
                first,
                samples: size.min(total - first),
                lanes,
                total,
            }));
        }
        let parameters = terms.first().map_or(1, Program::parameters);
        let affordable = (GROUP_BYTES / (8 * parameters.max(1))).min(self.jobs.len() / TILES_PER_GROUP);
        let groups = affordable.clamp(FEWEST_GROUPS, MOST_GROUPS).min(self.jobs.len());
        self.bounds = cut(&self.jobs, groups, |job| terms[job.term].gemm_flops(job.lanes) + job.lanes as f64);
    }

    /// Number of accumulators.
    pub fn groups(&self) -> usize {
        self.bounds.len().saturating_sub(1)
    }

    /// Tiles of one accumulator.
    pub fn jobs(&self, group: usize) -> &[Job] {
        &self.jobs[self.bounds[group]..self.bounds[group + 1]]
    }
}

/// Cuts `jobs` into `groups` runs of about equal cost.
fn cut(jobs: &[Job], groups: usize, cost: impl Fn(&Job) -> f64) -> Vec<usize> {
    let total: f64 = jobs.iter().map(&cost).sum();
    let mut bounds = vec![0];
    let mut before = 0.0;
    for (i, job) in jobs.iter().enumerate() {
        let share = total * bounds.len() as f64 / groups as f64;
        if before + 0.5 * cost(job) > share && bounds.len() < groups {
            bounds.push(i);
        }
        before += cost(job);
    }
    bounds.push(jobs.len());
    bounds
}
