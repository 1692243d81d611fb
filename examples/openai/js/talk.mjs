// Asks an NPC something with OpenAI's official client for JavaScript: plain, streamed,
// and over the Responses API. OPENAI_BASE_URL and OPENAI_API_KEY say where.
import OpenAI, { NotFoundError } from "openai";

const [model, message] = process.argv.slice(2);
const client = new OpenAI();
const messages = [{ role: "user", content: message }];
const out = { models: [] };
for await (const m of client.models.list()) out.models.push(m.id);

const plain = await client.chat.completions.create({ model, messages });
out.plain = plain.choices[0].message.content;
out.finish = plain.choices[0].finish_reason;
out.sources = (plain.choices[0].message.annotations ?? []).map((a) => a.url_citation.title);

out.streamed = "";
out.usage = false;
const stream = await client.chat.completions.create({ model, messages, stream: true, stream_options: { include_usage: true } });
for await (const chunk of stream) {
  out.streamed += chunk.choices[0]?.delta?.content ?? "";
  out.usage ||= (chunk.usage?.total_tokens ?? 0) > 0;
}

out.response = (await client.responses.create({ model, input: message })).output_text;
out.typed = "";
out.completed = false;
for await (const event of await client.responses.create({ model, input: message, stream: true })) {
  if (event.type === "response.output_text.delta") out.typed += event.delta;
  if (event.type === "response.completed") out.completed = event.response.output[0].content[0].text === out.typed;
}

try {
  await client.chat.completions.create({ model: "nobody", messages });
} catch (e) {
  if (e instanceof NotFoundError) out.unknown = e.code;
}
console.log(JSON.stringify(out));
