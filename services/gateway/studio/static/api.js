// The gateway's own API. The caller's key stays in this tab.

const keyName = 'forsooth.key';

export const key = () => sessionStorage.getItem(keyName) || '';

export function setKey(text) {
  if (text) sessionStorage.setItem(keyName, text);
  else sessionStorage.removeItem(keyName);
}

// Problem is what the gateway says is wrong.
export class Problem extends Error {
  constructor(body, status) {
    super(body.detail || body.title || `the gateway answers ${status}`);
    this.code = body.code || 'UNREACHABLE';
    this.status = status;
  }
}

async function send(method, path, { body, headers = {}, signal } = {}) {
  const all = { ...headers };
  if (key()) all.Authorization = `Bearer ${key()}`;
  if (body !== undefined) all['Content-Type'] = 'application/json';
  let answer;
  try {
    answer = await fetch(path, { method, headers: all, signal, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    throw new Problem({ detail: 'The gateway does not answer. Is it still running?' }, 0);
  }
  if (!answer.ok) {
    const text = await answer.text();
    let problem = {};
    try { problem = JSON.parse(text); } catch { problem = { detail: text.slice(0, 200) }; }
    throw new Problem(problem, answer.status);
  }
  return answer;
}

export async function call(method, path, options) {
  const answer = await send(method, path, options);
  return answer.status === 204 ? null : answer.json();
}

export const get = (path, options) => call('GET', path, options);

// events yields the server-sent events of a request: {event, id, data}.
export async function* events(method, path, options = {}) {
  const answer = await send(method, path, { ...options, headers: { Accept: 'text/event-stream', ...options.headers } });
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split('\n\n');
      rest = blocks.pop();
      for (const block of blocks) {
        const e = read(block);
        if (e) yield e;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function read(block) {
  const e = { event: '', id: '', data: null };
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) e.event = line.slice(7);
    else if (line.startsWith('id: ')) e.id = line.slice(4);
    else if (line.startsWith('data: ')) e.data = JSON.parse(line.slice(6));
  }
  if (e.event === 'problem') throw new Problem(e.data, e.data.status);
  return e.data ? e : null;
}

const part = encodeURIComponent;

// ofScene stands in an address where an NPC would: the id of a scene follows in the place of a player.
export const ofScene = '~scene';

const turnsOf = (w, n, p) => `/v1/worlds/${part(w)}/${n === ofScene ? `scenes/${part(p)}` : `npcs/${part(n)}`}/turns`;

// hrefOf is the address of a turn in the inspector. What names the conversation of a scene calls the NPC "scene".
export function hrefOf(w, { npc, player, scene }, turn) {
  const id = scene || (npc === 'scene' && player);
  return `#/${[w, ...(id ? [ofScene, id] : [npc, player]), turn].map(part).join('/')}`;
}

export const paths = {
  worlds: () => '/v1/worlds',
  world: (w) => `/v1/worlds/${part(w)}`,
  npc: (w, n) => `/v1/worlds/${part(w)}/npcs/${part(n)}`,
  turns: (w, n) => `/v1/worlds/${part(w)}/npcs/${part(n)}/turns`,
  turn: (w, n, p, t, more = '') => `${turnsOf(w, n, p)}/${part(t)}?player=${part(p)}${more}`,
  trace: (w, n, p, t) => `${turnsOf(w, n, p)}/${part(t)}/trace?player=${part(p)}`,
  replay: (w, n, p, t) => `/v1/worlds/${part(w)}/npcs/${part(n)}/turns/${part(t)}/replay?player=${part(p)}`,
  lore: (w, n, p) => `/v1/worlds/${part(w)}/npcs/${part(n)}/lore${p ? `?player=${part(p)}` : ''}`,
  relation: (w, n, p) => `/v1/worlds/${part(w)}/npcs/${part(n)}/relations/${part(p)}`,
  conversation: (w, n, p) => `/v1/worlds/${part(w)}/npcs/${part(n)}/conversations/${part(p)}`,
  memories: (w, query) => `/v1/worlds/${part(w)}/memories?${new URLSearchParams(query)}`,
  memory: (w, m) => `/v1/worlds/${part(w)}/memories/${part(m)}`,
  player: (w, p) => `/v1/worlds/${part(w)}/players/${part(p)}`,
  outcomes: (w, query) => `/v1/worlds/${part(w)}/outcomes?${new URLSearchParams(query)}`,
  letters: (w, after) => `/v1/worlds/${part(w)}/letters?after=${after}`,
  reports: (w) => `/v1/worlds/${part(w)}/reports`,
  drafts: (w, check) => `/v1/worlds/${part(w)}/drafts${check ? '/check' : ''}`,
  queues: () => '/v1/queues',
  suites: () => '/v1/suites',
  compare: (old, now) => `/v1/suites/compare?${new URLSearchParams({ old, new: now })}`,
  retry: (w, number) => `/v1/worlds/${part(w)}/letters/${number}/retry`,
};

// load is everything that is kept of a turn. A trace that is gone, or not for this key, is null.
export async function loadTurn(w, n, p, t) {
  const out = { outcome: null, trace: null, why: '' };
  try {
    out.outcome = await get(paths.turn(w, n, p, t, '&view=full'));
  } catch (e) {
    if (e.status !== 403) throw e;
    out.outcome = await get(paths.turn(w, n, p, t));
  }
  if (!out.outcome.reply && !out.outcome.full) return out;
  try {
    out.trace = (await get(paths.trace(w, n, p, t))).passes;
  } catch (e) {
    out.why = e.status === 403 ? 'This key has no right to read, so that how the turn came about is not shown.' : e.message;
  }
  return out;
}

// newID is a turn's id: 26 letters and digits that nobody else makes.
export function newID() {
  const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  return Array.from(crypto.getRandomValues(new Uint8Array(26)), (b) => letters[b % 32]).join('');
}
