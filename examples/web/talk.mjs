// A talk with an NPC in a web page: what is said is shown sentence by sentence.

// say yields the events of a turn: accepted, thinking, sentence, action, done.
export async function* say(base, world, npc, turn, token) {
  const headers = { "Content-Type": "application/json", Accept: "text/event-stream" };
  if (token) headers.Authorization = "Bearer " + token;
  const answer = await fetch(`${base}/v1/worlds/${world}/npcs/${npc}/turns`, { method: "POST", headers, body: JSON.stringify(turn) });
  if (!answer.ok) throw new Error((await answer.json()).detail);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ; ) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (text + value).split("\n\n");
    text = events.pop();
    for (const event of events) {
      const data = event.split("\n").find((line) => line.startsWith("data: "));
      if (data) yield JSON.parse(data.slice(6));
    }
  }
}

if (globalThis.document) {
  const talk = document.getElementById("talk");
  const show = (who, words) => talk.appendChild(Object.assign(document.createElement("p"), { textContent: `${who}: ${words}` }));
  document.getElementById("say").addEventListener("submit", async (e) => {
    e.preventDefault();
    const message = new FormData(e.target).get("message");
    e.target.reset();
    show("You", message);
    try {
      for await (const event of say("http://127.0.0.1:8080", "hollowmere", "mira", { player: "visitor", message })) {
        if (event.type === "sentence") show("Mira", event.sentence.text);
      }
    } catch (problem) {
      show("(nobody)", problem.message);
    }
  });
}
