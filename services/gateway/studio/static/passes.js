// The turn as a waterfall of its passes.

import { html, useState } from './vendor/preact.js';
import { ms, passesOf, sum } from './turn.js';

export function Passes({ reply, trace, again }) {
  const { records, end, first } = passesOf(reply, trace);
  const [open, setOpen] = useState(-1);
  const at = (n) => `${(n / end) * 100}%`;
  const cost = sum(records, 'cost');
  return html`<div class="passes">
    <dl class="sums">
      <div><dt>Whole</dt><dd>${ms(end)}</dd></div>
      <div><dt>First sentence</dt><dd>${first ? ms(first) : 'not noted'}</dd></div>
      <div><dt>Model calls</dt><dd>${sum(records, 'llm_calls')}</dd></div>
      <div><dt>Tokens</dt><dd>${sum(records, 'tokens')}</dd></div>
      <div><dt>Cost</dt><dd>${cost ? cost.toFixed(5) : '0'}</dd></div>
    </dl>
    <div class="scroll" tabindex="0" role="region" aria-label="The passes, to scroll"><table class="waterfall">
      <caption class="away">The passes of the turn, in the order they were done</caption>
      <thead><tr><th scope="col">Pass</th><th scope="col" class="wide">When</th><th scope="col">Took</th><th
        scope="col">Tokens</th>
        <th scope="col">Calls</th><th scope="col">Deliveries</th></tr></thead>
      <tbody>${records.map((r, i) => html`<tr class=${open === i ? 'on' : ''}>
        <th scope="row"><button class="link" aria-expanded=${open === i ? 'true' : 'false'} disabled=${!trace}
          onClick=${() => setOpen(open === i ? -1 : i)}>${r.pass}</button></th>
        <td class="wide"><span class="track" role="img" aria-label=${`from ${ms(r.start_ms)}, for ${ms(r.took_ms)}`}>
          <span class=${`span ${r.pass}`} style=${{ left: at(r.start_ms), width: at(Math.max(r.took_ms, end / 400)) }}>
            ${r.llm_ms > 0 && html`<span class="model"
              style=${{ width: `${Math.min(100, (r.llm_ms / r.took_ms) * 100)}%` }}></span>`}</span>
          ${first > 0 && html`<span class="first" style=${{ left: at(first) }}></span>`}</span></td>
        <td class="n">${ms(r.took_ms)}</td><td
          class="n">${r.tokens ? `${r.tokens - (r.tokens_out || 0)} + ${r.tokens_out || 0}` : ''}</td>
        <td class="n">${r.llm_calls || ''}</td><td class="n">${r.attempt > 1 ? r.attempt : ''}</td></tr>
        ${open === i && html`<tr class="more"><td colspan="6"><${Pass} p=${trace[i]} before=${trace[i - 1]} again=${again} /></td>
          </tr>`}`)}</tbody>
    </table></div>
    <p class="soft legend-bars"><span class="key span"></span> at work <span class="key model">
      </span> waiting for a model
      <span class="key first"></span> first sentence. Tokens: sent + written.</p>
  </div>`;
}

// of says which part of the turn a pass adds.
const of = {
  retrieve: ['retrieval', 'unknown_names'], think: ['thoughts'], 'review-thought': ['claim_audit', 'thought_review'],
  decide: ['decision', 'actions'], speak: ['speech'], 'review-speech': ['speech_review', 'stripped', 'released', 'faithfulness'],
  act: ['actions', 'abort', 'ending'],
};

function Pass({ p, before, again }) {
  const speech = p.turn.speech;
  const feedback = p.record.pass === 'speak' && before && before.turn.speech_review && (before.turn.speech_review.issues || []);
  const parts = Object.fromEntries((of[p.record.pass] || []).filter((k) => p.turn[k]).map((k) => [k, p.turn[k]]));
  return html`<div class="pass">
    <p class="soft">From ${ms(p.record.start_ms)}, for ${ms(p.record.took_ms)}${p.record.cost ? `, cost ${p.record.cost.toFixed(5)}` : ''};
      then ${p.next}.${p.record.note ? ` ${p.record.note}` : ''}</p>
    ${feedback && feedback.length > 0 && html`<p>The model was told: ${feedback.map((i) => i.correction || i.issue_type).join('; ')}</p>`}
    ${p.record.pass === 'speak' && speech && html`<p class="soft">Draft ${speech.attempt} by ${speech.speaker}:</p>
      <ol>${(speech.sentences || []).map((s) => html`<li>${s.text} <span
        class="soft">${(s.citations || []).map((c) => c.evidence_id).join(', ')}</span></li>`)}</ol>`}
    <pre class="words" tabindex="0" aria-label="What the pass added, as JSON">${JSON.stringify(parts, null, 1)}</pre>
    ${p.record.llm_calls > 0 && html`<p class="soft">The trace holds what the pass made of ${p.record.llm_calls} answers of a model, and
      neither a prompt nor a raw answer.${again && html` <button class="link" onClick=${again}>Run the turn again to see them</button>`}</p>`}
  </div>`;
}
