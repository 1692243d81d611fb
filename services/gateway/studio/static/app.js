// The shell: who calls, which world, which view. A place has an address of its own:
// #/world, #/world/npc, #/world/npc/player, #/world/npc/player/turn, #/world/~scene/scene/turn, #/world/~live,
// #/world/~quality, #/world/~letters.

import { html, render, useState, useEffect, useRef } from './vendor/preact.js';
import { get, ofScene, paths, key, setKey } from './api.js';
import { Chat } from './chat.js';
import { Person } from './npc.js';
import { SceneTurn } from './scene.js';
import { Live } from './live.js';
import { Quality } from './quality.js';
import { Letters } from './letters.js';
import { Trouble } from './parts.js';

function placeOf(hash) {
  const [w, n, player, turn] = hash.replace(/^#\/?/, '').split('/').map(decodeURIComponent);
  return { w: w || '', n: n || '', player: player || '', turn: turn || '' };
}

export function go(...parts) { location.hash = `/${parts.filter(Boolean).map(encodeURIComponent).join('/')}`; }

function usePlace() {
  const [place, setPlace] = useState(placeOf(location.hash));
  useEffect(() => {
    const moved = () => setPlace(placeOf(location.hash));
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  return place;
}

const themes = ['auto', 'light', 'dark'];

function Theme() {
  const [theme, setTheme] = useState(localStorage.getItem('forsooth.theme') || 'auto');
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem('forsooth.theme', theme);
  }, [theme]);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length];
  return html`<button class="quiet" onClick=${() => setTheme(next)} title="Change to ${next}">Theme: ${theme}</button>`;
}

// Mask blurs what players said, for a screen that others see.
function Mask() {
  const [on, setOn] = useState(sessionStorage.getItem('forsooth.mask') === 'on');
  useEffect(() => {
    document.documentElement.dataset.mask = on ? 'on' : 'off';
    sessionStorage.setItem('forsooth.mask', on ? 'on' : 'off');
  }, [on]);
  return html`<button class="quiet" aria-pressed=${on ? 'true' : 'false'}
    onClick=${() => setOn(!on)}>Mask players</button>`;
}

function KeyForm({ done, why }) {
  const box = useRef();
  useEffect(() => box.current.focus(), []);
  const keep = (e) => { e.preventDefault(); setKey(box.current.value.trim()); done(); };
  return html`<form class="card key" onSubmit=${keep}>
    <h1>Show a key</h1>
    <p>${why || 'The key stays in this tab, and goes when the tab is closed.'} <code>forsooth keys add NAME --may play,read</code> makes one.</p>
    <label>Key <input ref=${box} type="password" autocomplete="off" spellcheck="false" /></label>
    <div class="row"><button class="main">Use it</button>
      <button type="button" class="quiet" onClick=${() => { setKey(''); done(); }}>Go on without</button></div>
  </form>`;
}

function App() {
  const place = usePlace();
  const [worlds, setWorlds] = useState(null);
  const [trouble, setTrouble] = useState(null);
  const [asking, setAsking] = useState(false);
  const [turnover, setTurnover] = useState(0);
  useEffect(() => {
    get(paths.worlds()).then((found) => { setWorlds(found.worlds); setTrouble(null); }).catch((e) => {
      setTrouble(e);
      setAsking(e.status === 401);
    });
  }, [turnover]);
  const keyed = () => { setAsking(false); setWorlds(null); setTurnover((n) => n + 1); };
  const world = worlds && (worlds.find((w) => w.name === place.w) || (!place.w && worlds[0]));
  return html`
    <a class="skip" href="#main"
      onClick=${(e) => { e.preventDefault(); document.getElementById('main').focus(); }}>Skip to the content</a>
    <${Top} ...${{ place, worlds, world, ask: () => setAsking(true) }} />
    <main id="main" tabindex="-1">
      ${asking ? html`<${KeyForm} done=${keyed} why=${trouble && trouble.status === 401 ? trouble.message : ''} />`
    : trouble ? html`<${Trouble} error=${trouble} again=${keyed} />`
      : !worlds ? html`<p class="loading" role="status">Asking which worlds there are…</p>`
        : !world ? html`<${Trouble} error=${{ message: `This key sees no world ${place.w}.` }} />`
          : html`<${View} key=${`${world.name}/${turnover}`} ...${{ place, world }} />`}
    </main>`;
}

function Top({ place, worlds, world, ask }) {
  const tab = (where, text, on) => html`<a href=${where} aria-current=${on ? 'page' : undefined}>${text}</a>`;
  const name = world && encodeURIComponent(world.name);
  return html`<header class="top">
    <a class="brand" href="#/">Forsooth <span>inspector</span></a>
    ${worlds && worlds.length > 1 && html`<label class="world"><span class="away">World</span>
      <select value=${world && world.name} onChange=${(e) => go(e.target.value)}>
        ${worlds.map((w) => html`<option value=${w.name}>${w.title || w.name}</option>`)}</select></label>`}
    ${world && html`<nav aria-label="Views">
      ${tab(`#/${name}`, 'Talk', !place.n.startsWith('~'))}
      ${tab(`#/${name}/~live`, 'Live', place.n === '~live')}
      ${tab(`#/${name}/~quality`, 'Quality', place.n === '~quality')}
      ${tab(`#/${name}/~letters`, 'Dead letters', place.n === '~letters')}</nav>`}
    <div class="tools"><${Mask} /><${Theme} /><button class="quiet"
      onClick=${ask}>${key() ? 'Key: shown' : 'Key'}</button></div>
  </header>`;
}

function View({ place, world }) {
  useEffect(() => { document.title = `${[place.n, world.title || world.name].filter(Boolean).join(', ')}: Forsooth inspector`; }, [place.n]);
  const npc = world.npcs.find((x) => x.handle === place.n);
  if (place.n === '~live') return html`<${Live} w=${world.name} npcs=${world.npcs} />`;
  if (place.n === '~quality') return html`<${Quality} w=${world.name} />`;
  if (place.n === '~letters') return html`<${Letters} w=${world.name} />`;
  if (place.n === ofScene && place.turn) return html`<${SceneTurn} key=${`${place.player}/${place.turn}`} ...${{ world,
    scene: place.player, turn: place.turn }} />`;
  if (place.n && !npc) return html`<${Trouble}
    error=${{ message: `${world.title || world.name} has no NPC ${place.n}.` }} />`;
  if (npc && place.player) return html`<${Chat} key=${`${npc.handle}/${place.player}`} w=${world.name}
    npc=${npc} player=${place.player} turn=${place.turn} />`;
  if (npc) return html`<${Person} key=${npc.handle} w=${world.name} npc=${npc} />`;
  return html`<${People} world=${world} />`;
}

function People({ world }) {
  return html`<section><h1>${world.title || world.name}</h1>
    <p class="soft">Talk to an NPC and see what stands behind each sentence.</p>
    <ul class="people">${world.npcs.map((n) => html`<li class="card">
      <h2>${n.name}</h2>${n.greeting && html`<p class="soft">“${n.greeting}”</p>`}
      <div class="row"><a class="button main" href=${`#/${world.name}/${n.handle}/visitor`}>Talk<span
        class="away"> to ${n.name}</span></a>
      <a class="button" href=${`#/${world.name}/${n.handle}`}>What it knows<span class="away">: ${n.name}</span>
        </a></div>
    </li>`)}</ul></section>`;
}

const app = document.getElementById('app');
app.replaceChildren(); // the line for those without JavaScript
render(html`<${App} />`, app);
