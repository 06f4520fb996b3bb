//! Cells that fill a domain: those of a regular grid, cut where the boundary passes through them.
//!
//! A cell with all corners inside stays whole. One with some is split into simplices (Kuhn's: one for each order of the coordinates), and
//! of each the part inside is kept, up to where its sides meet the boundary, found by bisection of the signed distance. So meshes fit the
//! boundary as straight lines fit a curve.

use std::collections::HashMap;

/// Halvings of a side: to rounding.
const HALVINGS: usize = 52;
/// Cut cells smaller than this part of a whole one are left out: corners on the boundary, to rounding.
const SMALLEST: f64 = 1e-9;

/// Cells by their numbers in VTK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum CellKind {
    Line = 3,
    Triangle = 5,
    Pixel = 8,
    Quad = 9,
    Tetra = 10,
    Voxel = 11,
    Wedge = 13,
}

/// A cell and its points, in VTK's order.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    pub kind: CellKind,
    pub points: Vec<usize>,
}

/// Points `[point][axis]` and cells.
#[derive(Clone, Debug)]
pub struct Mesh {
    pub axes: usize,
    pub points: Vec<f64>,
    pub cells: Vec<Cell>,
}

/// A point of a mesh to be: a node of the grid, or where the side between two of them meets the boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Corner {
    Node(usize),
    Crossing { inside: usize, outside: usize },
}

struct Cutter<'a, D> {
    nodes: &'a [Vec<f64>],
    distance: D,
    mesh: Mesh,
    numbers: HashMap<Corner, usize>,
    /// Size of a whole cell.
    whole: f64,
}

impl Mesh {
    /// The part of a grid where `distance` is not positive; up to three coordinates.
    pub fn inside(nodes: &[Vec<f64>], distance: impl Fn(&[f64]) -> f64) -> Self {
        let axes = nodes.len();
        let mesh = Mesh { axes, points: Vec::new(), cells: Vec::new() };
        let whole = nodes.iter().map(|own| own[1] - own[0]).product();
        let mut cutter = Cutter { nodes, distance, mesh, numbers: HashMap::new(), whole };
        let count: usize = nodes.iter().map(Vec::len).product();
        let inside: Vec<bool> = (0..count).map(|node| (cutter.distance)(&cutter.place(node)) <= 0.0).collect();
        let strides: Vec<usize> =
            nodes.iter().scan(1, |stride, own| Some(std::mem::replace(stride, *stride * own.len()))).collect();
        let last = |node: usize, axis: usize| node / strides[axis] % nodes[axis].len() + 1 == nodes[axis].len();
        for node in (0..count).filter(|node| !(0..axes).any(|axis| last(*node, axis))) {
            let corners: Vec<usize> = (0..1_usize << axes)
                .map(|corner| {
                    node + (0..axes).filter(|axis| corner >> axis & 1 == 1).map(|axis| strides[axis]).sum::<usize>()
                })
                .collect();
            match corners.iter().filter(|corner| inside[**corner]).count() {
                0 => {}
                some if some == corners.len() => cutter.keep(&corners),
                _ => simplices(axes).iter().for_each(|simplex| {
                    cutter.cut(&simplex.iter().map(|k| corners[*k]).collect::<Vec<_>>(), &inside);
                }),
            }
        }
        cutter.mesh
    }
}

/// The simplices of a cell as numbers of its corners: each goes from the lowest corner to the highest, one coordinate at a time.
fn simplices(axes: usize) -> Vec<Vec<usize>> {
    let mut paths = vec![vec![0]];
    for _ in 0..axes {
        let longer = |path: &Vec<usize>| {
            let end = path[path.len() - 1];
            let free = (0..axes).filter(move |axis| end >> axis & 1 == 0);
            free.map(|axis| [&path[..], &[end | 1 << axis]].concat()).collect::<Vec<_>>()
        };
        paths = paths.iter().flat_map(longer).collect();
    }
    paths
}

impl<D: Fn(&[f64]) -> f64> Cutter<'_, D> {
    /// Coordinates of a node.
    fn place(&self, mut node: usize) -> Vec<f64> {
        let along = |own: &Vec<f64>| {
            let value = own[node % own.len()];
            node /= own.len();
            value
        };
        self.nodes.iter().map(along).collect()
    }

    /// Coordinates of a corner.
    fn at(&self, corner: Corner) -> Vec<f64> {
        match corner {
            Corner::Node(node) => self.place(node),
            Corner::Crossing { inside, outside } => {
                let (mut inside, mut outside) = (self.place(inside), self.place(outside));
                for _ in 0..HALVINGS {
                    let middle: Vec<f64> = inside.iter().zip(&outside).map(|(a, b)| 0.5 * (a + b)).collect();
                    let end = if (self.distance)(&middle) <= 0.0 { &mut inside } else { &mut outside };
                    *end = middle;
                }
                inside
            }
        }
    }

    /// The number of a corner among the points, which has it from now on.
    fn number(&mut self, corner: Corner) -> usize {
        if let Some(number) = self.numbers.get(&corner) {
            return *number;
        }
        let number = self.mesh.points.len() / self.mesh.axes;
        self.mesh.points.extend(self.at(corner));
        self.numbers.insert(corner, number);
        number
    }

    fn push(&mut self, kind: CellKind, corners: &[Corner]) {
        let points = corners.iter().map(|corner| self.number(*corner)).collect();
        self.mesh.cells.push(Cell { kind, points });
    }

    /// A whole cell.
    fn keep(&mut self, corners: &[usize]) {
        let kind = [CellKind::Line, CellKind::Pixel, CellKind::Voxel][self.mesh.axes - 1];
        self.push(kind, &corners.iter().copied().map(Corner::Node).collect::<Vec<_>>());
    }

    /// The part of a simplex that is inside.
    fn cut(&mut self, simplex: &[usize], inside: &[bool]) {
        let (kept, gone): (Vec<usize>, Vec<usize>) = simplex.iter().partition(|node| inside[**node]);
        let node = |k: usize| Corner::Node(kept[k]);
        let cross = |k: usize, other: usize| Corner::Crossing { inside: kept[k], outside: gone[other] };
        match (kept.len(), gone.len()) {
            (0, _) => {}
            (2, 0) | (1, 1) if self.mesh.axes == 1 => {
                let end = if gone.is_empty() { node(1) } else { cross(0, 0) };
                self.put(CellKind::Line, vec![node(0), end]);
            }
            (3, 0) => self.put(CellKind::Triangle, vec![node(0), node(1), node(2)]),
            (2, 1) => self.put(CellKind::Quad, vec![node(0), node(1), cross(1, 0), cross(0, 0)]),
            (1, 2) => self.put(CellKind::Triangle, vec![node(0), cross(0, 0), cross(0, 1)]),
            (4, _) => self.put(CellKind::Tetra, vec![node(0), node(1), node(2), node(3)]),
            (3, _) => {
                self.put(CellKind::Wedge, vec![node(0), node(1), node(2), cross(0, 0), cross(1, 0), cross(2, 0)]);
            }
            (2, _) => {
                let (one, other) = ([node(0), cross(0, 0), cross(0, 1)], [node(1), cross(1, 0), cross(1, 1)]);
                self.put(CellKind::Wedge, [one, other].concat());
            }
            _ => self.put(CellKind::Tetra, vec![node(0), cross(0, 0), cross(0, 1), cross(0, 2)]),
        }
    }

    /// A part of a simplex, turned the way VTK wants it, unless nothing is left of it.
    fn put(&mut self, kind: CellKind, mut corners: Vec<Corner>) {
        let places: Vec<Vec<f64>> = corners.iter().map(|corner| self.at(*corner)).collect();
        let from = |a: usize, b: usize| -> Vec<f64> { places[b].iter().zip(&places[a]).map(|(b, a)| b - a).collect() };
        let size = match kind {
            CellKind::Line => from(0, 1)[0],
            CellKind::Triangle => flat(&from(0, 1), &from(0, 2)),
            CellKind::Quad => flat(&from(0, 2), &from(1, 3)),
            CellKind::Tetra => triple(&from(0, 1), &from(0, 2), &from(0, 3)),
            // Of three tetrahedra; the first triangle turns to the left as seen from the second.
            CellKind::Wedge => {
                triple(&from(0, 1), &from(0, 2), &from(0, 3))
                    + triple(&from(1, 2), &from(1, 3), &from(1, 4))
                    + triple(&from(2, 3), &from(2, 4), &from(2, 5))
            }
            CellKind::Pixel | CellKind::Voxel => self.whole,
        };
        if size.abs() < SMALLEST * self.whole {
            return;
        }
        if size < 0.0 {
            match kind {
                CellKind::Triangle | CellKind::Tetra => corners.swap(1, 2),
                CellKind::Quad => corners.swap(1, 3),
                CellKind::Wedge => {
                    corners.swap(1, 2);
                    corners.swap(4, 5);
                }
                CellKind::Line => corners.swap(0, 1),
                CellKind::Pixel | CellKind::Voxel => {}
            }
        }
        self.push(kind, &corners);
    }
}

fn flat(a: &[f64], b: &[f64]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

fn triple(a: &[f64], b: &[f64], c: &[f64]) -> f64 {
    let minor = |i: usize, j: usize| b[i] * c[j] - b[j] * c[i];
    a[0] * minor(1, 2) + a[1] * minor(2, 0) + a[2] * minor(0, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Measure of all cells, by simplices; a negative one is turned the wrong way.
    fn measure(mesh: &Mesh) -> f64 {
        let of = |cell: &Cell| {
            let at = |k: usize| &mesh.points[cell.points[k] * mesh.axes..][..mesh.axes];
            let from = |a: usize, b: usize| at(b).iter().zip(at(a)).map(|(b, a)| b - a).collect::<Vec<_>>();
            let size = match cell.kind {
                CellKind::Line => from(0, 1)[0],
                CellKind::Triangle => 0.5 * flat(&from(0, 1), &from(0, 2)),
                CellKind::Quad => 0.5 * flat(&from(0, 2), &from(1, 3)),
                CellKind::Pixel => flat(&from(0, 1), &from(0, 2)),
                CellKind::Voxel => triple(&from(0, 1), &from(0, 2), &from(0, 4)),
                CellKind::Tetra => triple(&from(0, 1), &from(0, 2), &from(0, 3)) / 6.0,
                CellKind::Wedge => {
                    let parts = [(0, 1, 2, 3), (1, 2, 3, 4), (2, 3, 4, 5)];
                    parts.map(|(a, b, c, d)| triple(&from(a, b), &from(a, c), &from(a, d))).iter().sum::<f64>() / 6.0
                }
            };
            assert!(size > 0.0, "{cell:?} has {size}");
            size
        };
        mesh.cells.iter().map(of).sum()
    }

    fn nodes(count: usize) -> Vec<f64> {
        (0..count).map(|k| -1.0 + 2.0 * k as f64 / (count - 1) as f64).collect()
    }

    #[test]
    fn cells_fill_the_domain() {
        let ball = |radius: f64| move |p: &[f64]| p.iter().map(|x| x * x).sum::<f64>().sqrt() - radius;
        let exact = [1.6, std::f64::consts::PI * 0.64, 4.0 / 3.0 * std::f64::consts::PI * 0.512];
        for (axes, exact) in (1..=3).zip(exact) {
            let mesh = Mesh::inside(&vec![nodes(31); axes], ball(0.8));
            let found = measure(&mesh);
            assert!((found / exact - 1.0).abs() < 0.01, "{axes}: {found}, not {exact}");
            // What is cut lies on the boundary, and nothing lies beyond.
            let off = mesh.points.chunks_exact(axes).map(ball(0.8)).fold(f64::NEG_INFINITY, f64::max);
            assert!((-1e-15..=0.0).contains(&off), "{off}");
        }
    }

    #[test]
    fn a_box_stays_whole_and_boundaries_on_nodes_leave_no_slivers() {
        let mesh = Mesh::inside(&[nodes(4), nodes(3), nodes(5)], |_| -1.0);
        assert_eq!((mesh.cells.len(), mesh.points.len()), (3 * 2 * 4, 3 * 4 * 3 * 5));
        assert!((measure(&mesh) - 8.0).abs() < 1e-12);
        let half = Mesh::inside(&[nodes(5), nodes(5)], |p| p[0]);
        assert_eq!(half.cells.len(), 2 * 4);
        assert!((measure(&half) - 2.0).abs() < 1e-12);
    }
}
