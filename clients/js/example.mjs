// A talk in a terminal: `forsooth dev` in one window, `node example.mjs "Will you give me a quest?"` in another.
import { Forsooth } from "./forsooth.mjs";

const message = process.argv[2] ?? "Tell me about your sister.";
const client = new Forsooth(process.env.FORSOOTH_URL ?? "http://127.0.0.1:8080", { key: process.env.FORSOOTH_KEY });

const turn = client.say(
  { world: "hollowmere", npc: "mira", player: "ansel", message, trust: 50 },
  {
    act: (action) => {
      console.log(`(the game lets Mira do: ${action.name} ${JSON.stringify(action.parameters)})`);
      return true;
    },
    speak: ({ text, npc, language, index }) => console.log(`(voice of ${npc}, ${language}, sentence ${index}: ${text.length} characters)`),
  },
);
try {
  for await (const sentence of turn) console.log("Mira:", sentence.text);
  console.log(`(${(await turn.reply()).status})`);
} catch (problem) {
  console.error(`${problem.code}: ${problem.message}`);
  process.exitCode = 1;
}
