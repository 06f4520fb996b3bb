// A report: its data is in the page, its charts and fields are drawn from it.

(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const colour = (k) => R.colours[k % R.colours.length];
  document.querySelectorAll('[data-chart]').forEach((place) => {
    const { column, label, log } = data.charts[Number(place.dataset.chart)];
    const series = data.runs.flatMap((run, k) => {
      const at = run.columns.indexOf(column);
      return at < 0 ? [] : [{ name: run.label, key: run.label, colour: colour(k), x: run.values[0], y: run.values[at] }];
    });
    place.append(R.chart({ x: 'iteration (outer steps)', y: label, log }, series).box);
  });
  document.querySelectorAll('[data-terms]').forEach((place) => {
    const run = data.runs[Number(place.dataset.terms)];
    const of = (name) => run.values[run.columns.indexOf(name)];
    const names = run.columns.filter((name) => name === 'trained_loss' || name.startsWith('term ') || name.startsWith('equation '));
    const series = names.map((name, k) => ({ name: name.replace(/^(term|equation) /, ''), key: `${run.label} ${name}`, colour: colour(k), x: run.values[0], y: of(name) }));
    place.append(R.chart({ x: 'iteration (outer steps)', y: 'trained loss by term', log: true }, series).box);
  });
  document.querySelectorAll('[data-fields]').forEach((place) => {
    const fields = data.runs[Number(place.dataset.fields)].fields;
    const load = (step) => Uint8Array.from(atob(fields.find(([own]) => own === step)[1]), (byte) => byte.charCodeAt(0)).buffer;
    place.append(R.field(fields.map(([step]) => step), load).box);
  });
  // What is hidden in one chart is hidden everywhere.
  R.redraws.add(() => document.querySelectorAll('[data-run]').forEach((part) => { part.hidden = R.hidden.has(data.runs[Number(part.dataset.run)].label); }));
  document.querySelectorAll('table').forEach(R.sortable);
  R.theme(document.getElementById('theme'));
})();
