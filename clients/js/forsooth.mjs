// The client of Forsooth for browsers and node: one module without dependencies. README.md shows its use.

/** What went wrong: code and field for programs, message for people, retryAfter in seconds where it is worth while. */
export class ForsoothError extends Error {
  constructor({ code, detail, title, field, status, retry_after_ms }) {
    super(detail || title || code);
    this.name = "ForsoothError";
    this.code = code;
    this.field = field;
    this.status = status;
    this.retryAfter = retry_after_ms ? retry_after_ms / 1000 : undefined;
  }
}

const unreachable = (detail) => new ForsoothError({ code: "UNREACHABLE", status: 503, detail });
const cannotReach = (base) => unreachable(`the gateway at ${base} cannot be reached`);
// What stands before a gateway answers in its stead, such as a balancer while it starts.
const noProblem = (status) => new ForsoothError({ code: status >= 500 ? "UNREACHABLE" : "INTERNAL", status, detail: `the answer is ${status} and no problem` });
const pause = (seconds) => new Promise((wake) => setTimeout(wake, seconds * 1000));
const backoff = (tries) => Math.min(5, 0.2 * 2 ** tries) * (0.75 + Math.random() / 2);

/** A turn id of the client's own, so that a turn which is sent again after a break is the same turn. */
export function newTurnId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
}

/** One turn. It runs by itself; sentences(), events() and reply() may be read at any time, each from the beginning. */
class Turn {
  #events = [];
  #ended = false;
  #error;
  #wake = [];
  #acted = new Set();
  #spoken = 0;

  constructor(request, options, by) {
    this.request = { turn_id: newTurnId(), ...request };
    this.id = this.request.turn_id;
    this.seen = 0; // the n of the last event: where to go on after a break
    this.options = options;
    this.by = by;
    if (options.signal) {
      const stop = () => this.cancel().catch((e) => e.code === "NOT_FOUND" || this.#report(e));
      if (options.signal.aborted) queueMicrotask(stop);
      else options.signal.addEventListener("abort", stop, { once: true });
    }
  }

  /** The events: accepted, thinking, sentence, action, done. */
  async *events() {
    for (let i = 0; ; ) {
      while (i < this.#events.length) yield this.#events[i++];
      if (this.#error) throw this.#error;
      if (this.#ended) return;
      await new Promise((wake) => this.#wake.push(wake));
    }
  }

  /** The sentences, each as soon as it is released. */
  async *sentences() {
    for await (const event of this.events()) if (event.type === "sentence") yield event.npc ? { ...event.sentence, npc: event.npc } : event.sentence;
  }

  [Symbol.asyncIterator]() {
    return this.sentences();
  }

  /** The whole reply. */
  async reply() {
    for await (const event of this.events()) if (event.type === "done") return event.reply;
  }

  /** The replies of a scene: of the NPC that answers, and of those that speak behind it. */
  async *replies() {
    let first = true;
    for await (const event of this.events()) {
      if (event.type !== "done") continue;
      if (first || event.reply.sentences.length > 0) yield event.reply;
      first = false;
    }
  }

  /** Ends the turn with what was said so far; the reply has the status "aborted". */
  cancel() {
    return this.by.cancel(this.request);
  }

  get over() {
    return this.#ended || this.#error !== undefined;
  }

  // take shows an event once, whichever connection brings it.
  take(event) {
    if (this.over) return;
    if (event.type === "action") {
      const name = `${event.action.turn_id} ${event.action.index}`; // in a scene several turns follow each other
      if (this.#acted.has(name)) return;
      this.#acted.add(name);
    } else if (event.type !== "done" || event.next) {
      if (event.n <= this.seen) return;
      this.seen = event.n;
    }
    this.#events.push(event);
    this.#ended = event.type === "done" && !event.next;
    this.#rouse();
    if (event.type === "sentence") this.#speak(event);
    if (event.type === "action") this.#act(event.action);
  }

  fail(error) {
    if (this.over) return;
    this.#error = error;
    this.#rouse();
  }

  #rouse() {
    for (const wake of this.#wake.splice(0)) wake();
  }

  #speak({ sentence, npc = this.request.npc }) {
    const { player, locale } = this.request;
    const index = this.#spoken++;
    try {
      this.options.speak?.({ text: sentence.text, npc, player, language: locale || this.options.language || "en", index, turn: this.id });
    } catch (error) {
      this.#report(error);
    }
  }

  async #act(action) {
    try {
      const answer = await this.options.act?.(action, this);
      if (answer === undefined || answer === null) return;
      await this.by.answer(action, typeof answer === "boolean" ? { accepted: answer } : answer, this.request);
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error) {
    (this.options.problem ?? console.error)(error);
  }
}

/** A gateway. key is a key of a backend or a token of a player, or a function that gives one. */
export class Forsooth {
  constructor(base, options = {}) {
    this.base = base.replace(/\/+$/, "");
    this.options = { retries: 5, quiet: 40, ...options };
  }

  async credential() {
    const { key } = this.options;
    return typeof key === "function" ? await key() : key;
  }

  /** Says something to an NPC: { world, npc, player, message, … }, or in a scene: { world, player, message, scene: { id, rounds } }. */
  say(request, options = {}) {
    const turn = new Turn(request, { ...this.options, ...options }, this);
    this.#run(turn);
    return turn;
  }

  worlds() {
    return this.#json("GET", "/v1/worlds").then((found) => found.worlds);
  }

  npcs(world) {
    return this.#json("GET", `/v1/worlds/${encodeURIComponent(world)}/npcs`).then((found) => found.npcs);
  }

  /** A player's token, for a game's client: { world, player, npc?, ttl_s? }. It takes a backend's key. */
  token(request) {
    return this.#json("POST", "/v1/tokens", request);
  }

  /** Tells NPCs what the game saw happen. */
  witness(world, event) {
    return this.#json("POST", `/v1/worlds/${encodeURIComponent(world)}/events`, event);
  }

  /** Has NPCs and players enter a scene: { npcs, players }. It takes a backend's key, and gives who is there. */
  enter(world, id, enter) {
    return this.#json("POST", path({ world, scene: { id } }, "", false), { scene: { enter } }).then((moved) => moved.scene);
  }

  /** Has them leave it. */
  leave(world, id, leave) {
    return this.#json("POST", path({ world, scene: { id } }, "", false), { scene: { leave } }).then((moved) => moved.scene);
  }

  /** Who is in a scene: { id, npcs, players }. */
  scene(world, id) {
    return this.#json("GET", `/v1/worlds/${encodeURIComponent(world)}/scenes/${encodeURIComponent(id)}`);
  }

  /** Ends a turn: { world, npc, player, turn_id }, or { world, scene: { id }, turn_id }. */
  cancel(turn) {
    return this.#json("DELETE", path(turn, `/${encodeURIComponent(turn.turn_id)}`, true));
  }

  /** The game's answer to an action: { accepted, reason? }. The first stands. */
  answer(action, result, turn) {
    const at = { ...turn, npc: action.npc, player: action.player, scene: action.scene && { id: action.scene } };
    return this.#json("POST", path(at, `/${encodeURIComponent(action.turn_id)}/actions/${action.index}`, true), result);
  }

  /** One WebSocket for many players. */
  session(options = {}) {
    return new Session(this, { ...this.options, ...options });
  }

  async #json(method, at, body) {
    const answer = await this.#fetch(method, at, body, {});
    return answer.status === 204 ? undefined : answer.json();
  }

  async #fetch(method, at, body, headers) {
    const key = await this.credential();
    if (key) headers.Authorization = `Bearer ${key}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const limit = new AbortController();
    const quiet = setTimeout(() => limit.abort(), this.options.quiet * 1000);
    const ask = { method, headers, signal: limit.signal, body: body === undefined ? undefined : JSON.stringify(body) };
    const answer = await fetch(this.base + at, ask).catch(() => {
      throw cannotReach(this.base);
    });
    clearTimeout(quiet);
    if (answer.ok) return answer;
    throw await answer.json().then(
      (problem) => new ForsoothError(problem),
      () => noProblem(answer.status),
    );
  }

  async #run(turn) {
    for (let tries = 0; ; tries++) {
      const before = turn.seen;
      try {
        return await this.#stream(turn);
      } catch (error) {
        if (turn.seen > before) tries = 0;
        const lost = error.code === "UNREACHABLE";
        if ((!lost && !(tries + turn.seen > 0 && error.retryAfter)) || tries >= turn.options.retries) return turn.fail(error);
        await pause(Math.max(error.retryAfter || 0, backoff(tries)));
      }
    }
  }

  // stream shows a turn from where it was lost; one of which nothing was heard is said again.
  async #stream(turn) {
    const headers = { Accept: "text/event-stream" };
    let answer;
    if (turn.seen > 0) {
      headers["Last-Event-ID"] = String(turn.seen);
      answer = await this.#fetch("GET", path(turn.request, `/${encodeURIComponent(turn.id)}`, true), undefined, headers);
    } else {
      answer = await this.#fetch("POST", path(turn.request, "", false), turn.request, headers);
    }
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; !turn.over; ) {
      const { value, done } = await this.#soon(reader).catch(() => ({ done: true }));
      if (done) {
        reader.cancel().catch(() => {});
        throw unreachable("the connection broke in the middle of a turn");
      }
      const blocks = (text + value).split(/\r?\n\r?\n/);
      text = blocks.pop();
      for (const block of blocks) take(turn, block);
    }
    reader.cancel().catch(() => {});
  }

  // soon reads on. What nobody closed may be dead all the same: a gateway says something every 15 seconds.
  async #soon(reader) {
    let quiet;
    const tooLate = new Promise((late) => (quiet = setTimeout(() => late({ done: true }), this.options.quiet * 1000)));
    try {
      return await Promise.race([reader.read(), tooLate]);
    } finally {
      clearTimeout(quiet);
    }
  }
}

function path({ world, npc, player, scene }, rest, named) {
  const where = scene ? `scenes/${encodeURIComponent(scene.id)}` : `npcs/${encodeURIComponent(npc)}`;
  const at = `/v1/worlds/${encodeURIComponent(world)}/${where}/turns${rest}`;
  if (scene) return at;
  return named && player ? `${at}?player=${encodeURIComponent(player)}` : at;
}

// queue is how a frame names the conversation of a turn.
const queue = ({ world, npc, player, scene }) => (scene ? { world, scene: scene.id } : { world, npc, player });

function take(turn, block) {
  let name = "", data = "";
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith("event: ")) name = line.slice(7);
    if (line.startsWith("data: ")) data += line.slice(6);
  }
  if (!data) return; // a ping
  const event = JSON.parse(data);
  if (name === "problem") throw new ForsoothError(event);
  turn.take(event);
}

/** One WebSocket for many players. After a break it connects again, and each turn goes on where it was. */
export class Session {
  #socket;
  #open = false;
  #closed = false;
  #failures = 0; // connections that failed, one after another
  #refs = 0;
  #turns = new Map(); // by ref, as the next two
  #calls = new Map();
  #watches = new Map();
  #refused; // what the gateway said before it closed
  #heard = 0; // when something came
  #beat; // the timer that asks whether the connection lives

  constructor(client, options) {
    this.client = client;
    this.options = options;
    this.WebSocket = options.WebSocket ?? globalThis.WebSocket;
    if (!this.WebSocket) throw new Error("this runtime has no WebSocket: take node 22, node 20 with --experimental-websocket, or give options.WebSocket");
  }

  /** Says something to an NPC, as Forsooth.say does. */
  say(request, options = {}) {
    const turn = new Turn(request, { ...this.options, ...options }, this);
    const ref = `t${++this.#refs}`;
    this.#turns.set(ref, { turn, tries: 0 });
    this.#send(() => this.#sayOrResume(ref));
    return turn;
  }

  cancel(turn) {
    return this.#call({ type: "cancel", ...queue(turn), turn_id: turn.turn_id });
  }

  answer(action, result, { world }) {
    const at = queue({ world, npc: action.npc, player: action.player, scene: action.scene && { id: action.scene } });
    return this.#call({ type: "result", ...at, turn_id: action.turn_id, index: action.index, result });
  }

  ping() {
    return this.#call({ type: "ping" });
  }

  /** Shows every action that the NPCs of a world propose, to any player. act answers as in say. */
  actions(world, act) {
    const ref = `a${++this.#refs}`;
    const watch = { world, act, since: "", shown: new Set() };
    this.#watches.set(ref, watch);
    this.#send(() => this.#watch(ref));
    return () => this.#watches.delete(ref);
  }

  /** Ends the session. Its turns go on in the mesh, and are shown here no more. */
  close() {
    this.#closed = true;
    clearInterval(this.#beat);
    this.#socket?.close?.();
    this.#failAll(unreachable("the session was closed"));
  }

  #call(frame) {
    const ref = `c${++this.#refs}`;
    return new Promise((resolve, reject) => {
      this.#calls.set(ref, { frame: { ...frame, ref }, resolve, reject });
      this.#send(() => this.#frame({ ...frame, ref }));
    });
  }

  // send runs now where there is a connection; what is registered is sent when there is one.
  #send(now) {
    if (this.#open) now();
    else this.#connect();
  }

  #frame(frame) {
    if (this.#open) this.#socket.send(JSON.stringify(frame));
  }

  #sayOrResume(ref) {
    const entry = this.#turns.get(ref);
    if (!entry) return;
    const { turn } = entry;
    if (turn.seen > 0) this.#frame({ type: "resume", ref, ...queue(turn.request), turn_id: turn.id, after: turn.seen });
    else this.#frame({ type: "say", ref, say: turn.request });
  }

  #watch(ref) {
    const { world, since } = this.#watches.get(ref);
    this.#frame({ type: "actions", ref, world, ...(since && { since }) });
  }

  async #connect() {
    if (this.#socket || this.#closed) return;
    this.#socket = {}; // one connection at a time
    this.#refused = undefined;
    let socket;
    try {
      const key = await this.client.credential();
      socket = new this.WebSocket(`${this.client.base.replace(/^http/, "ws")}/v1/ws`, ["forsooth.v1", ...(key ? [`bearer.${key}`] : [])]);
    } catch (error) {
      this.#socket = undefined;
      return this.#failAll(error);
    }
    this.#socket = socket;
    socket.onopen = () => {
      this.#open = true;
      this.#keep(socket);
      for (const ref of this.#turns.keys()) this.#sayOrResume(ref);
      for (const { frame } of this.#calls.values()) this.#frame(frame);
      for (const ref of this.#watches.keys()) this.#watch(ref);
    };
    socket.onmessage = ({ data }) => {
      if (socket !== this.#socket) return; // it was given up
      this.#failures = 0;
      this.#heard = Date.now();
      this.#take(JSON.parse(data));
    };
    socket.onclose = (event) => socket === this.#socket && this.#lost(event.code);
    socket.onerror = () => {}; // a close follows
    if (this.#closed) socket.close();
  }

  // keep asks a silent connection whether it lives, and gives up one that does not answer.
  #keep(socket) {
    const half = (this.options.quiet * 1000) / 2;
    this.#heard = Date.now();
    this.#beat = setInterval(() => {
      const silent = Date.now() - this.#heard;
      if (silent >= 2 * half) {
        socket.close();
        this.#lost(1006); // the close would wait for the other side
      } else if (silent >= half) this.#frame({ type: "ping" });
    }, half / 2);
  }

  async #lost(code) {
    const opened = this.#open;
    this.#open = false;
    this.#socket = {}; // what still comes from the last one is not for us
    clearInterval(this.#beat);
    for (const entry of this.#turns.values()) entry.tries++;
    if (this.#closed) return;
    const stale = code === 1008 && typeof this.client.options.key !== "function";
    let fatal = stale ? this.#refused ?? unreachable("the gateway closed the connection") : undefined;
    if (!opened && !fatal) fatal = await this.#whyRefused();
    if (!fatal && this.#failures >= this.options.retries) fatal = cannotReach(this.client.base);
    if (fatal) {
      this.#failAll(fatal);
      this.#failures = 0;
      this.#socket = undefined;
      if (this.#watches.size === 0 || fatal.code !== "UNREACHABLE") return; // the next thing said connects
    }
    await pause(code === 1001 && opened ? 0.05 : backoff(this.#failures++));
    this.#socket = undefined;
    this.#connect();
  }

  // A browser does not tell why a connection was refused; a request does.
  async #whyRefused() {
    try {
      await this.client.worlds();
    } catch (error) {
      if (error.status === 401 || error.status === 403) return error;
    }
    return undefined;
  }

  #failAll(error) {
    for (const { turn } of this.#turns.values()) turn.fail(error);
    for (const { reject } of this.#calls.values()) reject(error);
    this.#turns.clear();
    this.#calls.clear();
  }

  #take(event) {
    const { ref } = event;
    if (this.#turns.has(ref)) return this.#ofTurn(ref, event);
    if (this.#watches.has(ref)) return this.#ofWatch(this.#watches.get(ref), event);
    const call = this.#calls.get(ref);
    this.#calls.delete(ref);
    if (event.type === "problem") {
      const error = new ForsoothError(event.problem);
      if (call) call.reject(error);
      else this.#refused = error;
    } else call?.resolve();
  }

  #ofTurn(ref, event) {
    const entry = this.#turns.get(ref);
    if (event.type !== "problem") {
      entry.turn.take(event);
    } else {
      const error = new ForsoothError(event.problem);
      if (entry.tries > 0 && entry.tries <= this.options.retries && error.retryAfter) {
        setTimeout(() => this.#sayOrResume(ref), 1000 * Math.max(error.retryAfter, backoff(entry.tries++)));
        return;
      }
      entry.turn.fail(error);
    }
    if (entry.turn.over) this.#turns.delete(ref);
  }

  async #ofWatch(watch, event) {
    const report = this.options.problem ?? console.error;
    if (event.type === "problem") return report(new ForsoothError(event.problem));
    if (event.type === "ok" && !watch.since) watch.since = event.at;
    if (event.type !== "action") return;
    const name = `${event.action.turn_id} ${event.action.index}`;
    if (watch.shown.has(name)) return;
    watch.shown.add(name);
    if (watch.shown.size > 10000) watch.shown.delete(watch.shown.values().next().value);
    if (event.action.at > watch.since) watch.since = event.action.at;
    try {
      const answer = await watch.act(event.action);
      if (answer !== undefined && answer !== null) {
        await this.answer(event.action, typeof answer === "boolean" ? { accepted: answer } : answer, { world: watch.world });
      }
    } catch (error) {
      report(error);
    }
  }
}
