// One run: how far it is, its curves, its field, its log; and a button that ends it.

const V = {};

V.curves = (course) => {
  const { columns, values } = course;
  const x = values[0] || [];
  const of = (names) => names.map(([column, name], k) => ({ name, colour: R.colours[k % R.colours.length], x, y: values[columns.indexOf(column)], key: `curve ${name}` }));
  const begin = (word) => columns.filter((name) => name.startsWith(`${word} `)).map((name) => [name, name.slice(word.length + 1)]);
  const has = ([column]) => columns.includes(column) && values[columns.indexOf(column)].some((value) => value !== null && value !== 0);
  return [
    ['loss', 'trained loss', true, of([['trained_loss', 'total'], ...begin('term'), ...begin('equation')].filter(has))],
    ['error', 'relative error', true, of([['rmse', 'rMSE'], ['rmae', 'rMAE'], ...begin('rmse').map(([column, name]) => [column, `rMSE of ${name}`])].filter(has))],
    ['region', 'region size R', true, of([['region_size', 'R'], ['sigma', 'gradient spread σ']].filter(has))],
    ['trained', 'trained numbers', false, of(begin('trained').filter(has))],
  ].filter(([, , , series]) => series.length);
};

V.view = (main, id) => {
  const path = id.split('/').map(encodeURIComponent).join('/');
  const [title, facts, troubles] = [R.element('h1', {}, id), R.element('dl', { class: 'facts' }), R.element('div', {})];
  const [charts, fields, verdict] = [R.element('div', { class: 'charts', id: 'curves' }), R.element('div', { id: 'fields' }), R.element('div', { id: 'verdict' })];
  const [log, config, told] = [R.element('pre', { class: 'log' }), R.element('pre', { class: 'log' }), R.element('span', { class: 'machine' })];
  const stop = R.element('button', { type: 'button', class: 'stop', hidden: true }, 'Stop this run');
  stop.addEventListener('click', async () => {
    stop.disabled = true;
    const token = document.querySelector('meta[name=token]').content;
    const answer = await fetch(`/api/stop/${path}`, { method: 'POST', headers: { 'x-ropinn-token': token } });
    const words = (await answer.json()).error;
    told.textContent = words || 'asked to stop: it finishes its step and saves';
    stop.disabled = Boolean(!words);
  });
  main.replaceChildren(
    title, R.element('p', {}, R.element('a', { href: '#/' }, 'all runs'), ' ', stop, ' ', told), facts, troubles, verdict, R.element('h2', {}, 'Curves'), charts,
    R.element('h2', {}, 'Field'), fields, R.element('h2', {}, 'Log'), log, R.element('details', {}, R.element('summary', {}, 'Settings'), config),
  );
  const drawn = new Map();
  let field = null;
  let seen = '';

  const refresh = async () => {
    const [run, course] = await Promise.all([A.json(`/api/run/${path}`), A.json(`/api/history/${path}`).catch((error) => ({ columns: [], values: [], rows: 0, bad: 0, last: [], error: error.message }))]);
    const steps = run.planned ? `${run.steps} of ${run.planned}` : run.steps ?? course.rows;
    const shown = [
      ['state', run.state, `state-${run.state}`], ['problem', run.problem], ['model', run.model], ['objective', run.objective], ['seed', run.seed], ['rMSE', R.number(run.rmse)],
      ['estimated error', R.number(run.estimated)], ['steps', steps], ['training', R.duration(run.seconds)], ['time left', run.state === 'training' ? R.duration(run.left) : null],
      ['verdict', run.verdict, `verdict-${run.verdict}`], ['rows', course.rows],
    ];
    facts.replaceChildren(...shown.filter(([, value]) => value !== null && value !== undefined && value !== '–')
      .map(([name, value, kind]) => R.element('div', {}, R.element('dt', {}, name), R.element('dd', { class: kind, 'data-fact': name }, String(value)))));
    stop.hidden = run.state !== 'training';
    if (run.state !== 'training') told.textContent = '';
    const words = [...run.troubles, run.trouble && !run.troubles.length ? run.trouble : null, course.error, course.bad ? `metrics.csv: ${course.bad} lines cannot be read` : null].filter(Boolean);
    troubles.replaceChildren(...words.map((text) => R.element('p', { class: 'trouble' }, `Cannot be read: ${text}`)));
    const judged = run.state === 'training' ? null : run.result?.verdict;
    // Earlier versions kept the number alone.
    const interval = (found) => (found.low === undefined ? '' : ` (95 %: ${R.number(found.low, 5)} to ${R.number(found.high, 5)})`);
    const figure = (found) => (typeof found === 'object' ? R.number(found.value, 6) + interval(found) : R.number(found, 6));
    const numbers = Object.entries(run.result?.trained || {}).map(([name, found]) => `${name} = ${figure(found || NaN)}`).join(', ');
    verdict.replaceChildren(
      ...(judged ? [R.element('p', {}, R.element('b', { class: `verdict-${judged.word}` }, judged.word), ': ', (judged.reasons || []).join('; '))] : []),
      ...(run.result?.stop_reason && run.state !== 'training' ? [R.element('p', { class: 'machine' }, run.result.stop_reason)] : []),
      ...(numbers ? [R.element('p', {}, numbers)] : []),
    );
    for (const [key, name, isLog, series] of V.curves(course)) {
      if (drawn.has(key)) drawn.get(key).update(series);
      else {
        drawn.set(key, R.chart({ x: 'iteration (outer steps)', y: name, log: isLog }, series));
        drawn.get(key).box.id = `curve-${key}`;
        charts.append(drawn.get(key).box);
      }
    }
    if (run.fields.length) {
      const load = async (step) => {
        const answer = await fetch(`/api/field/${path}?step=${step}`);
        if (!answer.ok) throw new Error((await answer.json()).error);
        return answer.arrayBuffer();
      };
      // A run that began anew has other fields under the same steps.
      const key = run.state === 'training' ? 'training' : String(run.seconds);
      if (!field || seen !== key) {
        if (field) field.remove();
        field = R.field(run.fields, load);
        fields.replaceChildren(field.box);
        seen = key;
      } else field.update(run.fields);
    } else fields.replaceChildren(R.element('p', { class: 'machine' }, 'No field is kept yet; the first one comes after a second of training.'));
    const below = log.scrollTop + log.clientHeight >= log.scrollHeight - 4;
    log.textContent = run.log || 'nothing was said yet';
    if (below) log.scrollTop = log.scrollHeight;
    config.textContent = run.config || '';
  };
  refresh().catch(A.lost);
  return { refresh, events: `/api/events?run=${encodeURIComponent(id)}` };
};
