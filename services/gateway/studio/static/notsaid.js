// What was not said, and what was found and not used.

import { html, useState } from './vendor/preact.js';
import { dateOf, last, rejection } from './turn.js';
import { Verdict } from './evidence.js';
import { call, paths } from './api.js';
import { Copy, Save, Trouble } from './parts.js';

const rules = {
  UNCITED: 'no evidence was cited',
  INVALID_SOURCE: 'what was cited is not there, or is no evidence for this',
  NOT_ENTAILED: 'the evidence does not support it',
  SELF_MISUSE: 'a fact of the world was passed off as a feeling',
  EVASION: 'the answer was dodged',
  CONTRADICTED: 'the evidence says otherwise',
  SECRET: 'it would have told a secret',
  MODERATED: 'moderation did not allow it',
  LANGUAGE: 'this language has not been verified',
  FORM: 'how it is said: length, markup, stage directions',
};

export function NotSaid({ w, npc, reply, trace, refused, refusal }) {
  const released = new Set((reply.sentences || []).flatMap((s) => (s.evidence || []).map((e) => e.id)));
  const turn = last(trace) || {};
  const unused = (turn.evidence || []).filter((e) => !released.has(e.id));
  const rejected = (turn.retrieval || {}).rejected || [];
  return html`<div class="notsaid">
    ${refusal && html`<${Refusal} ...${{ w, npc, reply, refusal }} />`}
    <h3>Refused sentences</h3>
    ${refused.length ? refused.map((r) => html`<${Refused} r=${r} said=${reply.sentences || []} />`)
    : html`<p class="soft">Nothing that was drafted was taken out.</p>`}
    <h3>Found, and not used</h3>
    ${unused.length ? html`<ul class="unused">${unused.map((e) => html`<li><span
      class="chip">${e.id}</span> <code>${e.path}</code>
      <span class="soft"> answers ${e.score.toFixed(2)}${dateOf(e) ? `, ${dateOf(e)}` : ''}</span>
        <br />${e.text}</li>`)}</ul>`
    : html`<p class="soft">No evidence was left over.</p>`}
    <h3>Found, and dropped by the search</h3>
    ${rejected.length ? html`<dl class="facts">${rejected.map((r) => html`<dt>${r.n}</dt>
      <dd>${rejection(r.name)}</dd>`)}</dl>
      <p class="soft">No trace holds what these passages say: it must not leave the search.</p>`
    : html`<p class="soft">${trace ? 'None was dropped.' : 'Without a trace nobody can tell.'}</p>`}
    ${(turn.decision && turn.decision.withhold || []).length > 0 && html`<h3>Kept back on purpose</h3>
      <ul>${turn.decision.withhold.map((x) => html`<li>${x.topic} <span class="soft">${x.reason}</span></li>`)}</ul>`}
  </div>`;
}

function Refused({ r, said }) {
  const i = r.issue;
  const part = i.claim && i.claim !== r.text ? i.claim : '';
  const at = part ? r.text.indexOf(part) : -1;
  return html`<section class="refused">
    <p class="quote">${at < 0 ? html`<del>${r.text}</del>`
    : html`${r.text.slice(0, at)}<del>${part}</del>${r.text.slice(at + part.length)}`}</p>
    <dl class="facts">
      <dt>Rule</dt><dd><span class="chip contradicted">${i.issue_type}</span> ${rules[i.issue_type] || ''}</dd>
      <dt>By pass</dt><dd>${r.pass}${r.attempt ? `, try ${r.attempt}` : ''}</dd>
      ${part && html`<dt>At fault</dt><dd>${part}</dd>`}
      ${i.citation && html`<dt>It cited</dt><dd>${i.citation}</dd>`}
      ${i.correction && html`<dt>The model was told</dt><dd>${i.correction}</dd>`}
    </dl>
    ${r.verdict && html`<${Verdict} v=${r.verdict} />`}
    <p class="soft">In its place: ${r.next && r.next.length ? `the model tried again: “${r.next.join(' ')}”`
    : said.length ? 'nothing; the other sentences stand.' : 'an authored line.'}</p>
  </section>`;
}

function Refusal({ w, npc, reply, refusal }) {
  return html`<section class="card refusal"><h3>${npc.name} refused</h3>
    <dl class="facts"><dt>Reason</dt><dd><span class="chip">${refusal.reason}</span> ${refusal.why}</dd>
      ${refusal.names.length > 0 && html`<dt>Unknown names</dt><dd class="words">${refusal.names.join(', ')}</dd>`}
      ${refusal.kept.length > 0 && html`<dt>Kept back</dt><dd>${refusal.kept.join('; ')}</dd>`}
      ${refusal.confidence !== undefined && html`<dt>Confidence</dt><dd>${refusal.confidence.toFixed(2)}
        <span class="soft"> that what was found answers the message</span></dd>`}</dl>
    <h4>Nearest evidence</h4>
    ${refusal.nearest.length ? html`<ol class="unused">${refusal.nearest.map((e) => html`<li><code>${e.path}</code>
      <span class="soft"> ${e.score.toFixed(2)}</span><br />${e.text}</li>`)}</ol>` : html`<p class="soft">None.</p>`}
    ${reply.status === 'withheld' ? html`<p>The lore is there. To have it told, change its <code>requires</code> or its secret, or send the flag,
      the trust or the state that it asks for with the turn.</p>`
    : html`<${Draft} ...${{ w, npc, reply, nearest: refusal.nearest }} />`}
  </section>`;
}

// Draft writes the two files that would answer the message, and is masked as the message is: name
// and metadata are made of its words. They become lore by a person alone,
// who puts them into the world, or promotes the draft that waits there.
function Draft({ w, npc, reply, nearest }) {
  const slug = (reply.message || 'answer').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '').slice(0, 40) || 'answer';
  const [text, setText] = useState('');
  const [author, setAuthor] = useState('');
  const [path, setPath] = useState(`lore/${slug}.txt`);
  const [own, setOwn] = useState(false);
  const [date, setDate] = useState(reply.game_time || nearest.map(dateOf).sort().pop()?.slice(0, 10) || '');
  const to = own ? path.replace(/^lore\//, `npcs/${npc.handle}/home/`) : path.replace(/^npcs\/[^/]+\/home\//, 'lore/');
  const meta = [`created_at: ${date || '1402-05-03'}`, `author: ${JSON.stringify(author || npc.name)}`,
    'type: note', `keywords: ${JSON.stringify(words(reply.message))}`, `summary: ${JSON.stringify((reply.message || '').slice(0, 120))}`].join('\n') + '\n';
  const file = to.split('/').pop();
  return html`<details class="draft"><summary>Write the lore that would answer this</summary>
    <p class="soft">Nothing becomes lore by this form. Put both files into the world, or leave a draft there for a person to promote.</p>
    <label>What is true <textarea rows="3" value=${text} onInput=${(e) => setText(e.target.value)}
      placeholder="One fact a sentence, with names instead of he or she."></textarea></label>
    <div class="row"><label>File <input class="words" value=${to} onInput=${(e) => setPath(e.target.value)} /></label>
      <label>Author <input value=${author} placeholder=${npc.name} onInput=${(e) => setAuthor(e.target.value)} />
        </label>
      <label>Game date <input value=${date} placeholder="1402-05-03" onInput=${(e) => setDate(e.target.value)} />
        </label></div>
    <label class="check"><input type="checkbox" checked=${own}
      onChange=${(e) => setOwn(e.target.checked)} /> Only ${npc.name} knows it</label>
    <${Proposal} ...${{ w, npc, name: file.replace(/\.(txt|md)$/, ''), text, author, own, date }} />
    <${File} name=${to} file=${file} text=${text ? `${text.trim()}\n` : ''} />
    <${File} name=${`${to}.meta.yaml`} file=${`${file}.meta.yaml`} text=${meta} />
  </details>`;
}

// Proposal has the gateway look at the draft as lint does, and leaves it in drafts/ of the world.
function Proposal({ w, npc, name, text, author, own, date }) {
  const [done, setDone] = useState(null);
  const [trouble, setTrouble] = useState(null);
  const ask = (check) => {
    setDone(null);
    setTrouble(null);
    const body = { name, text, author: author || npc.name, ...(own && { known_by: [npc.handle] }), ...(date && { created_at: date }) };
    call('POST', paths.drafts(w, check), { body }).then((d) => setDone({ ...d, check })).catch(setTrouble);
  };
  return html`<div class="row"><button type="button" disabled=${!text.trim()} onClick=${() => ask(true)}>Check it</button>
      <button type="button" disabled=${!text.trim()} onClick=${() => ask(false)}>Leave it as a draft</button></div>
    ${trouble && html`<div class="pair"><${Trouble} error=${trouble} /></div>`}
    ${done && html`<div class="lint" role="status">${done.findings.length ? html`<ul>${done.findings.map((f) => html`<li><span
      class=${`chip ${f.severity === 'error' ? 'aborted' : 'unknown'}`}>${f.severity || 'warning'}</span> <span class="words">${f.message}</span></li>`)}</ul>`
    : html`<p><span class="chip active">lint</span> finds nothing.</p>`}
      ${!done.check && html`<p>It waits as <code class="words">${done.path}</code>. To make it lore:
        <code class="words">forsooth lore promote draft:${done.name} --world DIR --file DIR/${done.path} --path ${done.target} --author YOU</code></p>`}
      </div>`}`;
}

// words are those of the message that a search may look for.
function words(message) {
  const all = (message || '').toLowerCase().match(/\p{L}{4,}/gu) || [];
  return [...new Set(all)].slice(0, 8);
}

const File = ({ name, file, text }) => html`<div class="file"><p><code class="words">${name}</code></p><pre
  class="words" tabindex="0">${text || 'Write what is true, above.'}</pre>
  <div class="row"><${Copy} text=${text} /><${Save} text=${text} name=${file}>Download<//></div></div>`;
