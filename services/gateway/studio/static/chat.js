// The talk with an NPC. Sentences appear as the mesh releases them.

import { html, useState, useEffect, useRef } from './vendor/preact.js';
import { get, events, paths, newID } from './api.js';
import { kindOf, kinds } from './turn.js';
import { Panel } from './panel.js';
import { Trouble } from './parts.js';

export function Chat({ w, npc, player, turn }) {
  const [turns, setTurns] = useState([]);
  const [chosen, setChosen] = useState(turn ? { id: turn, seq: 0 } : null);
  const [draft, setDraft] = useState('');
  const [loaded, setLoaded] = useState(false);
  const log = useRef();
  const back = useRef(null);
  const said = useRef(false);
  const change = (id, f) => setTurns((all) => all.map((t) => (t.id === id ? f(t) : t)));
  useEffect(() => {
    earlier(w, npc.handle, player, turn).then((all) => { setTurns((now) => [...all, ...now]); setLoaded(true); });
  }, []);
  useEffect(() => { // a permalink shows its turn, a talk shows its end
    const on = turn && !said.current && log.current.querySelector('.said.on');
    if (on) log.current.scrollTop = on.offsetTop - log.current.offsetTop;
    else log.current.scrollTop = log.current.scrollHeight;
  }, [turns]);
  useEffect(() => {
    if (turn && (!chosen || chosen.id !== turn)) setChosen({ id: turn, seq: 0 });
    if (!turn && chosen) setChosen(null);
  }, [turn]);
  const pick = (id, seq, from) => {
    back.current = from;
    setChosen({ id, seq });
    history.replaceState(null, '', `#/${[w, npc.handle, player, id].map(encodeURIComponent).join('/')}`);
  };
  const close = () => {
    setChosen(null);
    history.replaceState(null, '', `#/${[w, npc.handle, player].map(encodeURIComponent).join('/')}`);
    if (back.current) back.current.focus();
  };
  const say = async (e) => {
    e.preventDefault();
    const message = draft.trim();
    if (!message) return;
    const id = newID();
    setDraft('');
    said.current = true;
    setTurns((all) => [...all, { id, message, sentences: [], state: 'sent' }]);
    try {
      const body = { turn_id: id, player, message };
      for await (const { data } of events('POST', paths.turns(w, npc.handle), { body })) change(id, (t) => heard(t, data));
    } catch (error) {
      change(id, (t) => ({ ...t, state: 'failed', error }));
    }
  };
  const on = chosen && turns.find((t) => t.id === chosen.id);
  return html`<div class=${chosen ? 'talk with-panel' : 'talk'}>
    <section class="chat" aria-label=${`Talk with ${npc.name}`}>
      <${Head} ...${{ w, npc, player }} />
      <div class="log" role="log" aria-live="polite" tabindex="0" aria-label="What was said" ref=${log}>
        ${loaded && !turns.length && html`<p
          class="soft">${npc.greeting ? `“${npc.greeting}”` : 'Nothing has been said yet.'}</p>`}
        ${turns.map((t) => html`<${Said} key=${t.id} ...${{ t, npc, chosen, pick }} />`)}
      </div>
      <form class="say" onSubmit=${say}>
        <label class="away" for="message">What you say to ${npc.name}</label>
        <input id="message" autocomplete="off" maxlength="2000" placeholder=${`Say something to ${npc.name}`}
          value=${draft}
          onInput=${(e) => setDraft(e.target.value)} />
        <button class="main" disabled=${!draft.trim()}>Say</button>
      </form>
      <${Legend} />
    </section>
    ${chosen && html`<${Panel}
      key=${`${chosen.id}/${on && on.state !== 'done' ? on.state : ''}`} ...${{ w, npc, player, chosen, close, pick }} />`}
  </div>`;
}

// earlier are the turns that the conversation still holds, and the one that is asked for.
async function earlier(w, n, player, turn) {
  let ids = [];
  try {
    const convo = await get(paths.conversation(w, n, player));
    ids = (convo.applied || []).map((a) => a.turn_id).slice(-10);
  } catch { /* the key may play and not read: the talk begins empty */ }
  if (turn && !ids.includes(turn)) ids.unshift(turn);
  const found = await Promise.all(ids.map(async (id) => {
    try {
      const out = await get(paths.turn(w, n, player, id, '&view=full')).catch(() => get(paths.turn(w, n, player, id)));
      return { id, message: (out.full && out.full.message) || '', sentences: (out.reply && out.reply.sentences) || [],
        reply: out.reply, state: out.reply ? 'done' : out.state };
    } catch (error) {
      return { id, message: '', sentences: [], state: 'failed', error };
    }
  }));
  return found.filter((t) => t.state !== 'failed' || t.id === turn);
}

function heard(t, e) {
  switch (e.type) {
    case 'accepted': return { ...t, state: 'accepted' };
    case 'thinking': return { ...t, state: 'thinking' };
    case 'sentence': return { ...t, state: 'speaking', sentences: [...t.sentences, e.sentence] };
    case 'done': return { ...t, state: 'done', reply: e.reply, sentences: e.reply.sentences };
    default: return t;
  }
}

const waiting = { sent: 'sending', accepted: 'heard you', thinking: 'thinking', speaking: 'speaking' };

function Said({ t, npc, chosen, pick }) {
  const on = chosen && chosen.id === t.id;
  return html`<article class=${on ? 'said on' : 'said'}>
    ${t.message && html`<p class="player"><span class="away">You said: </span><span class="words">${t.message}</span>
      </p>`}
    <div class="npc"><span class="who">${npc.name}</span>
      <p>${t.sentences.map((s) => html`<${Sentence} ...${{ s, t, npc, on: on && chosen.seq === s.seq, pick }} /> `)}
        ${waiting[t.state] && html`<span class="wait" role="status">${waiting[t.state]}…</span>`}</p>
      ${t.error && html`<${Trouble} error=${t.error} />`}
      ${t.reply && html`<p class="foot"><span>${t.reply.status}${t.reply.reason ? ` · ${t.reply.reason}` : ''}</span>
        <button class="link" onClick=${(e) => pick(t.id, 0, e.currentTarget)}>How it came about</button></p>`}
    </div></article>`;
}

function Sentence({ s, t, npc, on, pick }) {
  const kind = kindOf(s, t.reply, npc.handle);
  const choose = (e) => pick(t.id, s.seq, e.currentTarget);
  const press = (e) => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); choose(e); } };
  return html`<span class=${`s ${kind}${on ? ' on' : ''}`} role="button" tabindex="0"
    aria-pressed=${on ? 'true' : 'false'}
    title=${kinds[kind]} onClick=${choose} onKeyDown=${press}>${s.text}<span class="away"> (${kinds[kind]})</span>
      </span>`;
}

function Head({ w, npc, player }) {
  const [name, setName] = useState(player);
  const leave = (e) => { e.preventDefault(); if (name && name !== player) location.hash = `/${w}/${npc.handle}/${encodeURIComponent(name)}`; };
  return html`<div class="head"><h1>${npc.name}</h1>
    <form onSubmit=${leave}><label>as <input class="who-input" value=${name}
      pattern="[A-Za-z0-9_\\-]{1,64}" maxlength="64"
      onInput=${(e) => setName(e.target.value)} onBlur=${leave} aria-label="Player who speaks" /></label></form>
    <a href=${`#/${w}/${npc.handle}`}>What ${npc.name} knows</a></div>`;
}

const Legend = () => html`<ul class="legend" aria-label="What the underlines mean">${Object.keys(kinds).map((k) => html`
  <li><span class=${`s ${k}`}>${kinds[k]}</span></li>`)}</ul>`;
