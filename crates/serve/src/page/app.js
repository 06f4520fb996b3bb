// The page: what the address names is shown, and shown again whenever the server says that something has changed.

const A = { events: null, view: null };

A.json = async (address) => {
  const answer = await fetch(address);
  const content = await answer.json();
  if (!answer.ok) throw new Error(content.error || answer.statusText);
  return content;
};

A.say = (words) => { document.getElementById('connection').textContent = words; };
A.lost = (error) => A.say(`cannot show this: ${error.message}`);

A.open = async () => {
  if (A.events) A.events.close();
  const main = document.getElementById('main');
  const [, what, ...rest] = location.hash.split('/');
  R.redraws.clear();
  try {
    if (what === 'run') A.view = V.view(main, rest.map(decodeURIComponent).join('/'));
    else {
      await L.load();
      A.view = L.view(main);
    }
  } catch (error) {
    A.lost(error);
    return;
  }
  const own = A.view;
  let [busy, again] = [false, false];
  // One request at a time; what changes meanwhile is asked for once more.
  const refresh = async () => {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    try {
      await own.refresh();
      A.say('live');
    } catch (error) {
      A.lost(error);
    }
    await new Promise((done) => { setTimeout(done, 300); });
    busy = false;
    if (again && own === A.view) {
      again = false;
      refresh();
    }
  };
  A.events = new EventSource(own.events);
  A.events.onopen = () => A.say('live');
  A.events.onmessage = refresh;
  A.events.onerror = () => A.say('nobody answers: what you see is what was there last');
};

R.theme(document.getElementById('theme'));
window.addEventListener('hashchange', A.open);
A.open();
