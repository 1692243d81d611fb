// What waits for each service, looked at every few seconds.

import { html, useState, useEffect } from './vendor/preact.js';
import { get, paths } from './api.js';

const every = 5000;

const about = {
  intake: 'takes messages', deadline: 'ends what is late', finisher: 'ends turns', memory: 'remembers replies',
  events: 'remembers events', results: 'remembers answers of the game', scan: 'looks for contradictions', report: 'reports the week',
};

export function Queues() {
  const [found, setFound] = useState(null);
  const [why, setWhy] = useState('');
  useEffect(() => {
    const stop = new AbortController();
    let next = 0;
    const look = async () => {
      try {
        setFound(await get(paths.queues(), { signal: stop.signal }));
        setWhy('');
      } catch (e) {
        if (stop.signal.aborted) return;
        setWhy(e.message);
        if (e.status === 403 || e.status === 501) return; // it will not change
      }
      next = setTimeout(look, every);
    };
    look();
    return () => { stop.abort(); clearTimeout(next); };
  }, []);
  const waiting = found ? found.queues.reduce((n, q) => n + q.waiting, 0) : 0;
  const idle = found ? found.queues.filter((q) => q.missing || !q.workers).length : 0;
  return html`<details class="card queues"><summary>Queues ${found && html`<span
      class=${`chip ${waiting || idle ? 'unknown' : 'active'}`}>${waiting} waiting${idle ? `, ${idle} without a worker` : ''}</span>`}
      ${why && html`<span class="soft" role="note">${why}</span>`}</summary>
    ${found && html`<div class="scroll" tabindex="0" role="region" aria-label="Queues, to scroll"><table class="figures"><thead><tr>
      <th scope="col">Consumer</th><th scope="col">Waiting</th><th scope="col">In hand</th><th scope="col">Again</th><th scope="col">Worker</th></tr>
      </thead><tbody>${found.queues.map((q) => html`<tr><th scope="row">${q.name} <span class="soft">${about[q.name] || ''}</span></th>
        <td class="n">${q.waiting}</td><td class="n">${q.taken}</td><td class="n">${q.redelivered}</td>
        <td>${q.missing ? 'never ran' : q.workers ? 'yes' : html`<span class="chip aborted">none</span>`}</td></tr>`)}</tbody></table></div>
      <p class="soft">As of ${found.at.slice(11, 19)} UTC. “Again” are deliveries in hand that were in hand before.</p>`}</details>`;
}
