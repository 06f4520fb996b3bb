//! Nanoseconds per element of each slice function, in both precisions.

use std::hint::black_box;
use std::time::Instant;

use ropinn_vmath::{Activation, MAX_TOWER, Real};

const LENGTH: usize = 1024;

/// Best of several timings, each over many passes of a cache-resident slice.
fn nanoseconds_per_element(elements: usize, mut pass: impl FnMut()) -> f64 {
    let passes = 400;
    (0..20)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..passes {
                pass();
            }
            start.elapsed().as_nanos() as f64 / (passes * elements) as f64
        })
        .fold(f64::INFINITY, f64::min)
}

fn time_functions<T: Real>() {
    let x: Vec<T> = (0..LENGTH).map(|i| T::from_f64(8.0 * i as f64 / LENGTH as f64 - 4.0)).collect();
    let positive: Vec<T> = x.iter().map(|&x| x.abs() + T::from_f64(0.01)).collect();
    let mut y = vec![T::ZERO; LENGTH];
    type Slice<T> = fn(&[T], &mut [T]);
    let functions: [(&str, Slice<T>, &[T]); 11] = [
        ("exp", ropinn_vmath::exp, &x),
        ("tanh", ropinn_vmath::tanh, &x),
        ("sigmoid", ropinn_vmath::sigmoid, &x),
        ("sin", ropinn_vmath::sin, &x),
        ("cos", ropinn_vmath::cos, &x),
        ("tan", ropinn_vmath::tan, &x),
        ("ln", ropinn_vmath::ln, &positive),
        ("ln_1p", ropinn_vmath::ln_1p, &positive),
        ("softplus", ropinn_vmath::softplus, &x),
        ("erf", ropinn_vmath::erf, &x),
        ("normal_cdf", ropinn_vmath::normal_cdf, &x),
    ];
    for (name, function, input) in functions {
        let ns = nanoseconds_per_element(LENGTH, || function(black_box(input), black_box(&mut y)));
        println!("{name:12} {}  {ns:6.3} ns", T::NAME);
    }
}

fn time_towers<T: Real>() {
    let z: Vec<T> = (0..LENGTH).map(|i| T::from_f64(8.0 * i as f64 / LENGTH as f64 - 4.0)).collect();
    let mut s = vec![T::ZERO; MAX_TOWER * LENGTH];
    println!("\n{} towers, ns per input for k_max = 0..{}", T::NAME, MAX_TOWER - 1);
    for activation in Activation::ALL {
        print!("{activation:12}");
        for k_max in 0..MAX_TOWER {
            let ns = nanoseconds_per_element(LENGTH, || activation.tower(k_max, black_box(&z), black_box(&mut s)));
            print!(" {ns:6.2}");
        }
        println!();
    }
}

fn main() {
    println!("elementary functions, ns per element");
    time_functions::<f32>();
    time_functions::<f64>();
    time_towers::<f32>();
    time_towers::<f64>();
}
