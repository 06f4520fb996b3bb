// A field on a raster: colours over two coordinates, sliders over training, over a third coordinate and over slices.

R.map = [[68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137], [53, 183, 121], [109, 205, 89], [180, 222, 44], [253, 231, 37]];

R.colour = (share) => {
  const at = Math.min(Math.max(share, 0), 1) * (R.map.length - 1);
  const k = Math.min(Math.floor(at), R.map.length - 2);
  return R.map[k].map((low, c) => Math.round(low + (at - k) * (R.map[k + 1][c] - low)));
};

// A line of JSON, then numbers.
R.snapshot = (buffer) => {
  const bytes = new Uint8Array(buffer);
  const end = bytes.indexOf(10);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  return { head, values: new Float32Array(buffer.slice(end + 1)) };
};

// `load(step)` gives the bytes of a step, now or later.
R.field = (steps, load) => {
  const state = { step: steps.length - 1, layer: 0, cut: null, slice: null, follows: true };
  const box = R.element('div', { class: 'field' });
  const kept = new Map();
  let taken = null;
  let profile = null;

  const slider = (label, count, value, changed) => {
    const input = R.element('input', { type: 'range', min: 0, max: count - 1, step: 1, 'aria-label': label });
    input.value = value;
    const shown = R.element('span', {});
    input.addEventListener('input', () => changed(Number(input.value)));
    return { row: R.element('label', {}, R.element('span', {}, label), input, shown), input, shown };
  };
  const canvas = R.element('canvas', { width: 1, height: 1 });
  const bar = R.element('canvas', { class: 'bar', width: 256, height: 1 });
  const pen = bar.getContext('2d');
  for (let k = 0; k < 256; k += 1) {
    pen.fillStyle = `rgb(${R.colour(k / 255).join(',')})`;
    pen.fillRect(k, 0, 1, 1);
  }
  const [low, high] = [R.element('span', {}), R.element('span', {})];
  const tip = R.element('div', { class: 'tip', hidden: true });
  const layers = R.element('select', { 'aria-label': 'quantity' });
  layers.addEventListener('change', () => { state.layer = layers.value; draw(); });
  const along = slider('training', Math.max(steps.length, 1), state.step, (value) => { state.step = value; state.follows = value === steps.length - 1; show(); });
  const rows = R.element('div', {});
  const caption = R.element('div', { class: 'machine' });
  const at = R.element('div', { class: 'at' });
  const side = R.element('div', {}, R.element('div', {}, layers), along.row, rows, caption, R.element('div', { class: 'plane' }, canvas, at), bar, R.element('div', { class: 'ends' }, low, high));
  box.append(side, tip);

  const node = (axis, k) => axis.low + ((axis.high - axis.low) * k) / Math.max(axis.count - 1, 1);
  const layer = () => Math.max(taken.head.layers.findIndex((own) => own.name === state.layer), 0);
  // All numbers of a layer, of the plane that is cut, and along the slice.
  const plane = () => {
    const { axes } = taken.head;
    const nodes = axes.reduce((all, axis) => all * axis.count, 1);
    const size = axes.length < 3 ? nodes : axes[0].count * axes[1].count;
    const first = layer() * nodes + (axes.length < 3 ? 0 : state.cut * size);
    return [taken.values.subarray(layer() * nodes, (layer() + 1) * nodes), taken.values.subarray(first, first + size)];
  };

  const draw = () => {
    const { axes, layers: own } = taken.head;
    const [all, values] = plane();
    const { size, name } = own[layer()];
    let [least, most] = [Infinity, -Infinity];
    for (const value of all) {
      if (Number.isFinite(value) && (!size || value > 0)) [least, most] = [Math.min(least, value), Math.max(most, value)];
    }
    if (size) least = Math.max(least, 1e-6 * most);
    const of = (value) => (size ? Math.log(Math.max(value, least)) : value);
    const width = axes[0].count;
    if (axes.length > 1) {
      const height = axes[1].count;
      [canvas.width, canvas.height] = [width, height];
      canvas.style.aspectRatio = taken.head.equal ? String((axes[0].high - axes[0].low) / (axes[1].high - axes[1].low)) : '1.6';
      const context = canvas.getContext('2d');
      const image = context.createImageData(width, height);
      values.forEach((value, k) => {
        const [x, y] = [k % width, height - 1 - Math.floor(k / width)];
        const share = most > least ? (of(value) - of(least)) / (of(most) - of(least)) : 0.5;
        const colour = Number.isFinite(value) ? [...R.colour(share), 255] : [0, 0, 0, 0];
        image.data.set(colour, 4 * (y * width + x));
      });
      context.putImageData(image, 0, 0);
      box.dataset.sum = String(values.reduce((sum, value) => sum + (Number.isFinite(value) ? value : 0), 0));
    }
    [low.textContent, high.textContent] = [R.number(least), R.number(most)];
    if (axes.length > 1) at.style.top = `${100 * (1 - (state.slice + 0.5) / axes[1].count)}%`;
    const start = axes.length > 1 ? state.slice * width : 0;
    const line = Array.from(values.subarray(start, start + width), (value) => (Number.isFinite(value) ? value : null));
    const series = [{ name, colour: R.colours[0], x: line.map((_, k) => node(axes[0], k)), y: line, key: `field ${name}` }];
    if (profile) profile.remove();
    const next = R.chart({ x: axes[0].name, y: axes.length > 1 ? `${name} at ${axes[1].name} = ${R.number(node(axes[1], state.slice), 4)}` : name, log: size }, series);
    if (profile) profile.box.replaceWith(next.box);
    else box.append(next.box);
    profile = next;
  };

  const lay = () => {
    const { axes, layers: own } = taken.head;
    if (!own.some((one) => one.name === state.layer)) state.layer = own[0].name;
    layers.replaceChildren(...own.map((one) => R.element('option', { value: one.name, selected: one.name === state.layer }, one.name)));
    layers.value = state.layer;
    canvas.hidden = bar.hidden = at.hidden = axes.length < 2;
    state.cut = Math.min(state.cut ?? Math.floor((axes[2]?.count || 1) / 2), (axes[2]?.count || 1) - 1);
    state.slice = Math.min(state.slice ?? Math.floor((axes[1]?.count || 1) / 2), (axes[1]?.count || 1) - 1);
    const made = [];
    for (const [k, key] of [[2, 'cut'], [1, 'slice']]) {
      if (!axes[k]) continue;
      const one = slider(axes[k].name, axes[k].count, state[key], (value) => {
        state[key] = value;
        one.shown.textContent = R.number(node(axes[k], value), 4);
        draw();
      });
      one.input.dataset.axis = axes[k].name;
      one.shown.textContent = R.number(node(axes[k], state[key]), 4);
      made.push(one.row);
    }
    rows.replaceChildren(...made);
    caption.textContent = `after step ${taken.head.iteration}, ${R.duration(taken.head.seconds)}` + (axes.length > 1 ? `; ${axes[0].name} to the right, ${axes[1].name} upwards` : '');
    along.shown.textContent = `step ${taken.head.iteration}`;
    box.dataset.step = String(taken.head.iteration);
    draw();
  };

  const show = async () => {
    along.row.hidden = steps.length < 2;
    const step = steps[state.step];
    if (step === undefined) return;
    try {
      if (!kept.has(step)) kept.set(step, R.snapshot(await load(step)));
      if (step !== steps[state.step]) return;
      taken = kept.get(step);
      lay();
    } catch (error) {
      caption.textContent = `the field of step ${step} cannot be read: ${error.message}`;
    }
  };

  canvas.addEventListener('pointermove', (event) => {
    if (!taken || taken.head.axes.length < 2) return;
    const { axes } = taken.head;
    const bounds = canvas.getBoundingClientRect();
    const [x, y] = [(event.clientX - bounds.left) / bounds.width, 1 - (event.clientY - bounds.top) / bounds.height];
    const [i, j] = [Math.min(Math.floor(x * axes[0].count), axes[0].count - 1), Math.min(Math.floor(y * axes[1].count), axes[1].count - 1)];
    if (i < 0 || j < 0) return;
    tip.textContent = `${axes[0].name} ${R.number(node(axes[0], i), 4)}, ${axes[1].name} ${R.number(node(axes[1], j), 4)}: ${R.number(plane()[1][j * axes[0].count + i], 4)}`;
    tip.hidden = false;
    const own = box.getBoundingClientRect();
    [tip.style.left, tip.style.top] = [`${Math.min(event.clientX - own.left + 12, own.width - 180)}px`, `${event.clientY - own.top + 12}px`];
  });
  canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
  canvas.addEventListener('click', (event) => {
    const bounds = canvas.getBoundingClientRect();
    state.slice = Math.min(Math.max(Math.floor((1 - (event.clientY - bounds.top) / bounds.height) * taken.head.axes[1].count), 0), taken.head.axes[1].count - 1);
    lay();
  });
  show();
  return {
    box,
    // More steps of a run that trains: who looks at the last one sees the next one.
    update: (next) => {
      if (next.length === steps.length && next.every((step, k) => step === steps[k])) return;
      const own = steps[state.step];
      steps = next;
      const place = steps.indexOf(own);
      state.step = state.follows || place < 0 ? steps.length - 1 : place;
      [along.input.max, along.input.value] = [Math.max(steps.length - 1, 0), state.step];
      for (const step of kept.keys()) if (!steps.includes(step)) kept.delete(step);
      show();
    },
    remove: () => profile && profile.remove(),
  };
};
