// Turns as they end. The list draws the rows in sight alone, so that ten thousand turns scroll
// as ten do.

import { html, useState, useEffect, useRef, useMemo } from './vendor/preact.js';
import { events, paths, hrefOf } from './api.js';
import { ms } from './turn.js';
import { Trouble } from './parts.js';
import { Lines, Shares } from './plot.js';
import { Queues } from './queues.js';

const rowHeight = 56;
const spare = 8; // rows drawn above and below those in sight
const kept = 20000;

export function Live({ w, npcs }) {
  const [hours, setHours] = useState(24);
  const { turns, state, error } = useOutcomes(w, hours);
  const [by, setBy] = useState({ npc: '', player: '', reason: '', status: '', score: '' });
  const [course, setCourse] = useState(false);
  const set = (field) => (e) => setBy({ ...by, [field]: e.target.value });
  const shown = useMemo(() => turns.filter((t) => takes(by, t)), [turns, by]);
  const sums = useMemo(() => summed(shown), [shown]);
  const options = (field) => [...new Set(turns.map((t) => t[field]).filter(Boolean))].sort();
  const pick = (field, name, all) => html`<label>${name} <select value=${by[field]} onChange=${set(field)}>
    <option value="">all</option>
    ${all.map((v) => html`<option value=${v}>${v}</option>`)}</select></label>`;
  return html`<section class="outcomes"><div class="head"><h1>Turns as they end</h1>
      <span class=${`chip ${state}`} role="status">${state}</span></div>
    ${error && html`<${Trouble} error=${error} />`}
    <form class="row filters" aria-label="Filters" onSubmit=${(e) => e.preventDefault()}>
      ${pick('npc', 'NPC', npcs.map((n) => n.handle))}
      <label>Player <input class="who-input" value=${by.player} onInput=${set('player')} placeholder="all" /></label>
      ${pick('status', 'Status', options('status'))}${pick('reason', 'Reason', options('reason'))}
      <label>Score below <input type="number" min="0" max="1" step="0.05" value=${by.score} onInput=${set('score')} />
        </label>
      <label>Since <select value=${hours} onChange=${(e) => setHours(Number(e.target.value))}>
        <option value="1">an hour</option><option value="24">a day</option><option value="168">a week</option>
          </select></label></form>
    <${Sums} s=${sums} />
    <div class="row panels"><details class="card" onToggle=${(e) => setCourse(e.currentTarget.open)}><summary>Over time</summary>
      ${course && html`<${Course} turns=${shown} hours=${hours} />`}</details>
      <${Queues} /></div>
    <${Rows} w=${w} turns=${shown} /></section>`;
}

function takes(by, t) {
  return (!by.npc || t.npc === by.npc) && (!by.player || t.player.includes(by.player)) && (!by.status || t.status === by.status)
    && (!by.reason || t.reason === by.reason) && (by.score === '' || (t.score || 0) < Number(by.score));
}

// useOutcomes follows the stream, newest first, and comes back to it where it broke.
function useOutcomes(w, hours) {
  const [turns, setTurns] = useState([]);
  const [state, setState] = useState('connecting');
  const [error, setError] = useState(null);
  useEffect(() => {
    const stop = new AbortController();
    let waiting = [];
    let seen = 0;
    setTurns([]);
    setError(null);
    const flush = setInterval(() => {
      if (!waiting.length) return;
      const fresh = waiting.reverse();
      waiting = [];
      setTurns((all) => [...fresh, ...all].slice(0, kept));
    }, 150);
    const follow = async () => {
      while (!stop.signal.aborted) {
        try {
          const since = new Date(Date.now() - hours * 3600e3).toISOString().replace(/\.\d+Z/, 'Z');
          setState('live');
          const headers = seen ? { 'Last-Event-ID': String(seen) } : {};
          for await (const { id, data } of events('GET', paths.outcomes(w, { since }), { signal: stop.signal, headers })) {
            if (Number(id) > seen) { seen = Number(id); waiting.push(data); }
          }
        } catch (e) {
          if (stop.signal.aborted) return;
          if (e.status >= 400 && e.status < 500) { setState('stopped'); setError(e); return; }
        }
        setState('connecting');
        await new Promise((done) => setTimeout(done, 1500));
      }
    };
    follow();
    return () => { stop.abort(); clearInterval(flush); };
  }, [w, hours]);
  return { turns, state, error };
}

// falling are the ways in which an answer ends otherwise than it was to: quoted, cut off or authored.
const falling = new Set(['extractive', 'partial', 'authored']);
const silent = new Set(['unknown', 'withheld', 'authored', 'aborted']);

// summed are the figures of the turns in view.
export function summed(turns) {
  const times = turns.map((t) => t.ms).sort((a, b) => a - b);
  const at = (q) => (times.length ? times[Math.min(times.length - 1, Math.ceil(q * times.length) - 1)] : 0);
  const refused = turns.filter((t) => silent.has(t.status));
  const by = new Map();
  for (const t of refused) by.set(t.reason || t.status, (by.get(t.reason || t.status) || 0) + 1);
  const fell = turns.filter((t) => falling.has(t.status) && t.reason && t.reason !== 'SOCIAL');
  const how = new Map();
  for (const t of fell) how.set(t.reason, (how.get(t.reason) || 0) + 1);
  const total = (f) => turns.reduce((n, t) => n + (t[f] || 0), 0);
  return { n: turns.length, refused: refused.length, by: [...by].sort((a, b) => b[1] - a[1]),
    fell: fell.length, how: [...how].sort((a, b) => b[1] - a[1]), p50: at(0.5), p95: at(0.95),
    tokens: total('tokens'), cost: total('cost'), stripped: total('stripped') };
}

function Sums({ s }) {
  const share = (n) => (s.n ? `${((n / s.n) * 100).toFixed(1)} %` : '–');
  return html`<dl class="sums">
    <div><dt>Turns</dt><dd>${s.n}</dd></div><div><dt>p50</dt><dd>${s.n ? ms(s.p50) : '–'}</dd></div><div><dt>p95</dt>
      <dd>${s.n ? ms(s.p95) : '–'}</dd></div>
    <div><dt>Refused</dt><dd>${share(s.refused)}</dd></div><div><dt>Fell back</dt><dd>${share(s.fell)}</dd></div><div><dt>Stripped sentences</dt><dd>${s.stripped}</dd></div>
    <div><dt>Tokens</dt><dd>${s.tokens}</dd></div><div><dt>Cost</dt><dd>${s.cost ? s.cost.toFixed(4) : '0'}</dd></div>
      </dl>
    <div class="row panels"><${Rates} name="Refusals, by reason" list=${s.by} of=${s.n} />
      <${Rates} name="Fallbacks, by reason" list=${s.how} of=${s.n} /></div>`;
}

const Rates = ({ name, list, of }) => (list.length ? html`<div><h2>${name}</h2><${Shares} label=${name} list=${list} of=${of} /></div>` : null);

const slots = 24;

// courseOf cuts the time in view into slots, with the figures of each; one without turns has none.
export function courseOf(turns, hours, now) {
  const span = (hours * 3600e3) / slots;
  const out = Array.from({ length: slots }, () => []);
  for (const t of turns) {
    const at = slots - 1 - Math.floor((now - Date.parse(t.at)) / span);
    if (at >= 0 && at < slots) out[at].push(t);
  }
  return out.map((list, i) => ({ ...summed(list), at: new Date(now - (slots - i) * span).toISOString() }));
}

function Course({ turns, hours }) {
  const list = useMemo(() => courseOf(turns, hours, Date.now()), [turns, hours]);
  const labels = list.map((s) => (hours > 24 ? `${s.at.slice(5, 10)} ${s.at.slice(11, 13)} h` : s.at.slice(11, 16)));
  const of = (f) => list.map((s) => (s.n ? f(s) : null));
  return html`<div class="plots">
    <${Lines} title="Time to the reply" labels=${labels} show=${ms} series=${[{ name: 'p50', values: of((s) => s.p50) },
    { name: 'p95', values: of((s) => s.p95) }]} />
    <${Lines} title="Share of turns" labels=${labels} show=${(v) => `${Math.round(v * 100)} %`} series=${[{ name: 'refused',
    values: of((s) => s.refused / s.n) }, { name: 'fell back', values: of((s) => s.fell / s.n) }]} />
    <${Lines} title="Turns" labels=${labels} show=${(v) => String(Math.round(v))} series=${[{ name: 'turns', values: list.map((s) => s.n) }]} />
    <${Lines} title="Spent" labels=${labels} show=${(v) => Number(v.toPrecision(2))} series=${[{ name: 'cost', values: list.map((s) => s.cost) }]} />
  </div>`;
}

function Rows({ w, turns }) {
  const box = useRef();
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  useEffect(() => {
    const watch = new ResizeObserver(() => setHeight(box.current.clientHeight));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const from = Math.max(0, Math.floor(top / rowHeight) - spare);
  const to = Math.min(turns.length, Math.ceil((top + height) / rowHeight) + spare);
  return html`<div class="rows" ref=${box} tabindex="0" role="region" aria-label="Turns, the newest first"
    onScroll=${(e) => setTop(e.target.scrollTop)}>
    ${!turns.length && html`<p class="soft">No turn has ended in this time.</p>`}
    <ul style=${{ height: `${turns.length * rowHeight}px` }}>${turns.slice(from, to).map((t, i) => html`
      <li key=${t.sequence} style=${{ top: `${(from + i) * rowHeight}px` }}
        aria-setsize=${turns.length} aria-posinset=${from + i + 1}>
        <a href=${hrefOf(w, t, t.turn_id)}>
          <span class="when">${t.at.slice(11, 19)}</span><span class="pair">${[t.scene && `${t.scene}:`, t.npc, '←', t.player].filter(Boolean).join(' ')}</span>
          <span class="words">${t.message} <em>→ ${t.reply}</em></span>
          <span class=${`chip ${t.status}`}>${t.reason || t.status}</span><span class="n">${ms(t.ms)}</span></a>
            </li>`)}</ul></div>`;
}
