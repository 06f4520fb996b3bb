"""The five base models as PyTorch modules, with the tensor names of the official RoPINN release.

Every model maps (x, t), concatenated unnormalised, to u. Tensor names, in `named_parameters()` order
(L = Linear, giving `.weight` (out, in) and `.bias` (out)):

  pinn                 linear.0, linear.2, ..., linear.2D            L each; D hidden layers of tanh
  fls                  same names; the first activation is sin
  qres                 inlayer.H1, inlayer.H2, layers.i.H1, layers.i.H2, outlayer
  pinnsformer          linear_emb
                       encoder.layers.i.attn.in_proj_weight (3d, d), .in_proj_bias (3d), .out_proj  L
                       encoder.layers.i.ff.linear.0 L, .1.w1/.w2 (1), .2 L, .3.w1/.w2 (1), .4 L
                       encoder.layers.i.act1.w1/.w2, act2.w1/.w2 (1), encoder.act.w1/.w2 (1)
                       decoder. ...            as the encoder
                       linear_out.0 L, .1.w1/.w2, .2 L, .3.w1/.w2, .4 L
  pinnsformer-encoder  the same without decoder.*
  kan                  biases.l.weight (1, n_out)
                       act_fun.l.coef (n_out*n_in, 8), act_fun.l.scale_base (n_out*n_in), .scale_sp (n_out*n_in)
                       edge index = j*n_in + i for output j, input i

The official KAN also holds frozen tensors (grid, mask) and a masked symbolic branch (symbolic_fun.l.affine)
whose contribution and gradient are exactly zero; they are left out here.
"""

import torch
from torch import nn


class Mlp(nn.Module):
    """Linear layers with `first` after the first one and tanh after the other hidden ones."""

    def __init__(self, width, depth, first):
        super().__init__()
        layers = []
        for index in range(depth):
            layers += [nn.Linear(width if index else 2, width), nn.Tanh() if index else first]
        self.linear = nn.Sequential(*layers, nn.Linear(width, 1))

    def forward(self, x, t):
        return self.linear(torch.cat((x, t), dim=-1))


class Sine(nn.Module):
    """First-layer sine (Wong et al. 2022), without a frequency factor."""

    def forward(self, z):
        return torch.sin(z)


def pinn(width, depth):
    """Raissi et al. (2019)."""
    return Mlp(width, depth, nn.Tanh())


def fls(width, depth):
    """Wong et al. (2022)."""
    return Mlp(width, depth, Sine())


class QuadraticBlock(nn.Module):
    """z -> sigmoid(H2(z) * H1(z) + H1(z)), Bu & Karpatne (2021)."""

    def __init__(self, n_in, n_out):
        super().__init__()
        self.H1 = nn.Linear(n_in, n_out)
        self.H2 = nn.Linear(n_in, n_out)

    def forward(self, z):
        linear = self.H1(z)
        return torch.sigmoid(self.H2(z) * linear + linear)


class QRes(nn.Module):
    """An input block, `blocks` more blocks, a linear output."""

    def __init__(self, width, blocks):
        super().__init__()
        self.inlayer = QuadraticBlock(2, width)
        self.layers = nn.ModuleList(QuadraticBlock(width, width) for _ in range(blocks))
        self.outlayer = nn.Linear(width, 1)

    def forward(self, x, t):
        z = self.inlayer(torch.cat((x, t), dim=-1))
        for block in self.layers:
            z = block(z)
        return self.outlayer(z)


class Wavelet(nn.Module):
    """w1 sin z + w2 cos z, Zhao et al. (2024), section 3.2."""

    def __init__(self):
        super().__init__()
        self.w1 = nn.Parameter(torch.ones(1))
        self.w2 = nn.Parameter(torch.ones(1))

    def forward(self, z):
        return self.w1 * torch.sin(z) + self.w2 * torch.cos(z)


def wavelet_mlp(n_in, width, n_out):
    """Linear, Wavelet, Linear, Wavelet, Linear."""
    return nn.Sequential(nn.Linear(n_in, width), Wavelet(), nn.Linear(width, width), Wavelet(), nn.Linear(width, n_out))


class FeedForward(nn.Module):
    """The position-wise network of one transformer layer."""

    def __init__(self, d_model, width):
        super().__init__()
        self.linear = wavelet_mlp(d_model, width, d_model)

    def forward(self, z):
        return self.linear(z)


class AttentionLayer(nn.Module):
    """z <- z + attention(act1(z), memory, memory); z <- z + ff(act2(z)). `memory` defaults to the query itself."""

    def __init__(self, d_model, heads, ff_width):
        super().__init__()
        self.attn = nn.MultiheadAttention(d_model, heads, batch_first=True)
        self.ff = FeedForward(d_model, ff_width)
        self.act1 = Wavelet()
        self.act2 = Wavelet()

    def forward(self, z, memory=None):
        query = self.act1(z)
        memory = query if memory is None else memory
        z = z + self.attn(query, memory, memory)[0]
        return z + self.ff(self.act2(z))


class AttentionStack(nn.Module):
    """Layers followed by one more activation."""

    def __init__(self, d_model, heads, ff_width, layers):
        super().__init__()
        self.layers = nn.ModuleList(AttentionLayer(d_model, heads, ff_width) for _ in range(layers))
        self.act = Wavelet()

    def forward(self, z, memory=None):
        for layer in self.layers:
            z = layer(z, memory)
        return self.act(z)


class PinnsFormer(nn.Module):
    """Zhao et al. (2024) on pseudo-sequences (batch, elements, 1); no layer norm, mask or positional encoding."""

    def __init__(self, d_model, heads, ff_width, out_width, layers, decoder):
        super().__init__()
        self.linear_emb = nn.Linear(2, d_model)
        self.encoder = AttentionStack(d_model, heads, ff_width, layers)
        self.decoder = AttentionStack(d_model, heads, ff_width, layers) if decoder else None
        self.linear_out = wavelet_mlp(d_model, out_width, 1)

    def forward(self, x, t):
        embedded = self.linear_emb(torch.cat((x, t), dim=-1))
        z = self.encoder(embedded)
        if self.decoder is not None:
            z = self.decoder(embedded, z)
        return self.linear_out(z)


class KanLayer(nn.Module):
    """y_j = sum_i scale_base_ji silu(x_i) + scale_sp_ji sum_c coef_jic B_c(x_i), Liu et al. (2024).

    Cubic B-splines on 5 intervals of [-1, 1], knots extended by 3 on each side: 12 knots on [-2.2, 2.2], 8 bases,
    zero outside.
    """

    DEGREE, INTERVALS, LOW, HIGH = 3, 5, -1.0, 1.0

    def __init__(self, n_in, n_out):
        super().__init__()
        self.n_in, self.n_out = n_in, n_out
        edges = n_in * n_out
        self.coef = nn.Parameter(torch.zeros(edges, self.INTERVALS + self.DEGREE))
        self.scale_base = nn.Parameter(torch.ones(edges))
        self.scale_sp = nn.Parameter(torch.ones(edges))

    @classmethod
    def knots(cls):
        step = (cls.HIGH - cls.LOW) / cls.INTERVALS
        index = torch.arange(-cls.DEGREE, cls.INTERVALS + cls.DEGREE + 1, dtype=torch.float64)
        return cls.LOW + step * index

    @classmethod
    def bases(cls, x):
        """Cox-de Boor recursion: x (...) -> (..., 8)."""
        knots = cls.knots().to(x.dtype)
        x = x.unsqueeze(-1)
        value = ((x >= knots[:-1]) & (x < knots[1:])).to(x.dtype)
        for k in range(1, cls.DEGREE + 1):
            rising = (x - knots[: -(k + 1)]) / (knots[k:-1] - knots[: -(k + 1)])
            falling = (knots[k + 1 :] - x) / (knots[k + 1 :] - knots[1:-k])
            value = rising * value[..., :-1] + falling * value[..., 1:]
        return value

    def forward(self, x):
        shape = (self.n_out, self.n_in)
        spline = torch.einsum("jic,nic->nji", self.coef.view(*shape, -1), self.bases(x))
        base = nn.functional.silu(x).unsqueeze(1)
        return (self.scale_base.view(shape) * base + self.scale_sp.view(shape) * spline).sum(dim=2)


class Kan(nn.Module):
    """KAN layers with one bias row each."""

    def __init__(self, widths):
        super().__init__()
        pairs = list(zip(widths[:-1], widths[1:]))
        self.biases = nn.ModuleList(nn.Linear(n_out, 1, bias=False) for _, n_out in pairs)
        self.act_fun = nn.ModuleList(KanLayer(n_in, n_out) for n_in, n_out in pairs)

    def layer_inputs(self, x, t):
        """What enters each layer, then the output."""
        z = torch.cat((x, t), dim=-1)
        inputs = [z]
        for layer, bias in zip(self.act_fun, self.biases):
            z = layer(z) + bias.weight
            inputs.append(z)
        return inputs

    def forward(self, x, t):
        return self.layer_inputs(x, t)[-1]


def build(name, **sizes):
    """The module of that name."""
    if name.startswith("pinnsformer"):
        return PinnsFormer(**sizes, decoder=name == "pinnsformer")
    return {"pinn": pinn, "fls": fls, "qres": QRes, "kan": Kan}[name](**sizes)
