//! A graph of ONNX operators (opset 17) under construction, and the model around it.

use crate::protobuf::Message;
use std::collections::HashMap;

/// The operators are those of this set; all of them are in onnxruntime since 1.12.
const OPSET: i64 = 17;
const IR_VERSION: i64 = 8;

/// Kinds of numbers, as ONNX counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    Float = 1,
    Int64 = 7,
    Double = 11,
}

/// A quantity of the graph, by its name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Value(String);

/// What an operator is told beside its operands.
#[derive(Clone, Debug)]
pub enum Attribute<'a> {
    Int(&'a str, i64),
    Ints(&'a str, &'a [i64]),
}

impl Attribute<'_> {
    fn message(&self) -> Message {
        const INT: i64 = 2;
        const INTS: i64 = 7;
        match self {
            Self::Int(name, value) => Message::default().text(1, name).int(3, *value).int(20, INT),
            Self::Ints(name, values) => Message::default().text(1, name).ints(8, values.iter().copied()).int(20, INTS),
        }
    }
}

/// Operators and fixed numbers.
pub struct Graph {
    /// What is computed with.
    number: Number,
    nodes: Vec<Message>,
    fixed: Vec<Message>,
    scalars: HashMap<u64, Value>,
}

impl Graph {
    pub fn new(number: Number) -> Self {
        Self { number, nodes: Vec::new(), fixed: Vec::new(), scalars: HashMap::new() }
    }

    /// What an operator makes of its operands.
    pub fn node(&mut self, operator: &str, operands: &[&Value], attributes: &[Attribute<'_>]) -> Value {
        let result = Value(format!("v{}", self.nodes.len()));
        let node = Message::default().texts(1, operands.iter().map(|value| value.0.as_str())).text(2, &result.0);
        let attributes: Vec<Message> = attributes.iter().map(Attribute::message).collect();
        self.nodes
            .push(node.text(3, &format!("{operator}_{}", self.nodes.len())).text(4, operator).messages(5, &attributes));
        result
    }

    /// The same without attributes.
    pub fn apply(&mut self, operator: &str, operands: &[&Value]) -> Value {
        self.node(operator, operands, &[])
    }

    /// The same quantity as another kind of number.
    pub fn cast(&mut self, value: &Value, to: Number) -> Value {
        self.node("Cast", &[value], &[Attribute::Int("to", to as i64)])
    }

    /// An operator that onnxruntime has in single precision only.
    pub fn apply_single(&mut self, operator: &str, operand: &Value) -> Value {
        if self.number == Number::Float {
            return self.apply(operator, &[operand]);
        }
        let single = self.cast(operand, Number::Float);
        let found = self.apply(operator, &[&single]);
        self.cast(&found, self.number)
    }

    /// One number.
    pub fn scalar(&mut self, value: f64) -> Value {
        if let Some(known) = self.scalars.get(&value.to_bits()) {
            return known.clone();
        }
        let scalar = self.numbers(&[], &[value]);
        self.scalars.insert(value.to_bits(), scalar.clone());
        scalar
    }

    /// An array of numbers.
    pub fn numbers(&mut self, shape: &[usize], values: &[f64]) -> Value {
        let bytes = match self.number {
            Number::Float => values.iter().flat_map(|value| (*value as f32).to_le_bytes()).collect(),
            Number::Double | Number::Int64 => values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>(),
        };
        self.keep(shape, self.number, &bytes)
    }

    /// An array of whole numbers: shapes, axes, places.
    pub fn wholes(&mut self, shape: &[usize], values: &[i64]) -> Value {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.keep(shape, Number::Int64, &bytes)
    }

    fn keep(&mut self, shape: &[usize], number: Number, bytes: &[u8]) -> Value {
        let name = format!("c{}", self.fixed.len());
        let tensor = Message::default().ints(1, shape.iter().map(|side| *side as i64)).int(2, number as i64);
        self.fixed.push(tensor.text(8, &name).bytes(9, bytes));
        Value(name)
    }
}

/// One end of the model: its name, kind of numbers and columns.
pub struct Port<'a> {
    pub name: &'a str,
    pub number: Number,
    pub columns: usize,
}

impl Port<'_> {
    /// What stands for it in the graph.
    pub fn value(&self) -> Value {
        Value(self.name.to_owned())
    }

    fn message(&self) -> Message {
        let dimensions = [Message::default().text(2, "points"), Message::default().int(1, self.columns as i64)];
        let shape = Message::default().messages(1, &dimensions);
        let tensor = Message::default().int(1, self.number as i64).message(2, &shape);
        Message::default().text(1, self.name).message(2, &Message::default().message(1, &tensor))
    }
}

impl Graph {
    /// The bytes of a model that takes one array and gives `result` as another, with remarks for whoever looks inside.
    pub fn model(mut self, result: &Value, (from, to): (&Port<'_>, &Port<'_>), remarks: &[(&str, String)]) -> Vec<u8> {
        let rename = Message::default().text(1, &result.0).text(2, to.name).text(3, "result").text(4, "Identity");
        self.nodes.push(rename);
        let graph = Message::default().messages(1, &self.nodes).text(2, "ropinn").messages(5, &self.fixed);
        let graph = graph.message(11, &from.message()).message(12, &to.message());
        let opset = Message::default().text(1, "").int(2, OPSET);
        let entry = |(key, value): &(&str, String)| Message::default().text(1, key).text(2, value);
        let remarks: Vec<Message> = remarks.iter().map(entry).collect();
        let model = Message::default().int(1, IR_VERSION).text(2, "ropinn").text(3, env!("CARGO_PKG_VERSION"));
        model.message(7, &graph).message(8, &opset).messages(14, &remarks).encoded().to_vec()
    }
}
