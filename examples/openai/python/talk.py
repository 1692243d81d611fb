"""Asks an NPC something with OpenAI's official client for Python: plain, streamed, and
over the Responses API. OPENAI_BASE_URL and OPENAI_API_KEY say where."""

import json
import sys

from openai import NotFoundError, OpenAI


def talk(model: str, message: str) -> dict:
    client = OpenAI()
    messages = [{"role": "user", "content": message}]
    out = {"models": [m.id for m in client.models.list()]}
    plain = client.chat.completions.create(model=model, messages=messages)
    choice = plain.choices[0]
    out["plain"], out["finish"] = choice.message.content, choice.finish_reason
    out["sources"] = [a.url_citation.title for a in choice.message.annotations or []]

    streamed, used = "", False
    for chunk in client.chat.completions.create(
        model=model, messages=messages, stream=True, stream_options={"include_usage": True}
    ):
        if chunk.choices:
            streamed += chunk.choices[0].delta.content or ""
        used = used or chunk.usage is not None and chunk.usage.total_tokens > 0
    out["streamed"], out["usage"] = streamed, used

    out["response"] = client.responses.create(model=model, input=message).output_text
    typed, completed = "", False
    for event in client.responses.create(model=model, input=message, stream=True):
        if event.type == "response.output_text.delta":
            typed += event.delta
        elif event.type == "response.completed":
            completed = event.response.output_text == typed
    out["typed"], out["completed"] = typed, completed
    try:
        client.chat.completions.create(model="nobody", messages=messages)
    except NotFoundError as e:
        out["unknown"] = e.code
    return out


if __name__ == "__main__":
    print(json.dumps(talk(sys.argv[1], sys.argv[2])))
