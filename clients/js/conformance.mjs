// Plays the transcript of examples/conformance: `node conformance.mjs http` or `… socket`, or in a browser by conformance.html.
// A line of JSON tells what was heard of each turn.
import { Forsooth } from "./forsooth.mjs";

const inBrowser = typeof document !== "undefined";
const env = inBrowser ? Object.fromEntries(new URLSearchParams(location.search)) : process.env;
const overSocket = (inBrowser ? env.transport : process.argv[2]) === "socket";

async function read(file) {
  if (inBrowser) return (await fetch(file)).json();
  return JSON.parse((await import("node:fs")).readFileSync(file));
}

const { world, steps } = await read(env.FORSOOTH_TRANSCRIPT);
const mine = (name) => (name ? `${name}-${env.FORSOOTH_WHO}` : undefined);

function door(key) {
  const client = new Forsooth(env.FORSOOTH_URL, { key, quiet: 2 });
  return overSocket ? client.session() : client;
}

const watched = new Map(); // by player: the step, and what was heard
let watching;

function watch(player, step, heard) {
  watched.set(player, { step, heard });
  watching ??= backend.actions(world, ({ player, name, parameters, confirm }) => {
    if (!watched.has(player)) return;
    const { step, heard } = watched.get(player);
    heard.actions.push({ name, parameters, confirm });
    return step.answer;
  });
}

const backend = door(env.FORSOOTH_KEY);
const player = door(async () => env.FORSOOTH_TOKEN);

async function play(step, turn) {
  const heard = { sentences: [], spoken: [], actions: [], status: "", reason: "", reply: "" };
  const by = step.as === "token" ? player : backend;
  const request = { world, ...turn, player: mine(turn.player) };
  if (turn.turn_id) request.turn_id = mine(turn.turn_id);
  try {
    if (step.do === "ping") {
      await (overSocket ? by.ping() : by.npcs(world));
      return heard;
    }
    if (step.do === "cancel") {
      await by.cancel(request);
      return heard;
    }
    if (step.watch && overSocket) watch(request.player, step, heard);
    const said = by.say(request, {
      speak: ({ text, npc, language, index }) => heard.spoken.push({ text, npc, language, index }),
      act: step.watch && overSocket ? undefined : async ({ name, parameters, confirm }, on) => {
        heard.actions.push({ name, parameters, confirm });
        if (step.cancel === "action") await on.cancel();
        return step.answer;
      },
    });
    for await (const sentence of said) heard.sentences.push(sentence.text);
    const reply = await said.reply();
    Object.assign(heard, { status: reply.status, reason: reply.reason ?? "", reply: reply.reply });
  } catch (error) {
    if (!error.code) throw error;
    heard.problem = { code: error.code, field: error.field ?? "" };
  }
  return heard;
}

const lines = [];
try {
  for (const step of steps) {
    const all = await Promise.all(step.turns.map((turn) => play(step, turn)));
    all.forEach((heard, turn) => lines.push(JSON.stringify({ step: step.name, turn, ...heard })));
  }
} catch (error) {
  lines.push(`failed: ${error.stack}`);
}
if (overSocket) [backend, player].forEach((session) => session.close());
if (inBrowser) await fetch("heard", { method: "POST", body: lines.join("\n") });
else console.log(lines.join("\n"));
