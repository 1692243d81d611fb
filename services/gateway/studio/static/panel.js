// The panel beside the talk: how one turn came about.

import { html, useState, useEffect, useRef } from './vendor/preact.js';
import { loadTurn, ofScene } from './api.js';
import { kindOf, kinds, refusedOf, refusalOf } from './turn.js';
import { Evidence } from './evidence.js';
import { NotSaid } from './notsaid.js';
import { Passes } from './passes.js';
import { Replay } from './replay.js';
import { Judge } from './judge.js';
import { Tabs, Trouble, Save, useLoad } from './parts.js';

// Panel shows a turn of an NPC with a player, or of a scene where one is named.
export function Panel({ w, npc, player, scene, chosen, close, pick }) {
  const [n, p] = scene ? [ofScene, scene] : [npc.handle, player];
  const { busy, data, error, again } = useLoad(() => loadTurn(w, n, p, chosen.id), [chosen.id]);
  const [tab, setTab] = useState('');
  const head = useRef();
  useEffect(() => { head.current.focus(); }, [chosen.id, chosen.seq]);
  const keys = (e) => { if (e.key === 'Escape') { e.stopPropagation(); close(); } };
  return html`<aside class="panel" aria-label="How the turn came about" onKeyDown=${keys}>
    <div class="head"><h2 tabindex="-1" ref=${head}>Why did ${npc.name} say that?</h2>
      <button class="quiet" onClick=${close} aria-label="Close the panel">Close</button></div>
    ${busy && html`<p class="loading" role="status">Reading the turn…</p>`}
    ${error && html`<${Trouble} error=${error} again=${again} />`}
    ${data && html`<${Turn} ...${{ w, npc, player, scene, chosen, pick, data, tab, setTab }} />`}
  </aside>`;
}

function Turn({ w, npc, player, scene, chosen, pick, data, tab, setTab }) {
  const reply = data.outcome.full || data.outcome.reply;
  if (!reply) return html`<p role="status">The turn is ${data.outcome.state}; its reply has not come yet.</p>`;
  const sentences = reply.sentences || [];
  const sentence = sentences.find((s) => s.seq === chosen.seq) || sentences[0];
  const refused = refusedOf(reply, data.trace);
  const refusal = refusalOf(reply, data.trace);
  const shared = { w, npc, player, reply, trace: data.trace, refused, refusal };
  const tabs = [
    { id: 'evidence', name: 'Evidence', view: () => html`<${Evidence} ...${{ ...shared, sentence }} />` },
    { id: 'notsaid', name: 'Not said', count: refused.length, view: () => html`<${NotSaid} ...${shared} />` },
    { id: 'passes', name: 'Passes', view: () => html`<${Passes} ...${{ ...shared, again: scene ? null : () => setTab('replay') }} />` },
    ...(scene ? [] : [{ id: 'replay', name: 'Run again', view: () => html`<${Replay} ...${shared} />` }]), // others have spoken since
    { id: 'judge', name: 'Your verdict', view: () => html`<${Judge} ...${shared} />` },
  ];
  const whole = JSON.stringify({ turn: reply.turn_id, reply, trace: data.trace }, null, 1);
  return html`<div class="turn">
    <blockquote class="asked"><span class="words">${reply.message}</span></blockquote>
    <p class="answer">${sentences.map((s) => html`<${Quoted} ...${{ s, reply, npc, on: s === sentence, pick }} /> `)}</p>
    ${data.why && html`<p class="soft" role="note">${data.why}</p>`}
    <${Tabs} label="The turn" tabs=${tabs} on=${tab || (refusal ? 'notsaid' : 'evidence')} pick=${setTab} />
    <p class="foot"><a href=${location.hash}>Permalink of this turn</a>
      <${Save} text=${whole} name=${`turn-${reply.turn_id}.json`} kind="application/json">Download as JSON<//></p>
  </div>`;
}

function Quoted({ s, reply, npc, on, pick }) {
  const kind = kindOf(s, reply, npc.handle);
  return html`<button class=${`quoted ${kind}${on ? ' on' : ''}`} aria-pressed=${on ? 'true' : 'false'}
    title=${kinds[kind]}
    onClick=${(e) => pick(reply.turn_id, s.seq, e.currentTarget)}>${s.text}</button>`;
}
