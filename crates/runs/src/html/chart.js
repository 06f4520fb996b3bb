// Curves with axes, linear or logarithmic: hover for values, drag to zoom, double click for all, click a name to hide it.
'use strict';
const R = {};

R.colours = ['#4477cc', '#dd7733', '#33a066', '#aa4499', '#bb9900', '#2299aa', '#cc3344', '#7766cc', '#888888', '#669922'];
R.hidden = new Set();
R.redraws = new Set();

// An element with attributes, properties and children; text is never taken for marks.
R.element = (tag, attributes = {}, ...children) => {
  const drawn = ['svg', 'g', 'path', 'line', 'text', 'rect'].includes(tag);
  const made = drawn ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
};

R.number = (value, digits = 3) => {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (value === 0 || (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e5)) return String(Number(value.toPrecision(digits)));
  return value.toExponential(digits - 1);
};

R.duration = (seconds) => {
  if (seconds === null || seconds === undefined) return '–';
  if (seconds < 60) return seconds.toFixed(seconds < 10 ? 1 : 0) + ' s';
  if (seconds < 3600) return Math.floor(seconds / 60) + ' min ' + String(Math.round(seconds % 60)).padStart(2, '0') + ' s';
  return Math.floor(seconds / 3600) + ' h ' + String(Math.round((seconds % 3600) / 60)).padStart(2, '0') + ' min';
};

// Where marks of an axis stand.
R.ticks = (low, high, log) => {
  if (log) {
    const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
    const step = Math.max(1, Math.ceil((last - first) / 6));
    const marks = [];
    for (let k = first; k <= last; k += step) marks.push(10 ** k);
    if (marks.length > 1) return marks;
  }
  const raw = (high - low) / 5 || 1;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = size * ([1, 2, 5, 10].find((factor) => factor * size >= raw) || 10);
  const marks = [];
  for (let k = Math.ceil(low / step); k * step <= high + 1e-9 * step; k += 1) marks.push(k * step);
  return marks;
};

// `about`: { x, y: labels, log }; `series`: [{ name, colour, x: [], y: [], key }]. A key that is hidden anywhere is hidden everywhere.
R.chart = (about, series) => {
  const size = { width: 560, height: 300, left: 58, right: 10, top: 8, bottom: 38 };
  const svg = R.element('svg', { role: 'img', 'aria-label': about.y });
  const [tip, legend] = [R.element('div', { class: 'tip', hidden: true }), R.element('div', { class: 'legend' })];
  const box = R.element('div', { class: 'chart' }, svg, tip, legend);
  let zoom = null;
  let scale = null;
  const keyOf = (one) => one.key || one.name;
  const shown = () => series.filter((one) => !R.hidden.has(keyOf(one)));
  const drawable = (value) => value !== null && Number.isFinite(value) && (!about.log || value > 0);

  const draw = () => {
    // As wide as its place, so that letters keep their size.
    size.width = Math.min(Math.max(box.clientWidth || 560, 280), 760);
    svg.setAttribute('viewBox', `0 0 ${size.width} ${size.height}`);
    svg.replaceChildren();
    const ends = { x: [Infinity, -Infinity], y: [Infinity, -Infinity] };
    for (const one of shown()) {
      one.x.forEach((x, k) => {
        if (x === null || (zoom && (x < zoom[0] || x > zoom[1]))) return;
        if (!drawable(one.y[k])) return;
        ends.x = [Math.min(ends.x[0], x), Math.max(ends.x[1], x)];
        ends.y = [Math.min(ends.y[0], one.y[k]), Math.max(ends.y[1], one.y[k])];
      });
    }
    if (zoom) ends.x = zoom;
    scale = null;
    if (!(ends.x[0] <= ends.x[1]) || !(ends.y[0] <= ends.y[1])) {
      svg.append(R.element('text', { x: size.left, y: size.height / 2 }, 'nothing to show yet'));
      return;
    }
    if (ends.x[0] === ends.x[1]) ends.x = [ends.x[0] - 0.5, ends.x[1] + 0.5];
    if (about.log) ends.y = ends.y[0] === ends.y[1] ? [ends.y[0] / 2, ends.y[1] * 2] : [ends.y[0] / 1.2, ends.y[1] * 1.2];
    else {
      const margin = 0.05 * (ends.y[1] - ends.y[0]) || 0.05 * Math.abs(ends.y[0]) || 1;
      ends.y = [ends.y[0] - margin, ends.y[1] + margin];
    }
    const [width, height] = [size.width - size.left - size.right, size.height - size.top - size.bottom];
    const of = (value) => (about.log ? Math.log(value) : value);
    scale = {
      x: (value) => size.left + (width * (value - ends.x[0])) / (ends.x[1] - ends.x[0]),
      y: (value) => size.top + height * (1 - (of(value) - of(ends.y[0])) / (of(ends.y[1]) - of(ends.y[0]))),
      back: (at) => ends.x[0] + ((at - size.left) / width) * (ends.x[1] - ends.x[0]),
    };
    for (const mark of R.ticks(ends.y[0], ends.y[1], about.log)) {
      const y = scale.y(mark);
      svg.append(R.element('line', { class: 'grid-line', x1: size.left, x2: size.width - size.right, y1: y, y2: y }));
      svg.append(R.element('text', { x: size.left - 5, y: y + 4, 'text-anchor': 'end' }, R.number(mark, 3)));
    }
    for (const mark of R.ticks(ends.x[0], ends.x[1], false)) {
      svg.append(R.element('text', { x: scale.x(mark), y: size.height - size.bottom + 15, 'text-anchor': 'middle' }, R.number(mark, 4)));
    }
    svg.append(R.element('text', { x: size.left + width / 2, y: size.height - 6, 'text-anchor': 'middle' }, about.x));
    for (const one of shown()) {
      let path = '';
      let open = false;
      one.x.forEach((x, k) => {
        if (zoom && (x < zoom[0] || x > zoom[1])) return;
        // What was not measured is passed over; what cannot be drawn is a gap.
        if (one.y[k] === null) return;
        if (!drawable(one.y[k])) {
          open = false;
          return;
        }
        path += `${open ? 'L' : 'M'}${scale.x(x).toFixed(1)} ${scale.y(one.y[k]).toFixed(1)}`;
        open = true;
      });
      svg.append(R.element('path', { class: 'trace', d: path, stroke: one.colour, 'stroke-linecap': 'round' }));
    }
  };

  const name = () => {
    legend.replaceChildren(
      R.element('span', {}, about.y),
      ...series.map((one) => {
        const toggle = () => {
          if (!R.hidden.delete(keyOf(one))) R.hidden.add(keyOf(one));
          R.redraws.forEach((redraw) => redraw());
        };
        const dot = R.element('span', {}, '● ');
        dot.style.color = one.colour;
        return R.element('button', { type: 'button', 'aria-pressed': String(!R.hidden.has(keyOf(one))), onclick: toggle }, dot, one.name);
      }),
    );
  };

  const place = (event) => {
    const bounds = svg.getBoundingClientRect();
    return ((event.clientX - bounds.left) / bounds.width) * size.width;
  };
  let from = null;
  svg.addEventListener('pointerdown', (event) => { from = place(event); });
  svg.addEventListener('pointermove', (event) => {
    svg.querySelectorAll('.cross, .picked').forEach((old) => old.remove());
    if (!scale) return;
    const at = place(event);
    if (from !== null && event.buttons) {
      svg.append(R.element('rect', { class: 'picked', x: Math.min(from, at), width: Math.abs(at - from), y: size.top, height: size.height - size.top - size.bottom }));
    }
    const wanted = scale.back(at);
    const lines = [];
    let nearest = null;
    for (const one of shown()) {
      let best = -1;
      one.x.forEach((x, k) => {
        if (drawable(one.y[k]) && (best < 0 || Math.abs(x - wanted) < Math.abs(one.x[best] - wanted))) best = k;
      });
      if (best < 0) continue;
      if (nearest === null || Math.abs(one.x[best] - wanted) < Math.abs(nearest - wanted)) nearest = one.x[best];
      const dot = R.element('span', {}, '● ');
      dot.style.color = one.colour;
      lines.push(R.element('div', {}, dot, `${one.name}: ${R.number(one.y[best], 4)}`));
    }
    if (nearest === null) return;
    svg.append(R.element('line', { class: 'cross', x1: scale.x(nearest), x2: scale.x(nearest), y1: size.top, y2: size.height - size.bottom }));
    tip.replaceChildren(R.element('div', {}, `${about.x}: ${R.number(nearest, 6)}`), ...lines);
    tip.hidden = false;
    tip.style.left = `${at / size.width < 0.5 ? (100 * at) / size.width + 2 : 4}%`;
    tip.style.top = '0.5rem';
  });
  svg.addEventListener('pointerleave', () => {
    from = null;
    tip.hidden = true;
    svg.querySelectorAll('.cross, .picked').forEach((old) => old.remove());
  });
  svg.addEventListener('pointerup', (event) => {
    const to = place(event);
    if (scale && from !== null && Math.abs(to - from) > 8) {
      zoom = [scale.back(Math.min(from, to)), scale.back(Math.max(from, to))];
      redraw();
    }
    from = null;
  });
  svg.addEventListener('dblclick', () => { zoom = null; redraw(); });
  const redraw = () => { draw(); name(); };
  R.redraws.add(redraw);
  redraw();
  new ResizeObserver(() => { if (Math.abs((box.clientWidth || size.width) - size.width) > 1 && box.clientWidth <= 760) draw(); }).observe(box);
  return { box, update: (next) => { series = next; redraw(); }, remove: () => R.redraws.delete(redraw) };
};

// Dark or light, as the reader likes; remembered where the browser does so.
R.theme = (button) => {
  const put = (theme) => { if (theme) document.documentElement.dataset.theme = theme; };
  try { put(localStorage.getItem('ropinn-theme')); } catch { /* nothing is remembered */ }
  button.addEventListener('click', () => {
    const dark = getComputedStyle(document.documentElement).colorScheme.includes('dark');
    put(dark ? 'light' : 'dark');
    try { localStorage.setItem('ropinn-theme', document.documentElement.dataset.theme); } catch { /* nothing is remembered */ }
  });
};
