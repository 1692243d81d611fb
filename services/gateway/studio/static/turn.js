// What a turn is made of, as the panel shows it. Plain functions of the API's answers.

const refusing = new Set(['unknown', 'withheld', 'authored', 'aborted']);

export const kinds = {
  grounded: 'grounded in lore',
  own: 'grounded in its own notes or memory',
  social: 'social: it claims nothing',
  refusal: 'a refusal',
};

// kindOf says what a released sentence is. While a turn runs its status is not known.
export function kindOf(sentence, reply, npc) {
  const evidence = sentence.evidence || [];
  if (evidence.length) {
    const own = evidence.every((e) => (e.path || '').startsWith(`npcs/${npc}/`) || e.source !== 'corpus');
    return own ? 'own' : 'grounded';
  }
  if (reply && refusing.has(reply.status)) return 'refusal';
  return 'social';
}

export const last = (trace) => (trace && trace.length ? trace[trace.length - 1].turn : null);

// claimsOf are the judged claims of a sentence, from every review that the turn had.
export function claimsOf(trace, sentence) {
  const found = new Map();
  for (const p of trace || []) {
    for (const c of (p.turn.speech_review && p.turn.speech_review.claims) || []) found.set(c.claim, c);
  }
  const all = [...found.values()];
  const exact = all.filter((c) => plain(sentence.text).includes(plain(c.claim)));
  if (exact.length) return exact;
  const ids = new Set((sentence.evidence || []).map((e) => e.id));
  return all.filter((c) => ids.has(c.citation) && plain(c.claim).includes(plain(sentence.text)));
}

const plain = (text) => text.replace(/\s+/g, ' ').trim().toLowerCase();

// blockOf is the evidence as the turn carried it, with author, date and place.
export function blockOf(trace, id) {
  for (const p of [...(trace || [])].reverse()) {
    const block = (p.turn.evidence || []).find((e) => e.id === id);
    if (block) return { ...block, source: (p.turn.sources || []).find((s) => s.source_id === block.source_id) };
  }
  return null;
}

// marked cuts a text into pieces: around the evidence, and inside it around the exact span.
export function marked(text, block, span) {
  const out = [];
  const at = find(text, block) || [0, 0];
  const inner = span ? find(text, span) : null;
  const cuts = [0, ...at, ...(inner || []), text.length].sort((a, b) => a - b);
  for (let i = 1; i < cuts.length; i++) {
    const [from, to] = [cuts[i - 1], cuts[i]];
    if (to <= from) continue;
    const within = (r) => r && from >= r[0] && to <= r[1];
    out.push({ text: text.slice(from, to), mark: within(inner) ? 'span' : within(at) ? 'block' : '' });
  }
  return out;
}

// find is where a passage stands in a text, white space aside.
function find(text, passage) {
  if (!passage) return null;
  const escaped = passage.trim().split(/\s+/).map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const m = new RegExp(escaped.join('\\s+')).exec(text);
  return m ? [m.index, m.index + m[0].length] : null;
}

// dateOf is the game's date of a source; documents without one are dated year 1.
export function dateOf(e) {
  const text = e.at || (e.provenance && e.provenance.created_at) || '';
  return !text || text.startsWith('0001-') ? '' : text.replace('T', ' ').replace(/:00Z$|Z$/, '');
}

const rejections = {
  out_of_scope: 'not for this NPC to know',
  created_in_future: 'written after the moment of the game',
  not_yet_valid: 'not yet true at the moment of the game',
  no_longer_valid: 'no longer true at the moment of the game',
  requires_not_met: 'its condition does not hold for this player',
  secret: 'a secret',
};

export const rejection = (name) => rejections[name] || name.replaceAll('_', ' ');

export const reasons = {
  SOCIAL: 'small talk: nothing was asked of the world',
  NO_EVIDENCE: 'nothing in its scope answers this',
  UNKNOWN_NAME: 'the message names somebody or something that nothing in its scope holds',
  LOW_CONFIDENCE: 'what was found does not clearly answer this',
  SECRET: 'what would answer is secret',
  REQUIRES: 'what would answer has a condition that does not hold for this player',
  POLICY: 'a rule of the world forbids it',
  DEADLINE: 'the time was up',
  CANCELLED: 'the turn was cancelled',
  SUPERSEDED: 'a newer message took its place',
  POISON: 'the turn failed; its dead letter says why',
  NOT_ENTAILED: 'no evidence supports what the model said',
  NON_CORPUS_EVIDENCE: 'what was cited is no lore',
  LANGUAGE_UNVERIFIED: 'this language has not been verified',
  UNFAITHFUL: 'the reply was not wholly supported',
  MODERATED: 'moderation did not allow it',
  MODERATION_FAILED: 'moderation gave no verdict in time',
  BUDGET: 'the budget is spent',
  MODEL_UNAVAILABLE: 'every model failed',
  RATE_LIMITED: 'more was said than is allowed',
  OVERLOAD: 'the mesh had no time for it',
};

// refusalOf is what a refusal card shows, or null where the NPC answered.
export function refusalOf(reply, trace) {
  if (!reply || !['unknown', 'withheld', 'authored', 'aborted'].includes(reply.status)) return null;
  const turn = last(trace) || {};
  return {
    reason: reply.reason || reply.status.toUpperCase(),
    why: reasons[reply.reason] || 'the NPC has no answer',
    names: turn.unknown_names || [],
    kept: ((turn.decision || {}).withhold || []).map((w) => `${w.topic} (${w.reason})`),
    nearest: [...(turn.evidence || [])].sort((a, b) => b.score - a.score).slice(0, 3),
    confidence: (turn.retrieval || {}).confidence,
  };
}

// refusedOf are the sentences that were not released: those of the reply, and the issues of
// every review with the draft that it was about.
export function refusedOf(reply, trace) {
  const out = [];
  const seen = new Set();
  const add = (one) => {
    const k = `${plain(one.text)}|${one.issue.issue_type}`;
    if (!seen.has(k)) { seen.add(k); out.push(one); }
  };
  (trace || []).forEach((p, i) => {
    const review = p.record.pass === 'review-thought' ? p.turn.thought_review : p.turn.speech_review;
    if (!p.record.pass.startsWith('review') || !review) return;
    for (const issue of review.issues || []) {
      const draft = draftWith(trace, i, issue.claim);
      add({ text: draft || issue.claim, issue, pass: p.record.pass, attempt: review.attempt, next: nextDraft(trace, i) });
    }
  });
  const stripped = (reply && reply.stripped) || (last(trace) || {}).stripped || [];
  for (const s of stripped) {
    const before = out.find((o) => plain(o.text) === plain(s.text));
    if (before) before.verdict = s.verdict;
    else add({ text: s.text, issue: s.issue, verdict: s.verdict, pass: 'review-speech' });
  }
  return out;
}

function draftWith(trace, i, claim) {
  const speech = trace[i].turn.speech || (i > 0 && trace[i - 1].turn.speech) || {};
  const hit = (speech.sentences || []).find((s) => plain(s.text).includes(plain(claim || '')));
  return hit && hit.text;
}

function nextDraft(trace, i) {
  const next = trace.slice(i + 1).find((p) => p.record.pass === 'speak');
  return next && next.turn.speech ? (next.turn.speech.sentences || []).map((s) => s.text) : [];
}

// passesOf are the rows of the waterfall, with the length of the whole turn in ms.
export function passesOf(reply, trace) {
  const records = trace ? trace.map((p) => p.record) : (reply && reply.passes) || [];
  const end = records.reduce((n, r) => Math.max(n, r.start_ms + r.took_ms), 1);
  const first = ((reply && reply.sentences) || []).find((s) => s.at_ms);
  return { records, end, first: first ? first.at_ms : 0 };
}

export const sum = (records, field) => records.reduce((n, r) => n + (r[field] || 0), 0);

export function ms(n) {
  if (n === undefined || n === null) return '';
  return n >= 1000 ? `${(n / 1000).toFixed(2)} s` : n >= 10 ? `${Math.round(n)} ms` : `${n.toFixed(1)} ms`;
}
