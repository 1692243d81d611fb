// How well it goes: the weeks of the guards of memory, and results of suites.

import { html, useState } from './vendor/preact.js';
import { get, paths } from './api.js';
import { Trouble, useLoad } from './parts.js';
import { Lines, percent } from './plot.js';

export function Quality({ w }) {
  return html`<section class="quality"><h1>Quality</h1><${Weeks} w=${w} /><${Suites} /></section>`;
}

// Gone is what this gateway cannot show, as no fault of the reader's.
const Gone = ({ error, again }) => (error.status === 501 ? html`<p class="soft" role="note">${error.message}</p>`
  : html`<${Trouble} error=${error} again=${again} />`);

const day = (t) => t.slice(0, 10);

function Weeks({ w }) {
  const { busy, data, error, again } = useLoad(() => get(paths.reports(w)), [w]);
  const [chosen, setChosen] = useState('now');
  if (busy) return html`<p class="loading" role="status">Reading reports…</p>`;
  if (error) return html`<h2>The guards’ week</h2><${Gone} error=${error} again=${again} />`;
  const r = chosen === 'now' ? data.now : data.reports[Number(chosen)];
  const measured = r.figures.filter((f) => f.state !== 'off');
  const off = r.figures.filter((f) => f.state === 'off');
  return html`<h2>The guards’ week <span class=${`chip ${{ LOW: 'active', HIGH: 'aborted' }[r.risk] || 'unknown'}`}>${r.risk}</span></h2>
    <div class="row"><label>Week <select value=${chosen} onChange=${(e) => setChosen(e.target.value)}>
      <option value="now">the seven days until now</option>
      ${data.reports.map((x, i) => html`<option value=${i}>${day(x.from)} to ${day(x.to)}</option>`).reverse()}</select></label></div>
    ${!data.reports.length && html`<p class="soft" role="note">No weekly report is kept yet: the first comes with
      the schedule of <code>guards.report</code>. This is the week that ends now.</p>`}
    <p>${r.why}</p>
    ${(r.alerts || []).map((a) => html`<p class="trouble card"><strong>${a.name}</strong> ${a.says}</p>`)}
    ${(r.early_signs || []).length > 0 && html`<ul>${r.early_signs.map((s) => html`<li>${s}</li>`)}</ul>`}
    <div class="plots">${measured.map((f) => html`<${Course} f=${f} trend=${r.trend} key=${f.key} />`)}
      <${Lines} title="Faithfulness of replies, mean" labels=${r.trend.map((t) => day(t.from))} show=${(v) => v.toFixed(2)}
        series=${[{ name: 'faithfulness', values: r.trend.map((t) => (t.high_risk.cases ? t.mean_faithfulness : null)) }]} /></div>
    ${off.length > 0 && html`<p class="soft">Not measured, since the guard is off: ${off.map((f) => f.name).join(', ')}.</p>`}`;
}

const unit = { percent, per_10k: (v) => v.toFixed(v < 10 ? 1 : 0) };

// Course is a figure over four weeks, against the range in which it is healthy.
function Course({ f, trend }) {
  const show = unit[f.unit] || ((v) => v.toFixed(2));
  const values = (f.weeks || []).map((x) => (x.cases ? x.value : null));
  return html`<div class="card figure"><${Lines} title=${f.name} labels=${trend.slice(-values.length).map((t) => day(t.from))} show=${show}
    range=${f.range} series=${[{ name: f.name, values }]} />
    <p><span class=${`chip ${{ healthy: 'active', odd: 'aborted', outside: 'unknown' }[f.state] || ''}`}>${f.state}</span> ${
  f.cases ? html`${show(f.value)} <span class="soft">${f.hits} of ${f.cases} ${f.cases_are}</span>` : html`<span
    class="soft">no ${f.cases_are} yet</span>`}</p>
    ${f.means && f.state !== 'healthy' && html`<p class="soft">${f.means}</p>`}</div>`;
}

function Suites() {
  const { busy, data, error, again } = useLoad(() => get(paths.suites()), []);
  if (busy) return html`<p class="loading" role="status">Reading results…</p>`;
  if (error) return html`<h2>Suites</h2><${Gone} error=${error} again=${again} />`;
  const suites = [...new Set(data.runs.map((r) => r.suite))].sort();
  return html`<h2>Suites</h2>
    ${!data.runs.length && html`<p role="status">There is no result in <code>${data.folder}</code>.
      ${' '}To have one, run <code>forsooth eval hollowmere --json > ${data.folder}/today.json</code>.</p>`}
    ${data.faults.map((f) => html`<p class="soft"><code>${f.file}</code> ${f.why}.</p>`)}
    ${suites.map((s) => html`<${Suite} key=${s} name=${s} runs=${data.runs.filter((r) => r.suite === s)} />`)}`;
}

const amounts = /per_turn$|worst$|_ms$|^tokens|^cost|^calls/;

function Suite({ name, runs }) {
  const order = [...runs].reverse(); // oldest first
  const metrics = [...new Set(order.flatMap((r) => Object.keys(r.metrics)))].sort();
  const [metric, setMetric] = useState('');
  const [pair, setPair] = useState(order.length > 1 ? [order[order.length - 2].file, order[order.length - 1].file] : []);
  const labels = order.map((r) => `${day(r.at)} ${r.model || ''}`.trim());
  const of = (r) => (metric ? r.metrics[metric] ?? null : r.cases ? r.passed / r.cases : null);
  const last = order[order.length - 1];
  const pick = (i, label) => html`<label>${label} <select value=${pair[i]} onChange=${(e) => setPair(pair.map((f, k) => (k === i
    ? e.target.value : f)))}>${order.map((r) => html`<option value=${r.file}>${r.file}</option>`)}</select></label>`;
  return html`<section class="card suite" aria-label=${`Suite ${name}`}><h3>${name} <span
      class=${`chip ${last.thresholds_met ? 'active' : 'aborted'}`}>${last.passed} of ${last.cases}${last.thresholds_met
  ? '' : ', below a threshold'}</span></h3>
    <div class="plots"><div><${Lines} title=${metric ? metric.replaceAll('_', ' ') : 'Cases passed'} labels=${labels}
      show=${metric && amounts.test(metric) ? (v) => String(Number(v.toPrecision(3))) : percent} series=${[{ name, values: order.map(of) }]} />
      <label>Plot <select value=${metric} onChange=${(e) => setMetric(e.target.value)}><option value="">cases passed</option>
        ${metrics.map((m) => html`<option value=${m}>${m.replaceAll('_', ' ')}</option>`)}</select></label></div>
      <div>${(last.thresholds || []).length > 0 && html`<table class="figures"><caption>Thresholds of the last run</caption><tbody>
        ${last.thresholds.map((t) => html`<tr><th scope="row">${t.name}</th><td class="n">${t.got.toFixed(3)}</td><td class="n">${
  t.min !== undefined ? `≥ ${t.min}` : `≤ ${t.max}`}</td><td><span class=${`chip ${t.met ? 'active' : 'aborted'}`}>${t.met ? 'met' : 'missed'}</span>
          </td></tr>`)}</tbody></table>`}
        ${(last.failures || []).length > 0 && html`<details class="draft"><summary>${last.failures.length} failed</summary><ul>${
  last.failures.slice(0, 100).map((f) => html`<li><strong>${f.name}</strong> <span class="soft">wants ${f.want}, got ${f.got}</span></li>`)}</ul>
          </details>`}</div></div>
    ${order.length > 1 ? html`<div class="row">${pick(0, 'Compare')}${pick(1, 'with')}</div>
      <${Compared} key=${pair.join()} old=${pair[0]} now=${pair[1]} />` : html`<p class="soft">One run: with another of the same suite
        they are compared.</p>`}</section>`;
}

const verdicts = { better: 'active', worse: 'aborted' };

function Compared({ old, now }) {
  const { busy, data, error } = useLoad(() => get(paths.compare(old, now)), []);
  if (busy) return html`<p class="loading" role="status">Comparing…</p>`;
  if (error) return html`<${Trouble} error=${error} />`;
  const moved = data.metrics.filter((m) => m.delta !== 0);
  return html`${!moved.length && html`<p class="soft">No metric has moved.</p>`}
    ${moved.length > 0 && html`<div class="scroll" tabindex="0" role="region" aria-label="Metrics that moved"><table class="figures"><thead><tr>
      <th scope="col">Metric</th><th scope="col">Then</th><th scope="col">Now</th><th scope="col"><span class="away">Verdict</span></th></tr>
      </thead><tbody>${moved.map((m) => html`<tr><th scope="row">${m.name.replaceAll('_', ' ')}</th><td class="n">${m.old.toFixed(3)}</td>
        <td class="n">${m.new.toFixed(3)}</td><td><span class=${`chip ${verdicts[m.verdict] || ''}`}>${m.verdict || 'not judged'}</span>
        </td></tr>`)}</tbody></table></div>`}
    ${data.changed.length > 0 && html`<h4>Cases that ended otherwise</h4><ul>${data.changed.slice(0, 200).map((c) => html`<li><span
      class=${`chip ${{ broke: 'aborted', mended: 'active' }[c.what] || ''}`}>${c.what}</span> <strong>${c.name}</strong> <span
      class="soft">${c.old.reply} → ${c.new.reply}</span></li>`)}</ul>`}
    ${data.added.length + data.removed.length > 0 && html`<p class="soft">${data.added.length} cases are new, ${data.removed.length} gone.</p>`}`;
}
