// Tables that sort: by numbers where cells are numbers, by words elsewhere, what is missing last.

R.compare = (one, other, down) => {
  const missing = (value) => value === null || value === undefined || value === '' || value === '–' || Number.isNaN(value);
  if (missing(one) || missing(other)) return Number(missing(one)) - Number(missing(other));
  const [a, b] = [Number(one), Number(other)];
  const order = Number.isNaN(a) || Number.isNaN(b) ? String(one).localeCompare(String(other), 'en', { numeric: true }) : a - b;
  return down ? -order : order;
};

// The head of a table whose columns sort; `sort` is { column, down } and is changed.
R.sorts = (head, sort, column, changed) => {
  head.classList.add('sorts');
  if (sort.column === column) head.setAttribute('aria-sort', sort.down ? 'descending' : 'ascending');
  else head.removeAttribute('aria-sort');
  head.onclick = () => {
    [sort.down, sort.column] = [sort.column === column && !sort.down, column];
    changed();
  };
};

// A table that is written already.
R.sortable = (table) => {
  const sort = {};
  const change = () => {
    const heads = [...table.rows[0].cells];
    const rows = [...table.rows].slice(1);
    if (sort.column !== undefined) rows.sort((a, b) => R.compare(a.cells[sort.column].textContent, b.cells[sort.column].textContent, sort.down));
    rows.forEach((row) => row.parentNode.append(row));
    heads.forEach((head, k) => R.sorts(head, sort, k, change));
  };
  if (table.rows.length > 2) change();
};
