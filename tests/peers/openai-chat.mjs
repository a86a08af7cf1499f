// Calls a chat completions API as the official client does. Arguments: base URL, how (create, stream or helper),
// request as JSON. Prints what the client made of the answer as one JSON object.
import OpenAI from 'openai';

const [baseURL, how, request] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey: 'mock-key', maxRetries: 0, logLevel: 'off' });

async function fromChunks(stream) {
  const seen = { text: '', thought: '', calls: [], finish: null, usage: null };
  for await (const chunk of stream) {
    if (chunk.usage) seen.usage = chunk.usage;
    const choice = chunk.choices[0];
    if (!choice) continue;
    if (choice.finish_reason) seen.finish = choice.finish_reason;
    seen.text += choice.delta.content ?? '';
    seen.thought += choice.delta.reasoning_content ?? '';
    for (const part of choice.delta.tool_calls ?? []) {
      const call = (seen.calls[part.index] ??= { id: part.id, name: part.function.name, args: '' });
      call.args += part.function.arguments ?? '';
    }
  }
  return seen;
}

function fromCompletion({ choices: [{ message, finish_reason }], usage }) {
  const calls = (message.tool_calls ?? []).map((c) => ({ id: c.id, name: c.function.name, args: c.function.arguments }));
  return { text: message.content, thought: message.reasoning_content, calls, finish: finish_reason, usage };
}

const ways = {
  create: async (body) => fromCompletion(await client.chat.completions.create(body)),
  stream: async (body) => fromChunks(await client.chat.completions.create({ ...body, stream: true })),
  helper: async (body) => fromCompletion(await client.chat.completions.stream(body).finalChatCompletion()),
  models: async () => ({ models: (await client.models.list()).data.map((m) => m.id) }),
};

try {
  console.log(JSON.stringify(await ways[how](JSON.parse(request))));
} catch (e) {
  console.log(JSON.stringify({ error: { name: e.constructor.name, status: e.status, code: e.code, type: e.type, message: e.message } }));
}
