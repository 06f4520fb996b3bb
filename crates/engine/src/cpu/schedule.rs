//! Which tiles go to which group: a function of the numbers of samples alone, never of the threads.

use crate::program::{LANES, Program};

/// One tile of one term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub term: usize,
    pub first: usize,
    pub samples: usize,
    /// Samples padded to whole lanes.
    pub lanes: usize,
}

/// Bounds on the number of groups, on the memory their sums take together, and on the tiles that share the cost of one.
const MOST_GROUPS: usize = 64;
const FEWEST_GROUPS: usize = 8;
const GROUP_BYTES: usize = 64 << 20;
const TILES_PER_GROUP: usize = 8;
/// Sums that are matrices are costly to add: theirs are fewer groups, of this many residuals at least.
pub(super) const MOST_MERGED: usize = 8;
const RESIDUALS_PER_MERGED: usize = 1024;

/// Tiles of all terms in order, cut into groups of about equal work.
#[derive(Default)]
pub(super) struct Schedule {
    samples: Vec<usize>,
    residuals: usize,
    jobs: Vec<Job>,
    bounds: Vec<usize>,
}

impl Schedule {
    /// Makes the schedule anew if the numbers of samples have changed.
    pub fn update(&mut self, terms: &[Program], samples: impl Iterator<Item = usize> + Clone) {
        if self.samples.iter().copied().eq(samples.clone()) {
            return;
        }
        self.samples = samples.collect();
        self.residuals = terms.iter().zip(&self.samples).map(|(program, n)| program.outputs() * n).sum();
        self.jobs.clear();
        for (term, (program, &total)) in terms.iter().zip(&self.samples).enumerate() {
            let (size, lanes) = tile_split(total, program.tile_samples());
            self.jobs.extend((0..total).step_by(size).map(|first| Job {
                term,
                first,
                samples: size.min(total - first),
                lanes,
            }));
        }
        let parameters = terms.first().map_or(1, Program::parameters);
        let affordable = (GROUP_BYTES / (8 * parameters.max(1))).min(self.jobs.len() / TILES_PER_GROUP);
        let groups = affordable.clamp(FEWEST_GROUPS, MOST_GROUPS).min(self.jobs.len());
        self.bounds = cut(&self.jobs, groups, |job| terms[job.term].gemm_flops(job.lanes) + job.lanes as f64);
    }

    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.bounds.len().saturating_sub(1)
    }

    /// Tiles of one group.
    pub fn jobs(&self, group: usize) -> &[Job] {
        &self.jobs[self.bounds[group]..self.bounds[group + 1]]
    }

    /// Number of groups of a sum of matrices: each is a run of neighbouring groups.
    pub fn merged(&self) -> usize {
        (self.residuals / RESIDUALS_PER_MERGED).clamp(1, MOST_MERGED).min(self.groups())
    }

    /// What such a group holds: of each term in it, the first sample and how many there are.
    pub fn merged_samples(&self, group: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        let bound = |merged: usize| self.bounds[merged * self.groups() / self.merged()];
        let jobs = self.jobs[bound(group)..bound(group + 1)].chunk_by(|a, b| a.term == b.term);
        jobs.map(|jobs| (jobs[0].term, jobs[0].first, jobs.iter().map(|job| job.samples).sum()))
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

/// Samples per tile and padded lanes for `samples` in all.
pub(super) fn tile_split(samples: usize, largest: usize) -> (usize, usize) {
    let tiles = samples.div_ceil(largest).max(1);
    let size = samples.div_ceil(tiles).max(1);
    let lanes = size.next_multiple_of(LANES);
    (lanes.min(samples), lanes)
}
