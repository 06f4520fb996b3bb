//! Products with derivatives along a direction of θ: the same sweeps, over the programs of [`Tangents`].

use super::Cpu;
use crate::backend::{Backend, Evaluation, Samples, SetId, Sum};
use crate::error::Result;
use crate::tangent::Tangents;
use ropinn_linalg::Numbers;
use std::ops::Range;

/// The programs along θ + εv, with sets that are those of the programs themselves at ε = 0.
pub(super) struct Tangent<T> {
    terms: Tangents,
    pub cpu: Cpu<T>,
    /// θ and v together.
    joint: Vec<f64>,
    points: Vec<f64>,
    out: Evaluation,
    own: Evaluation,
}

impl<T: Numbers> Tangent<T> {
    pub fn forget(&mut self, set: SetId) {
        if set.index() < self.cpu.sets.len() {
            self.cpu.remove(set);
        }
    }

    fn load(&mut self, theta: &[f64], direction: &[f64]) {
        self.terms.join(theta, direction, &mut self.joint);
        self.cpu.load_theta(&self.joint);
    }
}

impl<T: Numbers> Cpu<T> {
    /// The backend for derivatives along a direction, with these sets in it.
    pub(super) fn tangent(&mut self, sets: &[SetId]) -> Result<&mut Tangent<T>> {
        if self.tangent.is_none() {
            let terms = Tangents::new(&self.programs)?;
            let cpu = Cpu::new(terms.programs().to_vec(), &self.threads);
            let (joint, points) = (Vec::new(), Vec::new());
            let (out, own) = (Evaluation::default(), Evaluation::default());
            self.tangent = Some(Box::new(Tangent { terms, cpu, joint, points, out, own }));
        }
        let tangent = self.tangent.as_mut().expect("made above");
        for &set in sets {
            let own = &self.sets[set.index()];
            tangent.terms.lift(&own.points, &mut tangent.points);
            let samples = Samples { points: &tangent.points, data: &own.data, weights: &own.weights };
            tangent.cpu.place(set, own.term, samples)?;
        }
        Ok(tangent)
    }

    /// ∂r/∂ε of a set, laid out like its residuals: the second half of the outputs of its tangent program.
    pub(super) fn slopes(&mut self, theta: &[f64], direction: &[f64], set: SetId, out: &mut Vec<f64>) -> Result {
        let outputs = self.programs[self.sets[set.index()].term].outputs();
        let tangent = self.tangent(&[set])?;
        tangent.load(theta, direction);
        let mut both = std::mem::take(&mut tangent.out.grad);
        tangent.cpu.values(set, &mut both);
        out.clear();
        out.extend(both.chunks_exact(2 * outputs).flat_map(|sample| &sample[outputs..]));
        tangent.out.grad = both;
        Ok(())
    }

    /// Hv of some groups.
    pub(super) fn hessian_groups(
        &mut self,
        theta: &[f64],
        direction: &[f64],
        sets: &[SetId],
        sum: Sum<'_>,
        groups: Range<usize>,
        visit: &mut dyn FnMut(&Evaluation),
    ) -> Result {
        Tangents::check_hessian(&self.programs)?;
        let tangent = self.tangent(sets)?;
        tangent.load(theta, direction);
        let count = groups.len();
        tangent.cpu.run_groups(sets, sum, groups);
        for group in &tangent.cpu.groups[..count] {
            tangent.terms.own_part(&group.grad, &mut tangent.own.grad);
            visit(&tangent.own);
        }
        Ok(())
    }
}
