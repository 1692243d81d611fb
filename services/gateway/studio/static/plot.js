// Small plots, as SVG. A plot says in words what it shows, and has its figures in a table.

import { html } from './vendor/preact.js';

const wide = 340;
const high = 130;
const left = 44;
const bottom = 20;

const points = (series) => series.flatMap((s) => s.values.filter((v) => v !== null && v !== undefined));

// Lines draws series over the same labels. A value that is null was not measured, and leaves a gap.
export function Lines({ title, labels, series, show, range }) {
  const all = [...points(series), ...(range ? [range.low, range.high] : [])];
  if (!points(series).length) return html`<figure class="plot"><figcaption>${title}</figcaption>
    <p class="soft">Nothing has been measured.</p></figure>`;
  const most = Math.max(...all, 0) || 1;
  const x = (i) => left + (labels.length > 1 ? (i / (labels.length - 1)) * (wide - left - 12) : (wide - left) / 2);
  const y = (v) => 8 + (1 - v / most) * (high - bottom - 14);
  const words = series.map((s) => `${s.name}: ${s.values.map((v) => (v === null ? 'not measured' : show(v))).join(', ')}`);
  return html`<figure class="plot"><figcaption>${title}</figcaption>
    <svg viewBox=${`0 0 ${wide} ${high}`} role="img" aria-label=${`${title}. ${words.join('. ')}.`}>
      ${range && html`<rect class="range" x=${left} width=${wide - left} y=${y(Math.min(range.high, most))}
        height=${Math.max(1, y(Math.max(range.low, 0)) - y(Math.min(range.high, most)))} />`}
      ${[0, most / 2, most].map((v) => html`<line class="grid" x1=${left} x2=${wide} y1=${y(v)} y2=${y(v)} />
        <text class="tick" x=${left - 6} y=${y(v) + 4} text-anchor="end">${show(v)}</text>`)}
      ${labels.map((l, i) => (i === 0 || i === labels.length - 1) && html`<text class="tick" x=${x(i)} y=${high - 4}
        text-anchor=${i === 0 && labels.length > 1 ? 'start' : labels.length > 1 ? 'end' : 'middle'}>${l}</text>`)}
      ${series.map((s, n) => html`<path class=${`stroke c${n}`} d=${path(s.values, x, y)} />
        ${s.values.length <= 40 && s.values.map((v, i) => v !== null && html`<circle class=${`dot c${n}`} cx=${x(i)} cy=${y(v)}
          r="3"><title>${labels[i]}: ${show(v)}</title></circle>`)}`)}
    </svg>
    ${series.length > 1 && html`<p class="soft legend-bars">${series.map((s, n) => html`<span
      class=${`key fill c${n}`}></span> ${s.name}`)}</p>`}
    ${range && html`<p class="soft legend-bars"><span class="key range"></span> healthy</p>`}
    <details><summary>Figures</summary><div class="scroll" tabindex="0" role="region" aria-label=${`Figures of ${title}`}>
      <table class="figures"><thead><tr><th scope="col">When</th>${series.map((s) => html`<th scope="col">${s.name}</th>`)}</tr>
      </thead><tbody>${labels.map((l, i) => html`<tr><th scope="row">${l}</th>${series.map((s) => html`<td
        class="n">${s.values[i] === null ? '–' : show(s.values[i])}</td>`)}</tr>`)}</tbody></table></div></details>
  </figure>`;
}

function path(values, x, y) {
  let out = '';
  let pen = false;
  values.forEach((v, i) => {
    if (v === null || v === undefined) { pen = false; return; }
    out += `${pen ? 'L' : 'M'}${x(i).toFixed(1)} ${y(v).toFixed(1)}`;
    pen = true;
  });
  return out;
}

export const percent = (v) => `${(v * 100).toFixed(v < 0.1 && v > 0 ? 1 : 0)} %`;

// Shares are bars with a name, of one whole.
export function Shares({ label, of, list }) {
  if (!list.length) return null;
  const share = (n) => (of ? percent(n / of) : '–');
  return html`<ul class="rates" aria-label=${label}>${list.map(([name, n]) => html`<li><span>${name}</span><span
    class="bar" role="img" aria-label=${share(n)}><span class="fill" style=${{ width: `${(n / of) * 100}%` }}></span></span>
    <span class="n">${n} · ${share(n)}</span></li>`)}</ul>`;
}
