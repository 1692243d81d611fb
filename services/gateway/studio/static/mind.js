// What an NPC knows, does not know and hides, and how it stands with a player.

import { html, useState } from './vendor/preact.js';
import { get, paths } from './api.js';
import { Trouble, useLoad } from './parts.js';
import { rejection } from './turn.js';

// Relation is how the NPC and a player stand. A gateway apart from its mesh shows the
// conversation alone.
export function Relation({ w, npc, player }) {
  const { data, error } = useLoad(() => Promise.all([get(paths.conversation(w, npc.handle, player)),
    get(paths.relation(w, npc.handle, player)).catch((e) => { if (e.status === 501) return null; throw e; })]), []);
  if (error) return html`<${Trouble} error=${error} />`;
  if (!data) return html`<p class="loading" role="status">Reading how they stand…</p>`;
  const [talk, r] = data;
  const now = r || talk;
  const state = (r && r.npc) || {};
  const standing = Object.entries((r && r.standing) || {});
  return html`<h2>Toward <span class="pair">${player}</span></h2><dl class="facts">
    <dt>Trust</dt><dd>${now.trust}</dd><dt>Opinion</dt><dd>${now.opinion || 'none yet'}</dd>
    <dt>Mood</dt><dd>${state.mood || 'not told'}${state.source ? html` <span class="soft">from ${state.source}</span>` : ''}</dd>
    ${state.activity && html`<dt>Does</dt><dd>${state.activity}</dd>`}
    ${state.plans && html`<dt>Means to</dt><dd>${state.plans}</dd>`}
    <dt>Favours</dt><dd>${r && (r.owed || []).length ? html`<ul>${r.owed.map((f) => html`<li>${f.owes === 'npc' ? `${npc.name} owes`
    : 'the player owes'} for <span class="words">${f.what}</span></li>`)}</ul>` : 'none is owed'}</dd>
    ${standing.length > 0 && html`<dt>Standing</dt><dd>${standing.map(([f, n]) => `${f} ${n}`).join(', ')}</dd>`}
    <dt>Turns</dt><dd>${talk.turns}</dd></dl>
    ${r && (r.why || []).length > 0 && html`<details class="draft"><summary>What moved the trust</summary><ol>${r.why.map((s) => html`
      <li>${s.by > 0 ? `+${s.by}` : s.by} for ${s.why} <span class="words soft">${s.text || ''}</span>${s.turn_id ? html` <a
        href=${`#/${w}/${npc.handle}/${player}/${s.turn_id}`}>the turn</a>` : ''}</li>`)}</ol></details>`}
    ${!r && html`<p class="soft" role="note">This gateway runs apart from its mesh: mood, favours and standing are not shown here.</p>`}`;
}

// Knows lists documents by whether they may be told. It has no text: that must not leave the search.
export function Knows({ w, npc, player }) {
  const { busy, data, error, again } = useLoad(() => get(paths.lore(w, npc.handle, player)), []);
  const [part, setPart] = useState('');
  if (error) return error.status === 501 ? html`<h2>What it knows</h2><p class="soft" role="note">${error.message}</p>`
    : html`<h2>What it knows</h2><${Trouble} error=${error} again=${again} />`;
  if (busy) return html`<p class="loading" role="status">Reading what it knows…</p>`;
  const takes = (e) => !part || e.path.toLowerCase().includes(part.toLowerCase());
  const lists = [['Knows', data.open, 'It may say this.'], ['Hides', data.closed, 'It knows this, and does not tell it now.'],
    ['Does not know', data.outside, 'It is not for this NPC to know.']];
  return html`<h2>What it knows <span class="soft">on ${data.at.slice(0, 10)} of the game, to ${player ? `whom it trusts ${data.trust}`
    : 'a stranger'}</span></h2>
    <div class="row"><label>Only files with <input value=${part} onInput=${(e) => setPart(e.target.value)} placeholder="part of a name" />
      </label></div>
    ${lists.map(([name, list, about]) => html`<details class="card knows"><summary><strong>${name}</strong> <span
      class="count">${list.filter(takes).length}</span> <span class="soft">${about}</span></summary>
      <ul>${list.filter(takes).slice(0, 500).map((e) => html`<li><code>${e.path}</code> <span class="soft">${e.type}${e.own
  ? ', its own' : ''}${e.belief ? `, ${e.belief}` : ''}, ${e.passages} ${e.passages === 1 ? 'passage' : 'passages'}</span>${e.reason ? html`<br /><${Why} e=${e} />` : ''}</li>`)}
      </ul></details>`)}
    ${player && html`<p class="soft">Conditions on flags and on the game’s state are taken as not met: the game sends both with a turn.</p>`}`;
}

function Why({ e }) {
  return html`<span class="chip unknown">${rejection(e.reason)}</span> <span class="soft">${[
    e.requires && `it asks for ${e.requires}`,
    e.reason === 'secret' && !e.requires && 'it is never told',
    e.from && e.from.slice(0, 4) !== '0001' && `from ${e.from.slice(0, 10)}`,
    e.owner && `it is ${e.owner}’s own`,
    e.known_by && `known by ${e.known_by.join(', ')}`,
  ].filter(Boolean).join('; ')}</span>`;
}
