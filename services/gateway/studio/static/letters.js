// Dead letters: messages that nobody could handle.

import { html, useState } from './vendor/preact.js';
import { call, get, paths, hrefOf } from './api.js';
import { Trouble, useLoad } from './parts.js';

async function all(w) {
  const out = [];
  for (let after = 0, more = true; more && out.length < 2000;) {
    const found = await get(paths.letters(w, after));
    out.push(...found.letters);
    ({ last: after, more } = found);
  }
  return out.reverse();
}

export function Letters({ w }) {
  const { busy, data, error, again } = useLoad(() => all(w), [w]);
  return html`<section><h1>Dead letters</h1>
    <p class="soft">Messages that could not be handled, the newest first. They are kept for fourteen days.</p>
    ${busy && html`<p class="loading" role="status">Reading letters…</p>`}
    ${error && html`<${Trouble} error=${error} again=${again} />`}
    ${data && !data.length && html`<p role="status">There is none.</p>`}
    ${data && html`<ul class="memories">${data.map((l) => html`<li class="card" key=${l.number}>
      <${Letter} ...${{ w, l, again }} /></li>`)}</ul>`}
  </section>`;
}

function Letter({ w, l, again }) {
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState(null);
  const d = l.letter;
  const retry = () => {
    setBusy(true);
    setTrouble(null);
    call('POST', paths.retry(w, l.number)).then(again).catch((e) => { setTrouble(e); setBusy(false); });
  };
  const named = l.npc !== 'unknown' && d.turn_id;
  return html`<p><span class="chip aborted">${d.pass}</span> ${d.reason.split('\n')[0]}</p>
    <p class="soft">Letter ${l.number}, ${d.at.slice(0, 19).replace('T', ' ')}, tried ${d.attempt} times; ${d.stream} ${d.sequence}
      ${named && html`, <a href=${hrefOf(w, l, d.turn_id)}>the turn</a>`}</p>
    ${l.retry ? html`<button disabled=${busy} onClick=${retry}>${busy ? 'Trying…' : 'Try again'}<span
      class="away"> letter ${l.number}</span></button>`
    : html`<p class="soft">Its turn has ended. To try again, say the message again.</p>`}
    ${trouble && html`<${Trouble} error=${trouble} />`}`;
}
