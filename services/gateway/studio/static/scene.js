// A turn of a scene: who spoke, who heard it, and how it came about.

import { html, useState } from './vendor/preact.js';
import { get, ofScene, paths } from './api.js';
import { Panel } from './panel.js';
import { Trouble, useLoad } from './parts.js';

export function SceneTurn({ world, scene, turn }) {
  const w = world.name;
  const { busy, data, error, again } = useLoad(() => get(paths.turn(w, ofScene, scene, turn)), [turn]);
  const [seq, setSeq] = useState(0);
  if (busy) return html`<p class="loading" role="status">Reading the turn…</p>`;
  if (error) return html`<${Trouble} error=${error} again=${again} />`;
  const reply = data.reply || {};
  const npc = world.npcs.find((n) => n.handle === reply.npc);
  const back = () => { location.hash = `/${encodeURIComponent(w)}/~live`; };
  return html`<section><h1>Scene <span class="pair">${scene}</span></h1><${Heard} ...${{ reply, state: data.state }} />
    ${npc && html`<${Panel} ...${{ w, npc, player: reply.player, scene, chosen: { id: turn, seq }, close: back,
    pick: (_, at) => setSeq(at) }} />`}</section>`;
}

function Heard({ reply, state }) {
  const { npcs = [], players = [] } = reply.scene || {};
  if (!reply.scene) return html`<p role="status">The turn is ${state}; its reply has not come yet.</p>`;
  if (!reply.npc) return html`<p>Nobody speaks in this turn: somebody entered or left, or it ended before it began.</p>`;
  return html`<p class="soft"><span class="pair">${reply.player}</span> spoke, ${reply.npc} answered. It was heard by <span
    class="pair">${[...npcs, ...players].join(', ')}</span>.</p>`;
}
