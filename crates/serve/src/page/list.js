// All runs: a table that sorts and filters, tables that fill up, and ticked runs laid over each other.

const L = { runs: new Map(), groups: {}, version: 0, more: 0, sort: { column: 'id' }, filter: {}, words: '', ticked: new Set(), shown: 200 };

L.columns = [
  ['id', 'run'], ['state', 'state'], ['problem', 'problem'], ['model', 'model'], ['objective', 'objective'], ['seed', 'seed', (v) => v], ['rmse', 'rMSE', R.number],
  ['estimated', 'estimated', R.number], ['seconds', 'seconds', (v) => R.number(v, 4)], ['steps', 'steps', (v) => v], ['verdict', 'verdict'],
];
L.choices = ['problem', 'model', 'objective', 'seed', 'state', 'verdict'];

L.load = async () => {
  const news = await A.json(`/api/runs?since=${L.version}`);
  if (news.version < L.version) L.runs.clear();
  news.runs.forEach((run) => L.runs.set(run.id, run));
  news.gone.forEach((id) => { L.runs.delete(id); L.ticked.delete(id); });
  [L.version, L.groups, L.more] = [news.version, news.groups, news.more];
};

L.link = (id) => `#/run/${id.split('/').map(encodeURIComponent).join('/')}`;

L.wanted = () => {
  const words = L.words.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (run) => L.choices.every((key) => !L.filter[key] || String(run[key] ?? '') === L.filter[key]);
  const says = (run) => {
    const text = `${run.id} ${L.choices.map((key) => run[key]).join(' ')}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const { column, down } = L.sort;
  return [...L.runs.values()].filter((run) => fits(run) && says(run)).sort((a, b) => R.compare(a[column], b[column], down) || R.compare(a.id, b.id));
};

L.view = (main) => {
  const words = R.element('input', { type: 'search', placeholder: 'filter by any word', 'aria-label': 'filter', value: L.words });
  const filters = R.element('div', { class: 'filters' }, words);
  const [table, note] = [R.element('table', { id: 'runs' }), R.element('p', { class: 'machine' })];
  const [groups, over] = [R.element('div', { id: 'groups' }), R.element('div', { id: 'over' })];
  const selects = L.choices.map((key) => {
    const select = R.element('select', { 'aria-label': key });
    select.addEventListener('change', () => { L.filter[key] = select.value; L.shown = 200; draw(); });
    filters.append(select);
    return [key, select];
  });
  words.addEventListener('input', () => { L.words = words.value; L.shown = 200; draw(); });
  main.replaceChildren(R.element('h1', {}, 'Runs'), groups, filters, R.element('div', { class: 'wide' }, table), note, over);
  const rows = new Map();
  let charts = null;

  const draw = () => {
    for (const [key, select] of selects) {
      const values = [...new Set([...L.runs.values()].map((run) => String(run[key] ?? '')))].filter(Boolean).sort((a, b) => R.compare(a, b)).slice(0, 500);
      // One that is open must not close by itself.
      if (select.dataset.values === JSON.stringify(values)) continue;
      select.dataset.values = JSON.stringify(values);
      select.replaceChildren(R.element('option', { value: '' }, `any ${key}`), ...values.map((value) => R.element('option', { value }, value)));
      select.value = L.filter[key] || '';
    }
    const wanted = L.wanted();
    const head = R.element('tr', {}, R.element('th', {}), ...L.columns.map(([key, name, number]) => {
      const cell = R.element('th', { class: number ? 'number' : null }, name);
      R.sorts(cell, L.sort, key, draw);
      return cell;
    }));
    const row = (run) => {
      // What has not changed stays where it is, under whatever points at it.
      const old = rows.get(run.id);
      if (old && old.run === run) return old.row;
      const tick = R.element('input', { type: 'checkbox', 'aria-label': `lay ${run.id} over others` });
      tick.checked = L.ticked.has(run.id);
      tick.addEventListener('change', () => {
        if (tick.checked) L.ticked.add(run.id);
        else L.ticked.delete(run.id);
        lay();
      });
      const cell = ([key, , number]) => {
        if (key === 'id') return R.element('td', {}, R.element('a', { href: L.link(run.id) }, run.id));
        if (number) return R.element('td', { class: 'number' }, run[key] === null ? '–' : String(number(run[key])));
        const trouble = key === 'state' && run.trouble ? run.trouble : null;
        return R.element('td', { class: `${key}-${run[key]}`, title: trouble }, (run[key] ?? '–') + (trouble ? ' (!)' : ''));
      };
      const made = R.element('tr', { 'data-id': run.id }, R.element('td', {}, tick), ...L.columns.map(cell));
      rows.set(run.id, { run, row: made });
      return made;
    };
    const listed = wanted.slice(0, L.shown).map(row);
    for (const id of rows.keys()) if (!L.runs.has(id)) rows.delete(id);
    table.replaceChildren(head, ...listed);
    const all = `${wanted.length} of ${L.runs.size} runs` + (L.more ? `, and ${L.more} more that are not listed` : '');
    const more = wanted.length > L.shown ? R.element('button', { type: 'button', onclick: () => { L.shown += 1000; draw(); } }, 'show more') : null;
    note.replaceChildren(all + ' ', ...(more ? [more] : []));
    grids();
    lay();
  };

  const grids = () => {
    groups.replaceChildren(...Object.entries(L.groups).map(([home, cells]) => {
      const of = (folder) => L.runs.get(home === '.' ? folder : `${home}/${folder}`);
      const cell = (folder) => {
        const run = of(folder);
        if (!run) return R.element('td', { class: 'missing' }, '·');
        const text = run.state === 'training' ? `${Math.floor((100 * run.steps) / Math.max(run.planned, 1))} %` : R.number(run.rmse ?? run.estimated, 2);
        return R.element('td', { class: `state-${run.state}` }, R.element('a', { href: L.link(run.id) }, text));
      };
      const done = cells.folders.flat().filter((folder) => ['done', 'stopped'].includes(of(folder)?.state)).length;
      const rows = cells.folders.map((row, k) => R.element('tr', {}, R.element('th', {}, cells.rows[k] ?? ''), ...row.map(cell)));
      const head = R.element('tr', {}, R.element('th', {}, cells.of_rows), ...cells.columns.map((name) => R.element('th', {}, name)));
      const title = `${home === '.' ? 'all runs' : home}: ${done} of ${cells.folders.flat().length} done`;
      return R.element('details', { open: Object.keys(L.groups).length < 4 }, R.element('summary', {}, title), R.element('div', { class: 'wide' }, R.element('table', { class: 'grid' }, head, ...rows)));
    }));
  };

  const lay = async () => {
    const ids = [...L.ticked].filter((id) => L.runs.has(id)).slice(0, 20);
    if (ids.length < 2) {
      over.replaceChildren(...(ids.length ? [R.element('p', { class: 'machine' }, 'tick another run to lay the two over each other')] : []));
      charts = null;
      return;
    }
    const courses = await Promise.all(ids.map((id) => A.json(`/api/history/${id.split('/').map(encodeURIComponent).join('/')}`).catch(() => null)));
    const series = (column) => ids.flatMap((id, k) => {
      const place = courses[k] ? courses[k].columns.indexOf(column) : -1;
      return place < 0 ? [] : [{ name: id, colour: R.colours[k % R.colours.length], x: courses[k].values[0], y: courses[k].values[place] }];
    });
    const wanted = [['trained_loss', 'trained loss'], ['rmse', 'rMSE'], ['region_size', 'region size R']];
    if (!charts) {
      charts = wanted.map(([column, name]) => [column, R.chart({ x: 'iteration (outer steps)', y: name, log: true }, series(column))]);
      over.replaceChildren(R.element('h2', {}, 'Laid over each other'), R.element('div', { class: 'charts' }, ...charts.map(([, chart]) => chart.box)));
    } else charts.forEach(([column, chart]) => chart.update(series(column)));
  };
  draw();
  return { refresh: async () => { await L.load(); draw(); }, events: '/api/events' };
};
