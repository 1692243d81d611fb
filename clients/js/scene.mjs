// A scene: two NPCs hear one player. `node scene.mjs`, or over a WebSocket `node scene.mjs socket`.
import { Forsooth } from "./forsooth.mjs";

const { FORSOOTH_URL = "http://127.0.0.1:8080", FORSOOTH_KEY: key, FORSOOTH_SCENE = "tavern" } = process.env;
const client = new Forsooth(FORSOOTH_URL, { key, quiet: 2 });
const by = process.argv[2] === "socket" ? client.session() : client;
const show = (what) => console.log(JSON.stringify(what));

try {
  show(await client.enter("hollowmere", FORSOOTH_SCENE, { npcs: ["mira", "osric"], players: ["ansel"] }));
  const turn = by.say({
    world: "hollowmere", player: "ansel", turn_id: `${FORSOOTH_SCENE}-1`, message: "Osric, when did the mill burn?",
    scene: { id: FORSOOTH_SCENE, rounds: 1 },
  });
  for await (const { npc, text } of turn) show({ npc, text });
  for await (const { npc, reply } of turn.replies()) show({ npc, reply });
  show(await client.leave("hollowmere", FORSOOTH_SCENE, { players: ["ansel"] }));
  show(await client.scene("hollowmere", FORSOOTH_SCENE));
} catch (problem) {
  console.error(`${problem.code}: ${problem.message}`);
  process.exitCode = 1;
}
by.close?.();
