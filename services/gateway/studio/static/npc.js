// An NPC's page: what it knows, how it stands with a player, what it remembers and why.

import { html, useState, useEffect, useRef } from './vendor/preact.js';
import { call, get, paths, hrefOf } from './api.js';
import { Knows, Relation } from './mind.js';
import { Trouble, useLoad } from './parts.js';

export function Person({ w, npc }) {
  const [player, setPlayer] = useState('');
  const [status, setStatus] = useState('');
  const [asked, setAsked] = useState('');
  const [erased, setErased] = useState(0);
  const search = (e) => { e.preventDefault(); setAsked(player.trim()); };
  return html`<section class="person">
    <div class="head"><h1>${npc.name}</h1><a class="button main"
      href=${`#/${w}/${npc.handle}/${asked || 'visitor'}`}>Talk</a></div>
    <dl class="facts">
      <dt>Handle</dt><dd><code>${npc.handle}</code></dd>
      ${npc.region && html`<dt>Region</dt><dd>${npc.region}</dd>`}
      ${npc.greeting && html`<dt>Greeting</dt><dd>“${npc.greeting}”</dd>`}
      <dt>May do</dt><dd>${(npc.actions || []).map((a) => a.name).join(', ') || 'nothing'}</dd>
    </dl>
    <form class="row" onSubmit=${search}>
      <label>Player <input class="who-input" value=${player} onInput=${(e) => setPlayer(e.target.value)}
        pattern="[A-Za-z0-9_\\-]{1,64}" placeholder="all" /></label>
      <label>Status <select value=${status} onChange=${(e) => setStatus(e.target.value)}>
        ${['', 'active', 'superseded', 'flagged', 'pending'].map((s) => html`<option
          value=${s}>${s || 'all'}</option>`)}</select></label>
      <button>Show</button></form>
    ${asked && html`<${Relation} key=${`stands ${asked}/${erased}`} ...${{ w, npc, player: asked }} />`}
    <${Knows} key=${`knows ${asked}/${erased}`} ...${{ w, npc, player: asked }} />
    <${Memories} key=${`${asked}/${status}/${erased}`} ...${{ w, npc, player: asked, status }} />
    ${asked && html`<${Erase} key=${`erase ${asked}`} w=${w} player=${asked} done=${() => setErased((n) => n + 1)} />`}
  </section>`;
}

// all reads every page, at most a thousand memories.
async function all(w, query) {
  const out = [];
  for (let after = ''; out.length < 1000;) {
    const found = await get(paths.memories(w, { ...query, ...(after && { after }) }));
    out.push(...found.memories);
    if (!found.more) break;
    after = found.memories[found.memories.length - 1].id;
  }
  return out;
}

function Memories({ w, npc, player, status }) {
  const { busy, data, error, again } = useLoad(() => all(w, { npc: npc.handle, ...(player && { player }) }), []);
  if (busy) return html`<p class="loading" role="status">Reading memories…</p>`;
  if (error) return html`<${Trouble} error=${error} again=${again} />`;
  const byID = new Map(data.map((m) => [m.id, m]));
  const torn = pairs(data, byID);
  const shown = data.filter((m) => !status || m.status === status);
  return html`
    ${torn.length > 0 && html`<h2>Contradictions</h2>${torn.map(([a, b]) => html`<${Torn}
      key=${`${a.id} ${b.id}`} ...${{ w, a, b, again }} />`)}`}
    <h2>Memories <span class="soft">${shown.length}</span></h2>
    ${!shown.length && html`<p class="soft">${npc.name} remembers nothing of this kind.</p>`}
    <ul class="memories">${shown.map((m) => html`<li class="card" key=${m.id}><${Memory} ...${{ m, byID, w }} />
      <${History} ...${{ w, m, again }} /></li>`)}</ul>`;
}

function pairs(data, byID) {
  const out = [];
  for (const m of data) {
    for (const other of m.contradicts_with || []) if (m.id < other && byID.has(other)) out.push([m, byID.get(other)]);
  }
  return out;
}

function Memory({ m, byID, w }) {
  const by = m.superseded_by && byID.get(m.superseded_by);
  return html`<p class="quote words">${m.content}</p>
    <p class="soft"><span class=${`chip ${m.status}`}>${m.status}</span> ${m.kind}, ${m.player && html`of <span class="pair">${m.player}</span>, `}source ${m.source}${
  m.heard_from && html`, heard from <span class="pair">${m.heard_from}</span>`}, confidence ${m.confidence.toFixed(2)}, proved ${m.count}×</p>
    ${(m.evidence_spans || []).map((s) => html`<p class="proof"><span class="away">Proved by the words: </span>
      <mark class="block">${s.text}</mark>
      <span class="soft"> <span class="pair">${s.speaker}</span>${s.turn_id && m.player ? html`, <a
        href=${hrefOf(w, s.scene ? s : m, s.turn_id)}>the turn</a>` : ''}</span></p>`)}
    ${m.superseded_by && html`<p>Superseded by ${by ? html`<q class="words">${by.content}</q>` : html`<code>${m.superseded_by}</code>`}</p>`}`;
}

// History is what the log says of a memory, the newest first. Any entry but the first can be taken back.
function History({ w, m, again }) {
  const [events, setEvents] = useState(null);
  const [trouble, setTrouble] = useState(null);
  const show = (e) => e.currentTarget.open && !events
    && get(paths.memory(w, m.id)).then((found) => setEvents((found.events || []).reverse())).catch(setTrouble);
  const undo = (e) => call('POST', `${paths.memory(w, m.id)}/resolve`, { body: { undo: e.id } }).then(again).catch(setTrouble);
  const undone = new Set((events || []).map((e) => e.undoes));
  const may = (e) => !['proposed', 'written', 'undone'].includes(e.type) && !undone.has(e.id);
  return html`<details class="draft" onToggle=${show}><summary>History<span class="away"> of: ${m.content}</span>
    </summary>
    ${events && html`<ol>${events.map((e) => html`<li><strong>${e.type}</strong> by ${e.by}
      <span class="soft"> ${e.at.slice(0, 19).replace('T', ' ')}${e.why ? `: ${e.why}` : ''}</span>
      ${may(e) && html` <button class="link" onClick=${() => undo(e)}>Take back</button>`}</li>`)}</ol>`}
    ${trouble && html`<${Trouble} error=${trouble} />`}</details>`;
}

function Torn({ w, a, b, again }) {
  const [why, setWhy] = useState('');
  const [trouble, setTrouble] = useState(null);
  const settle = (body) => call('POST', `${paths.memory(w, a.id)}/resolve`, { body: { ...body, ...(why && { why }) } })
    .then(again).catch(setTrouble);
  const side = (m) => html`<div class="side"><${Memory} m=${m} w=${w} byID=${new Map()} />
    <button onClick=${() => settle({ keep: m.id })}>This one holds<span class="away">: ${m.content}</span></button>
      </div>`;
  return html`<section class="card torn"><div class="sides">${side(a)}${side(b)}</div>
    <div class="row"><label>Why <input value=${why} maxlength="500" onInput=${(e) => setWhy(e.target.value)} /></label>
      <button onClick=${() => settle({ both: true })}>Both hold</button></div>
    ${trouble && html`<${Trouble} error=${trouble} />`}</section>`;
}

// Erase shows what an erasure would take away before anybody can begin it.
function Erase({ w, player, done }) {
  const [plan, setPlan] = useState(null);
  const [typed, setTyped] = useState('');
  const [receipt, setReceipt] = useState(null);
  const [trouble, setTrouble] = useState(null);
  const [busy, setBusy] = useState(false);
  const out = useRef();
  useEffect(() => { if (receipt || plan) out.current.focus(); }, [receipt, plan]);
  const ask = (method, then) => {
    setBusy(true);
    setTrouble(null);
    call(method, paths.player(w, player)).then(then).catch(setTrouble).then(() => setBusy(false));
  };
  const erase = (e) => { e.preventDefault(); ask('DELETE', (r) => { setReceipt(r); done(); }); };
  return html`<section class="card erase"><h2>Erase <span class="pair">${player}</span></h2>
    <p class="soft">Everything that this world keeps of the player goes: turns, replies, traces, conversations and memories. It cannot be undone.</p>
    ${!plan && !receipt && html`<button disabled=${busy}
      onClick=${() => ask('GET', setPlan)}>Show what would go</button>`}
    <div tabindex="-1" ref=${out}>
      ${plan && !receipt && html`<${Counts} counts=${plan.would_erase} />
        <p>${plan.memories_in_the_index} memories in the index, ${plan.turns_under_way} turns under way.</p>
        <form class="row" onSubmit=${erase}><label>Type <code class="pair">${player}</code> to go on <input
          class="who-input" value=${typed} onInput=${(e) => setTyped(e.target.value)} /></label>
          <button class="danger" disabled=${busy || typed !== player}>${busy ? 'Erasing…' : 'Erase for ever'}</button>
            </form>`}
      ${receipt && html`<${Receipt} r=${receipt} />`}
    </div>
    ${trouble && html`<${Trouble} error=${trouble} />`}</section>`;
}

const Counts = ({ counts }) => html`<dl
  class="facts">${Object.entries(counts || {}).map(([k, n]) => html`<dt>${n}</dt><dd>${k}</dd>`)}</dl>`;

function Receipt({ r }) {
  return html`<div role="status"><h3>Receipt <code>${r.id}</code></h3><${Counts} counts=${r.erased} />
    ${(r.left || []).length > 0 && html`<h4>Left, because it belongs to others</h4>
      <ul>${r.left.map((l) => html`<li>${l.count} ${l.place}: ${l.why}</li>`)}</ul>`}
    ${(r.beyond || []).length > 0 && html`<h4>Out of reach</h4><ul>${r.beyond.map((x) => html`<li>${x}</li>`)}</ul>`}
    ${(r.to_do || []).length > 0 && html`<h4>To do</h4><ul>${r.to_do.map((x) => html`<li>${x}</li>`)}</ul>`}</div>`;
}
