//! Compilation: network + residuals → an immutable program over derivative channels.

use crate::error::{EngineError, Result};
use crate::jet::{Alpha, ChannelSet, Coef, MAX_ORDER, Operator};
use crate::network::{Network, Op};
use crate::plan::{Plan, SequencePlan};
use crate::residual::{Collapsed, Load, SymbolicOperator, Tape, TapeBuilder, collapse};
use ropinn_expr::{Expr, MultiIndex};
use std::ops::Range;
use std::sync::Arc;

/// At which elements of a pseudo-sequence a term's residuals are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Elements {
    /// At every element; the mean runs over samples and elements.
    #[default]
    All,
    /// At the first element only, which is the sample's own point.
    First,
}

/// One term of a loss before compilation: a name and the expressions that must vanish.
#[derive(Clone, Debug)]
pub struct TermSpec {
    /// Name for messages and records.
    pub name: String,
    /// Expressions that must vanish; each is a mean square of its own.
    pub residuals: Vec<Expr>,
    /// Which sequence elements they are taken at.
    pub elements: Elements,
    /// How many of the expressions, in order, make up each part: a mean square with a weight of its own. Parts share points
    /// and one pass through the network. What is left over joins the last part; none given means one part.
    pub parts: Vec<usize>,
}

impl TermSpec {
    /// A term over all sequence elements.
    pub fn new(name: impl Into<String>, residuals: Vec<Expr>) -> Self {
        Self { name: name.into(), residuals, elements: Elements::All, parts: Vec::new() }
    }

    /// The same term in parts of so many expressions each.
    pub fn in_parts(mut self, parts: Vec<usize>) -> Self {
        self.parts = parts;
        self
    }

    /// The same term, taken at the first sequence element only.
    pub fn on_first_element(mut self) -> Self {
        self.elements = Elements::First;
        self
    }
}

/// A number the tape reads from the network: one channel of one unknown, summed over elements.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Readout {
    pub field: usize,
    pub site: usize,
    pub elements: Range<usize>,
    pub channel: usize,
}

/// A compiled term: immutable and shared by all threads.
#[derive(Clone, Debug)]
pub struct Program {
    spec: Arc<TermSpec>,
    network: Arc<Network>,
    plan: Plan,
    row_plan: Plan,
    /// In place of the plans, where a reverse sweep reads the derivatives.
    sequence: Option<SequencePlan>,
    tape: Tape,
    coef_tape: Tape,
    readouts: Vec<Readout>,
    sites: usize,
    data_columns: usize,
    trainables: usize,
    elements_used: usize,
    /// The part each residual expression belongs to.
    part_of_residual: Vec<usize>,
}

impl Program {
    /// Compiles one term of a loss for `network`, with `trainables` trained scalars after the network's parameters in θ.
    pub fn compile(network: &Arc<Network>, spec: &TermSpec, trainables: usize) -> Result<Self> {
        check(network, spec)?;
        let elements_used = match spec.elements {
            Elements::All => network.elements(),
            Elements::First => 1,
        };
        let lowered = Lowered::new(network, spec, elements_used);
        let used = spec.residuals.iter().flat_map(|r| r.trainables()).max().map_or(0, |k| k + 1);
        Ok(Self {
            spec: Arc::new(spec.clone()),
            network: network.clone(),
            plan: lowered.plan,
            row_plan: lowered.row_plan,
            sequence: lowered.sequence,
            tape: lowered.tape,
            coef_tape: lowered.coef_tape,
            readouts: lowered.readouts,
            sites: spec.residuals.iter().map(Expr::max_site).max().unwrap_or(0) + 1,
            data_columns: spec.residuals.iter().flat_map(|r| r.data_columns()).max().map_or(0, |k| k + 1),
            trainables: trainables.max(used),
            elements_used,
            part_of_residual: part_of_residual(spec),
        })
    }

    /// Name of the term.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// What was compiled.
    pub fn spec(&self) -> &TermSpec {
        &self.spec
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Length of θ: network parameters, then trained scalars.
    pub fn parameters(&self) -> usize {
        self.network.parameters() + self.trainables
    }

    /// Number of linked places per sample (2 for a periodic pair).
    pub fn sites(&self) -> usize {
        self.sites
    }

    /// Numbers per sample in a list of points: sites × elements × coordinates.
    pub fn coordinates_per_sample(&self) -> usize {
        self.sites * self.network.elements() * self.network.coordinates()
    }

    /// Data values per sample.
    pub fn data_columns(&self) -> usize {
        self.data_columns
    }

    /// Residual values per sample: residuals × elements used, the element running fastest.
    pub fn outputs(&self) -> usize {
        self.tape.outputs()
    }

    /// Number of residual expressions.
    pub fn residuals(&self) -> usize {
        self.spec.residuals.len()
    }

    /// Number of parts: mean squares with weights of their own (see [`TermSpec::parts`]).
    pub fn parts(&self) -> usize {
        self.part_of_residual.last().map_or(1, |last| last + 1)
    }

    /// The part a residual value belongs to.
    pub fn part_of(&self, output: usize) -> usize {
        self.part_of_residual[output / self.elements_used]
    }

    /// Sequence elements each residual is taken at.
    pub fn elements_used(&self) -> usize {
        self.elements_used
    }

    /// √(weight/count) for so many samples: the loss is the sum of squares of residuals times this.
    pub fn residual_scale(&self, samples: usize, weight: f64) -> f64 {
        (weight / (samples * self.elements_used) as f64).sqrt()
    }

    /// Number of derivative channels carried through the network.
    pub fn channels(&self) -> usize {
        self.sequence.as_ref().map_or(self.plan.channels.len(), SequencePlan::channels)
    }

    /// The minimum floating-point work of the matrix products, forward and backward, for that many samples.
    pub fn gemm_flops(&self, samples: usize) -> f64 {
        let columns = samples * self.sites * self.network.elements();
        let flops = self.sequence.as_ref().map(SequencePlan::gemm_flops_per_column);
        flops.unwrap_or_else(|| self.plan.gemm_flops_per_column()) * columns as f64
    }

    /// Samples per tile: as many as keep the planes of a tile near the size of the second-level cache.
    pub fn tile_samples(&self) -> usize {
        let places = self.sites * self.network.elements();
        if let Some(sequence) = &self.sequence {
            // The halves of a sweep follow one another, and a half is what a matrix product sees: rounded up, not down.
            let samples = TILE_COLUMNS / (sequence.jets.lower() * places);
            return samples.next_multiple_of(LANES).clamp(LANES, 16 * LANES);
        }
        let planes = self.plan.nodes.iter().map(|n| n.full).max().unwrap_or(1).max(1);
        (TILE_COLUMNS / (planes * places)).clamp(LANES, 32 * LANES) / LANES * LANES
    }

    pub(crate) fn plan(&self, rows: bool) -> &Plan {
        if rows { &self.row_plan } else { &self.plan }
    }

    pub(crate) fn sequence(&self) -> Option<&SequencePlan> {
        self.sequence.as_ref()
    }

    pub(crate) fn tape(&self) -> &Tape {
        &self.tape
    }

    pub(crate) fn coef_tape(&self) -> &Tape {
        &self.coef_tape
    }

    pub(crate) fn readouts(&self) -> &[Readout] {
        &self.readouts
    }
}

fn part_of_residual(spec: &TermSpec) -> Vec<usize> {
    let counted = spec.parts.iter().enumerate().flat_map(|(part, &count)| std::iter::repeat_n(part, count));
    let last = spec.parts.len().saturating_sub(1);
    counted.chain(std::iter::repeat(last)).take(spec.residuals.len()).collect()
}

/// Columns × planes of a tile that ran fastest across widths 20 to 512 (see `docs/performance.md`).
const TILE_COLUMNS: usize = 640;

/// Samples of a tile come in multiples of this many lanes.
pub(crate) const LANES: usize = 16;

/// Refuses what cannot be compiled, naming the culprit.
fn check(network: &Network, spec: &TermSpec) -> Result {
    if spec.residuals.is_empty() {
        return Err(EngineError::NoResiduals);
    }
    let coordinates = network.coordinates();
    for residual in &spec.residuals {
        let text = || abbreviated(residual);
        for (field, alpha, _) in residual.unknowns() {
            if field >= network.unknowns() {
                return Err(EngineError::UnknownOutOfRange { residual: text(), field, outputs: network.unknowns() });
            }
            if let Some(axis) = alpha.axes().find(|&axis| axis >= coordinates) {
                return Err(EngineError::CoordinateOutOfRange { residual: text(), axis, coordinates });
            }
            let order = alpha.axes().filter(|axis| Some(*axis) != network.infinitesimal).count();
            if order > MAX_ORDER {
                return Err(EngineError::OrderTooHigh { residual: text(), order, max: MAX_ORDER });
            }
            check_smoothness(network, order)?;
        }
        if let Some(axis) = residual.coordinates().into_iter().find(|&axis| axis >= coordinates) {
            return Err(EngineError::CoordinateOutOfRange { residual: text(), axis, coordinates });
        }
    }
    Ok(())
}

pub(crate) fn check_smoothness(network: &Network, order: usize) -> Result {
    for op in &network.ops {
        let (activation, smooth) = match op {
            Op::Spline { basis, .. } => (format!("the B-spline basis of degree {}", basis.degree()), basis.degree()),
            Op::Activate { kind, .. } => match kind.smoothness() {
                Some(smooth) => (format!("the activation `{kind}`"), usize::from(smooth)),
                None => continue,
            },
            _ => continue,
        };
        if order > smooth {
            return Err(EngineError::NotSmooth { order, activation, smooth });
        }
    }
    Ok(())
}

/// Long residuals are cut in messages.
pub(crate) fn abbreviated(residual: &Expr) -> String {
    let text = residual.to_string();
    if text.chars().count() > 80 { text.chars().take(77).chain("...".chars()).collect() } else { text }
}

/// The plans and tapes of a program.
struct Lowered {
    plan: Plan,
    row_plan: Plan,
    sequence: Option<SequencePlan>,
    tape: Tape,
    coef_tape: Tape,
    readouts: Vec<Readout>,
}

impl Lowered {
    /// By a reverse sweep to the coordinates where there is one, else on channels.
    fn new(network: &Network, spec: &TermSpec, elements_used: usize) -> Self {
        if let Some((sequence, tape)) = SequencePlan::new(network, &spec.residuals, elements_used) {
            let (plan, row_plan) = (Plan::empty(), Plan::empty());
            let (coef_tape, readouts) = (Tape::default(), Vec::new());
            return Self { plan, row_plan, sequence: Some(sequence), tape, coef_tape, readouts };
        }
        let kept = |alpha: &MultiIndex| is_own(network, alpha);
        let collapsed: Vec<Collapsed> = spec.residuals.iter().map(|residual| collapse(residual, kept)).collect();
        let mut lowering = Lowering::new(network, &collapsed, elements_used);
        let outputs = lowering.residual_outputs(&collapsed, elements_used);
        let tape = lowering.tape.finish(outputs);
        let mut wanted = vec![false; lowering.channels.len()];
        lowering.readouts.iter().for_each(|r| wanted[r.channel] = true);
        let plan = Plan::new(network, lowering.channels.clone(), &wanted, true);
        let row_plan = Plan::new(network, lowering.channels, &wanted, false);
        let (coef_tape, readouts) = (lowering.coef_tape, lowering.readouts);
        Self { plan, row_plan, sequence: None, tape, coef_tape, readouts }
    }
}

/// Turns collapsed residuals into channels, read-outs and tapes.
struct Lowering<'a> {
    network: &'a Network,
    channels: ChannelSet,
    coef_tape: Tape,
    /// Each symbolic operator per element with its numbered coefficients.
    operators: Vec<((SymbolicOperator, usize), Operator)>,
    readouts: Vec<Readout>,
    tape: TapeBuilder,
}

impl<'a> Lowering<'a> {
    fn new(network: &'a Network, collapsed: &[Collapsed], elements_used: usize) -> Self {
        let mut coefs = TapeBuilder::default();
        let mut coef_outputs: Vec<usize> = Vec::new();
        let mut operators: Vec<((SymbolicOperator, usize), Operator)> = Vec::new();
        let mut wanted: Vec<Operator> = Vec::new();
        for element in 0..elements_used {
            for residual in collapsed {
                for product in &residual.products {
                    let key = (product.operator.clone(), element);
                    if operators.iter().all(|(k, _)| *k != key) {
                        let numbered = number_operator(network, &key, &mut coefs, &mut coef_outputs);
                        wanted.push(numbered.clone());
                        operators.push((key, numbered));
                    }
                }
                let plain = residual.plain_derivatives();
                wanted.extend(plain.map(|(_, alpha, _)| Operator::plain(directions(network, alpha, element))));
            }
        }
        let channels = ChannelSet::covering(&wanted);
        let coef_tape = coefs.finish(coef_outputs);
        Self { network, channels, coef_tape, operators, readouts: Vec::new(), tape: TapeBuilder::default() }
    }

    /// Tape slots of every residual at every element used, the element running fastest.
    fn residual_outputs(&mut self, collapsed: &[Collapsed], elements_used: usize) -> Vec<usize> {
        let mut outputs = Vec::new();
        for residual in collapsed {
            for element in 0..elements_used {
                let mut sum = self.expr(&residual.rest, element);
                for product in &residual.products {
                    let factor = self.expr(&product.factor, element);
                    let value = self.operator_value(&product.operator, product.field, product.site, element);
                    let scaled = self.tape.mul(factor, value);
                    sum = self.tape.add(sum, scaled);
                }
                outputs.push(sum);
            }
        }
        outputs
    }

    /// Slot of `(operator u_field)(site)`: one channel, or a combination of carried plain derivatives.
    fn operator_value(&mut self, symbolic: &SymbolicOperator, field: usize, site: usize, element: usize) -> usize {
        let key = (symbolic.clone(), element);
        let numbered = self.operators.iter().find(|(k, _)| *k == key).map(|(_, o)| o.clone());
        let numbered = numbered.expect("every product's operator was numbered when the lowering was made");
        let parts = self.channels.readout(&numbered).expect("the channel set covers every operator");
        if let [(channel, Coef::Const(1.0))] = parts[..] {
            return self.readout(field, site, element, channel);
        }
        let mut sum = self.tape.constant(0.0);
        for (alpha, coefficient) in &symbolic.parts {
            let factor = self.expr(&coefficient.at(site), element);
            let channel = self.plain_channel(*alpha, element);
            let value = self.readout(field, site, element, channel);
            let scaled = self.tape.mul(factor, value);
            sum = self.tape.add(sum, scaled);
        }
        sum
    }

    fn plain_channel(&self, alpha: MultiIndex, element: usize) -> usize {
        let alpha = directions(self.network, alpha, element);
        self.channels.plain(alpha).expect("the channel set covers every plain derivative read")
    }

    /// Derivatives of a sequence network are those of the sum of its outputs; values are read at the element itself.
    fn readout(&mut self, field: usize, site: usize, element: usize, channel: usize) -> usize {
        let own = channel == 0
            || self.network.infinitesimal.is_some_and(|axis| self.channels.plain(Alpha::new(&[axis])) == Some(channel));
        let elements = if own { element..element + 1 } else { 0..self.network.elements() };
        let readout = Readout { field, site, elements, channel };
        let index = self.readouts.iter().position(|r| *r == readout).unwrap_or_else(|| {
            self.readouts.push(readout);
            self.readouts.len() - 1
        });
        self.tape.load(Load::Readout(index))
    }

    fn expr(&mut self, expr: &Expr, element: usize) -> usize {
        let mut tape = std::mem::take(&mut self.tape);
        let slot = tape.expr(expr, element, &mut |builder, field, alpha, site| {
            std::mem::swap(builder, &mut self.tape);
            let channel = self.plain_channel(alpha, element);
            let slot = self.readout(field, site, element, channel);
            std::mem::swap(builder, &mut self.tape);
            slot
        });
        self.tape = tape;
        slot
    }
}

/// Replaces coefficient expressions by numbers or by outputs of the coefficient tape.
fn number_operator(
    network: &Network,
    (symbolic, element): &(SymbolicOperator, usize),
    coefs: &mut TapeBuilder,
    outputs: &mut Vec<usize>,
) -> Operator {
    let mut parts: Vec<(Alpha, Coef)> = symbolic
        .parts
        .iter()
        .map(|(alpha, coefficient)| {
            let coef = match coefficient.as_constant() {
                Some(c) => Coef::Const(c),
                None => {
                    let slot = coefs.expr(coefficient, *element, &mut |b, _, _, _| b.constant(0.0));
                    let slot = outputs.iter().position(|&o| o == slot).unwrap_or_else(|| {
                        outputs.push(slot);
                        outputs.len() - 1
                    });
                    Coef::Varying { slot, scale: 1.0 }
                }
            };
            (directions(network, *alpha, *element), coef)
        })
        .collect();
    parts.sort_by_key(|(alpha, _)| *alpha);
    Operator { parts }
}

/// Whether ∂^α of a sequence network is read at the element itself: derivatives along θ alone are.
fn is_own(network: &Network, alpha: &MultiIndex) -> bool {
    network.elements() > 1 && alpha.axes().all(|axis| Some(axis) == network.infinitesimal)
}

/// ∂^α as directions. In a sequence network the last coordinate moves the element alone and the others move all elements:
/// that is what differentiating the sum of all outputs again and again gives. A direction of θ moves all elements.
fn directions(network: &Network, alpha: MultiIndex, element: usize) -> Alpha {
    let axes = network.coordinates();
    let mut list: Vec<usize> = alpha.axes().collect();
    if network.elements() > 1
        && let Some(last) = list.iter_mut().rfind(|axis| Some(**axis) != network.infinitesimal)
    {
        *last += axes * (1 + element);
    }
    Alpha::new(&list)
}
