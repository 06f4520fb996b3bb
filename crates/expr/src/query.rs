//! What an expression depends on, and rewriting of its leaves.

use std::collections::BTreeSet;

use crate::traverse::{fold, for_each_node};
use crate::{Expr, MultiIndex, Node};

impl Expr {
    /// What `pick` makes of the nodes it knows.
    fn collect<T: Ord>(&self, pick: impl Fn(&Node) -> Option<T>) -> BTreeSet<T> {
        let mut found = BTreeSet::new();
        for_each_node(self, |expr| found.extend(pick(expr.node())));
        found
    }

    /// Every (field, derivative, site) of the unknowns that occurs.
    pub fn unknowns(&self) -> BTreeSet<(usize, MultiIndex, usize)> {
        self.collect(|node| match node {
            Node::Unknown { field, alpha, site } => Some((*field, *alpha, *site)),
            _ => None,
        })
    }

    /// The trainable scalars that occur.
    pub fn trainables(&self) -> BTreeSet<usize> {
        self.collect(|node| if let Node::Trainable(k) = node { Some(*k) } else { None })
    }

    /// The data columns that occur.
    pub fn data_columns(&self) -> BTreeSet<usize> {
        self.collect(|node| if let Node::Data(k) = node { Some(*k) } else { None })
    }

    /// The axes of the coordinates that occur by themselves.
    pub fn coordinates(&self) -> BTreeSet<usize> {
        self.collect(|node| if let Node::Coord { axis, .. } = node { Some(*axis) } else { None })
    }

    /// Whether any unknown, or a derivative of one, occurs.
    pub fn depends_on_unknowns(&self) -> bool {
        self.summary().unknowns
    }

    /// Whether any trainable scalar occurs.
    pub fn depends_on_trainables(&self) -> bool {
        self.summary().trainables
    }

    /// Whether any coordinate occurs by itself (unknowns do not count).
    pub fn depends_on_coords(&self) -> bool {
        self.summary().coords
    }

    /// Whether it is a sum of unknowns and their derivatives, times what is given, and of what is given.
    ///
    /// ```
    /// # use ropinn_expr::Scope;
    /// let scope = Scope::new(["x", "t"], ["u"])?;
    /// assert!(scope.parse("u_t - exp(x)*u_xx + where(x > 0, u, 1) - sin(t)")?.is_affine());
    /// assert!(!scope.parse("u_t + u*u_x")?.is_affine() && !scope.parse("sin(u)")?.is_affine());
    /// # Ok::<(), ropinn_expr::Error>(())
    /// ```
    pub fn is_affine(&self) -> bool {
        // The degree in the unknowns, 2 standing for everything that is neither constant nor linear.
        fold(self, |expr, degrees: &[u8]| {
            let highest = degrees.iter().copied().max().unwrap_or(0);
            match expr.node() {
                Node::Unknown { .. } => 1,
                Node::Add(_) => highest,
                Node::Mul(_) => degrees.iter().sum::<u8>().min(2),
                Node::Where(condition, ..) => {
                    let mut decides = false;
                    condition.for_each_expr(&mut |expr| decides |= expr.depends_on_unknowns());
                    if decides { 2 } else { highest }
                }
                _ => 2 * highest.min(1),
            }
        }) < 2
    }

    /// Whether it has no finite value anywhere, as with `u*(0/0)` or `u + log(-1)`.
    pub fn is_undefined(&self) -> bool {
        self.summary().undefined
    }

    /// Parts such that between any node and the nearest of them below there are fewer than `levels` others, each after
    /// those it contains: recursion that starts with them never goes deeper. None in an expression of fewer levels.
    pub fn stages(&self, levels: u32) -> Vec<Expr> {
        let stage = |expr: &Expr| expr.summary().depth / levels;
        let mut stages = Vec::new();
        if stage(self) > 0 {
            for_each_node(self, |expr| {
                let mut lowest = stage(expr);
                expr.node().for_each_child(&mut |child| lowest = lowest.min(stage(child)));
                stages.extend((lowest < stage(expr)).then(|| expr.clone()));
            });
        }
        stages
    }

    /// The highest derivative order |α| of an unknown.
    pub fn max_order(&self) -> u32 {
        self.summary().max_order
    }

    /// The highest linked site of a coordinate or unknown.
    pub fn max_site(&self) -> usize {
        self.summary().max_site
    }

    /// The expression with every coordinate and unknown moved to linked site `site`.
    pub fn at(&self, site: usize) -> Expr {
        fold(self, |expr, operands: &[Expr]| match expr.node() {
            Node::Coord { axis, .. } => Expr::from_node(Node::Coord { axis: *axis, site }),
            Node::Unknown { field, alpha, .. } => Expr::from_node(Node::Unknown { field: *field, alpha: *alpha, site }),
            _ => expr.with_children(operands),
        })
    }

    /// The expression with coordinate k replaced by `replacements[k]`, moved to the site where the coordinate stood;
    /// further coordinates stay. Unknowns keep their own place.
    pub fn substitute_coords(&self, replacements: &[Expr]) -> Expr {
        fold(self, |expr, operands: &[Expr]| match expr.node() {
            Node::Coord { axis, site } => match replacements.get(*axis) {
                Some(replacement) if *site == 0 => replacement.clone(),
                Some(replacement) => replacement.at(*site),
                None => expr.clone(),
            },
            _ => expr.with_children(operands),
        })
    }

    /// The expression with every unknown replaced by what `replacement` gives for (field, derivative), if it gives something.
    ///
    /// ```
    /// # use ropinn_expr::{Expr, Scope};
    /// let scope = Scope::new(["x"], ["u"])?;
    /// let source = scope.parse("u_xx + 2*u - x")?.substitute_unknowns(|_, _| Some(Expr::constant(0.0)));
    /// assert_eq!(source, scope.parse("-x")?);
    /// # Ok::<(), ropinn_expr::Error>(())
    /// ```
    pub fn substitute_unknowns(&self, replacement: impl Fn(usize, MultiIndex) -> Option<Expr>) -> Expr {
        fold(self, |expr, operands: &[Expr]| match expr.node() {
            Node::Unknown { field, alpha, .. } => replacement(*field, *alpha).unwrap_or_else(|| expr.clone()),
            _ => expr.with_children(operands),
        })
    }

    /// The expression with trainable scalar k replaced by `replacements[k]`; further scalars stay.
    ///
    /// ```
    /// # use ropinn_expr::Scope;
    /// let mut scope = Scope::new(["x"], ["u"])?;
    /// let (a, b) = (scope.trainable("a")?, scope.trainable("b")?);
    /// let moved = scope.parse("a*u_x + b")?.substitute_trainables(&[&a + 2.0 * &b]);
    /// assert_eq!(moved, scope.parse("(a + 2*b)*u_x + b")?);
    /// # Ok::<(), ropinn_expr::Error>(())
    /// ```
    pub fn substitute_trainables(&self, replacements: &[Expr]) -> Expr {
        fold(self, |expr, operands: &[Expr]| match expr.node() {
            Node::Trainable(k) => replacements.get(*k).unwrap_or(expr).clone(),
            _ => expr.with_children(operands),
        })
    }
}
