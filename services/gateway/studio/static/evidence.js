// What stands behind a released sentence.

import { html } from './vendor/preact.js';
import { blockOf, claimsOf, dateOf, kindOf, kinds, marked } from './turn.js';
import { Bar } from './parts.js';

export function Evidence({ sentence, reply, trace, npc }) {
  if (!sentence) return html`<p>Nothing was said.</p>`;
  const claims = claimsOf(trace, sentence);
  const evidence = sentence.evidence || [];
  const kind = kindOf(sentence, reply, npc.handle);
  return html`<div class="evidence">
    <p class="what">This sentence is <span class=${`s ${kind}`}>${kinds[kind]}</span>.</p>
    ${!evidence.length && html`<p class="soft">${sentence.authored
    ? 'It is a line that the world’s author wrote. It claims nothing that needs evidence.'
    : 'It claims nothing about the world, so that it needs no evidence.'}</p>`}
    ${claims.map((c) => html`<${Claim} c=${c} />`)}
    ${evidence.map((e) => html`<${Source} e=${e} block=${blockOf(trace, e.id)} claims=${claims} />`)}
  </div>`;
}

export function Claim({ c }) {
  const v = c.verdict;
  return html`<section class="claim">
    <h3>Claim <span class="soft">${c.kind.replace('_', ' ')}</span></h3>
    <p class="quote">${c.claim}</p>
    <${Verdict} v=${v} />
  </section>`;
}

export function Verdict({ v }) {
  return html`<dl class="facts">
    <dt>Verdict</dt><dd><span class=${`chip ${v.verdict}`}>${v.verdict}</span> by the tier <strong>${v.tier}</strong>
      </dd>
    <dt>Score</dt><dd><${Bar} score=${v.score} line=${v.line} kind=${v.verdict} /> ${v.score.toFixed(2)}
      <span class="soft"> ${v.line ? `the line in force is ${v.line.toFixed(2)}` : 'no line: the rule decides'}</span>
        </dd>
    ${v.why && html`<dt>Why</dt><dd>${v.why}</dd>`}
  </dl>`;
}

export function Source({ e, block, claims = [] }) {
  const b = block || {};
  const doc = (b.source && b.source.content) || b.text || e.text;
  const span = claims.map((c) => c.verdict).find((v) => v.evidence === e.id || !v.evidence);
  const pieces = marked(doc, e.text, span && span.span);
  const date = dateOf(b);
  return html`<section class="source">
    <h3><span class="chip">${e.id}</span> <code>${e.path}</code>${e.page ? `, page ${e.page}` : ''}</h3>
    <dl class="facts">
      ${(b.speaker || b.author) && html`<dt>${b.speaker ? 'Said by' : 'Author'}</dt><dd>${b.speaker || b.author}</dd>`}
      <dt>Game date</dt><dd>${date || 'undated'}</dd>
      ${b.type && html`<dt>Kind</dt>
        <dd>${b.type}${b.private ? ', this NPC’s own' : ''}${b.belief ? `, ${b.belief}` : ''}</dd>`}
      ${b.score !== undefined && html`<dt>Answers</dt><dd>${b.score.toFixed(2)} <span
        class="soft">how well it answers the message</span></dd>`}
    </dl>
    <p class="doc">${pieces.map((p) => (p.mark ? html`<mark class=${p.mark}>${p.text}</mark>` : p.text))}</p>
    <p class="soft">Passage <code>${e.chunk_id || b.chunk_id}</code>. Marked: the evidence${span && span.span ? ', and in it the exact words that the verdict rests on' : ''}.</p>
  </section>`;
}
