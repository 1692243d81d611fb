// The turn run again with other settings, beside what it was. Nothing is written.

import { html, useState } from './vendor/preact.js';
import { call, paths } from './api.js';
import { kindOf, kinds, ms, sum } from './turn.js';
import { Trouble } from './parts.js';

const empty = { entailment_threshold: '', confidence_threshold: '', unknown_threshold: '', policy: '', depth: '', model: '', strict: '' };

// changeOf leaves out what is to stay as it is.
export function changeOf(form) {
  const out = {};
  for (const [k, v] of Object.entries(form)) {
    if (v === '') continue;
    if (k.endsWith('threshold')) out[k] = Number(v);
    else out[k] = k === 'strict' ? v === 'yes' : v;
  }
  return out;
}

export function Replay({ w, npc, player, reply }) {
  const [form, setForm] = useState(empty);
  const [found, setFound] = useState(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const set = (field) => (e) => setForm({ ...form, [field]: e.target.value });
  const run = (e) => {
    e.preventDefault();
    setBusy(true);
    setError(null);
    call('POST', paths.replay(w, npc.handle, player, reply.turn_id), { body: changeOf(form) })
      .then(setFound, (x) => { setFound(null); setError(x); }).then(() => setBusy(false));
  };
  const line = (field, name) => html`<label>${name}<input type="number" min="0" max="1" step="0.01" placeholder="as now"
    value=${form[field]} onInput=${set(field)} /></label>`;
  const pick = (field, name, all) => html`<label>${name}<select value=${form[field]} onChange=${set(field)}>
    <option value="">as now</option>${all.map((v) => html`<option value=${v}>${v}</option>`)}</select></label>`;
  return html`<div class="replay">
    <p class="soft">The same message, with the lore and the memories of now. Nothing is written, and the player hears nothing.
      No setting lets out more than the loosest policy does.</p>
    <form class="row" onSubmit=${run} aria-label="Run the turn again">
      ${line('entailment_threshold', 'Supported from')}${line('confidence_threshold', 'A model speaks from')}
      ${line('unknown_threshold', 'Unknown below')}
      ${pick('policy', 'Policy', ['strict', 'balanced', 'lively'])}${pick('strict', 'Strict', ['yes', 'no'])}
      ${pick('depth', 'Depth', ['full', 'lean'])}
      <label>Model<input value=${form.model} onInput=${set('model')} placeholder="as now" maxlength="200" /></label>
      <button class="main" disabled=${busy}>${busy ? 'Running…' : 'Run again'}</button></form>
    ${error && html`<${Trouble} error=${error} />`}
    <div role="status">${found && html`<${Beside} c=${found} npc=${npc} />`}</div></div>`;
}

const plain = (s) => s.text.replace(/\s+/g, ' ').trim().toLowerCase();

function Beside({ c, npc }) {
  const texts = { old: new Set(c.old.sentences.map(plain)), now: new Set(c.new.sentences.map(plain)) };
  return html`<p>${c.changed.length ? html`Changed: <strong>${c.changed.join(', ')}</strong>.`
    : html`<strong>The same answer.</strong>`}</p>
    <div class="sides">
      <${Side} name="As it was" a=${c.old} mark="gone" same=${texts.now} npc=${npc} />
      <${Side} name="Run again" a=${c.new} mark="fresh" same=${texts.old} npc=${npc} /></div>
    <${Exchanges} list=${c.exchanges || []} />`;
}

const words = { gone: 'only then: ', fresh: 'only now: ' };

function Side({ name, a, mark, same, npc }) {
  const cost = sum(a.passes, 'cost');
  return html`<section class=${`side ${mark}`} aria-label=${name}><h3>${name} <span
      class=${`chip ${a.status}`}>${a.reason || a.status}</span></h3>
    ${!a.sentences.length && html`<p class="soft">Nothing was said.</p>`}
    ${a.sentences.map((s) => {
    const differs = !same.has(plain(s));
    const kind = kindOf(s, a, npc.handle);
    return html`<p class=${differs ? `diff ${mark}` : ''}>${differs && html`<span class="away">${words[mark]}</span>`}<span
      class=${`s ${kind}`} title=${kinds[kind]}>${s.text}</span>
      ${(s.evidence || []).map((e) => html`<br /><span class="soft">${e.id} <code>${e.path}</code></span>`)}</p>`;
  })}
    ${a.stripped.length > 0 && html`<p class="soft">Taken out:</p><ul>${a.stripped.map((x) => html`<li><del>${x.text}</del> <span
      class="chip contradicted">${x.issue.issue_type}</span></li>`)}</ul>`}
    <p class="soft">Confidence ${a.confidence.toFixed(2)}; ${ms(sum(a.passes, 'took_ms'))} of work, ${sum(a.passes, 'llm_calls')} model
      calls, ${sum(a.passes, 'tokens')} tokens${cost ? `, cost ${cost.toFixed(5)}` : ''}</p></section>`;
}

// Exchanges are what models were asked, word for word. All of it may hold what a player said.
function Exchanges({ list }) {
  return html`<h3>What models were asked</h3>
    ${!list.length && html`<p class="soft">No model was asked: this answer was quoted or authored.</p>`}
    ${list.map((x, i) => html`<details class="draft exchange"><summary>${i + 1}. ${x.call} <span class="soft">${x.model}, ${x.tokens_in} +
      ${x.tokens_out} tokens</span> <span class=${`chip ${x.outcome === 'ok' ? 'supported' : 'contradicted'}`}>${x.outcome}</span>
      </summary>
      ${x.messages.map((m) => html`<h4>${m.role === 'system' ? 'Instructions' : m.role === 'assistant' ? 'Its answer before' : 'Prompt'}</h4>
        <pre class="words" tabindex="0">${m.content}</pre>`)}
      <h4>Answer</h4><pre class="words" tabindex="0">${x.answer || 'none'}</pre></details>`)}`;
}
