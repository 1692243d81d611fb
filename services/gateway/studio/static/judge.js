// A person's verdict on a turn becomes a case of a suite, to be put into evals.yaml.

import { html, useState } from './vendor/preact.js';
import { Copy, Save } from './parts.js';

const verdicts = {
  right: 'Right: it must stay so',
  wrong: 'Wrong: it must never be said again',
  shy: 'Too shy: it could have answered',
  dull: 'Dull: true, and badly said',
};

export function Judge({ npc, reply }) {
  const [verdict, setVerdict] = useState('');
  const [topic, setTopic] = useState('');
  const text = verdict && caseOf({ npc, reply, verdict, topic });
  return html`<div class="judge">
    <fieldset><legend>What do you think of this reply?</legend>${Object.entries(verdicts).map(([id, words]) => html`
      <label class="check"><input type="radio" name="verdict" checked=${verdict === id}
        onChange=${() => setVerdict(id)} /> ${words}</label>`)}</fieldset>
    ${(verdict === 'shy' || verdict === 'wrong') && html`<label>${verdict === 'shy' ? 'Words that the answer should have' : 'Words that must not come'}
      <input value=${topic} onInput=${(e) => setTopic(e.target.value)} /></label>`}
    ${text && html`<div class="file"><p>A case for <code>evals.yaml</code>, under <code>cases:</code></p>
      <pre class="words" tabindex="0">${text}</pre>
      <div class="row"><${Copy} text=${text} /><${Save} text=${text} name=${`case-${reply.turn_id}.yaml`}>Download<//>
        </div></div>`}
  </div>`;
}

// caseOf writes the case. Every text is quoted as JSON, which YAML reads alike.
export function caseOf({ npc, reply, verdict, topic }) {
  const q = JSON.stringify;
  const paths = [...new Set((reply.sentences || []).flatMap((s) => (s.evidence || []).map((e) => e.path)))];
  const known = verdict === 'shy' || (verdict !== 'wrong' && paths.length > 0);
  const lines = [`  - name: ${q(`seen/${reply.turn_id}`)}  # ${verdict}`];
  lines.push(`    kind: ${known ? 'known' : reply.reason === 'SOCIAL' ? 'social' : 'fake'}`, `    npc: ${q(npc.handle)}`,
    `    player_message: ${q(reply.message || '')}`);
  if (verdict === 'right' && paths.length) lines.push(`    expect_evidence: [${paths.map(q).join(', ')}]`);
  if (verdict === 'shy') lines.push(`    expect_topic: ${q(topic)}`);
  if (verdict === 'wrong') lines.push(`    reject_patterns: [${q(escaped(topic || reply.reply || ''))}]`);
  return `${lines.join('\n')}\n`;
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
