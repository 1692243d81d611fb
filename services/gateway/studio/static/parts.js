// Small parts that several views show.

import { html, useState, useRef, useEffect } from './vendor/preact.js';

export function Trouble({ error, again }) {
  const hint = error.code === 'FORBIDDEN' && 'Use the button Key to show one that may.';
  return html`<div class="trouble card" role="alert"><strong>${error.message}</strong>
    ${hint && html`<p>${hint}</p>`}
    ${again && html`<p><button onClick=${again}>Try again</button></p>`}</div>`;
}

// Copy and Save hand a text to the person; nothing leaves the page otherwise.
export function Copy({ text }) {
  const [done, setDone] = useState(false);
  const copy = () => navigator.clipboard.writeText(text).then(() => setDone(true)).catch(() => setDone(false));
  return html`<button type="button" onClick=${copy}>${done ? 'Copied' : 'Copy'}</button>`;
}

export function Save({ text, name, kind = 'text/plain', children }) {
  const save = () => {
    const url = URL.createObjectURL(new Blob([text], { type: kind }));
    const a = document.createElement('a');
    a.href = url;
    a.download = name;
    a.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  };
  return html`<button type="button" onClick=${save}>${children}</button>`;
}

// Tabs work by arrow keys, as the pattern of ARIA has it.
export function Tabs({ label, tabs, on, pick }) {
  const list = useRef();
  const move = (e) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    const at = (tabs.findIndex((t) => t.id === on) + step + tabs.length) % tabs.length;
    pick(tabs[at].id);
    list.current.children[at].focus();
  };
  const now = tabs.find((t) => t.id === on) || tabs[0];
  return html`<div class="tabs">
    <div role="tablist" aria-label=${label} ref=${list} onKeyDown=${move}>${tabs.map((t) => html`
      <button role="tab" id=${`tab-${t.id}`} aria-selected=${t === now ? 'true' : 'false'} aria-controls="tabpanel"
        tabindex=${t === now ? 0 : -1} onClick=${() => pick(t.id)}>${t.name}${t.count ? html` <span
          class="count">${t.count}</span>` : ''}</button>`)}</div>
    <div role="tabpanel" id="tabpanel" aria-labelledby=${`tab-${now.id}`} tabindex="0">${now.view()}</div></div>`;
}

// Bar shows a score against the line in force.
export function Bar({ score, line, label, kind = '' }) {
  return html`<span class=${`bar ${kind}`} role="img"
    aria-label=${`${label || 'score'} ${score.toFixed(2)}${line ? `, the line is ${line.toFixed(2)}` : ''}`}>
    <span class="fill" style=${{ width: `${Math.max(0, Math.min(1, score)) * 100}%` }}></span>
    ${line ? html`<span class="line" style=${{ left: `${line * 100}%` }}></span>` : ''}</span>`;
}

// useLoad loads something anew when its parts change; what was asked for before is let go.
export function useLoad(load, parts) {
  const [state, setState] = useState({ busy: true });
  const [round, setRound] = useState(0);
  useEffect(() => {
    let left = false;
    setState({ busy: true });
    load().then((data) => left || setState({ data }), (error) => left || setState({ error }));
    return () => { left = true; };
  }, [...parts, round]);
  return { ...state, again: () => setRound((n) => n + 1) };
}
