// Calls the Anthropic messages API as the official client does. Arguments: base URL, how (create, stream or helper),
// request as JSON. Prints what the client made of the answer as one JSON object.
import Anthropic from '@anthropic-ai/sdk';

const [baseURL, how, request] = process.argv.slice(2);
const client = new Anthropic({ baseURL, apiKey: 'mock-key', maxRetries: 0, logLevel: 'off' });

function fromMessage({ content, stop_reason, usage }) {
  const joined = (type, member) => content.filter((b) => b.type === type).map((b) => b[member]).join('');
  const calls = content.filter((b) => b.type === 'tool_use')
    .map(({ id, name, input }) => ({ id, name, args: JSON.stringify(input) }));
  return { text: joined('text', 'text'), thought: joined('thinking', 'thinking'),
    signature: joined('thinking', 'signature'), calls, finish: stop_reason, usage };
}

async function fromEvents(stream) {
  const content = [], message = { content };
  for await (const e of stream) {
    if (e.type === 'message_start') Object.assign(message, e.message, { content });
    if (e.type === 'content_block_start') content[e.index] = { ...e.content_block, json: '' };
    if (e.type === 'message_delta') {
      message.stop_reason = e.delta.stop_reason;
      message.usage = { ...message.usage, ...e.usage };
    }
    if (e.type !== 'content_block_delta') continue;
    const block = content[e.index];
    block.text += e.delta.text ?? '';
    block.thinking += e.delta.thinking ?? '';
    block.signature += e.delta.signature ?? '';
    block.json += e.delta.partial_json ?? '';
  }
  for (const block of content) if (block.json) block.input = JSON.parse(block.json);
  return fromMessage(message);
}

const ways = {
  create: async (body) => fromMessage(await client.messages.create(body)),
  stream: async (body) => fromEvents(await client.messages.create({ ...body, stream: true })),
  helper: async (body) => fromMessage(await client.messages.stream(body).finalMessage()),
  models: async () => ({ models: (await client.models.list()).data.map((m) => m.id) }),
  count: async (body) => ({ count: (await client.messages.countTokens(body)).input_tokens }),
};

try {
  console.log(JSON.stringify(await ways[how](JSON.parse(request))));
} catch (e) {
  console.log(JSON.stringify({ error: { name: e.constructor.name, status: e.status, type: e.error?.error?.type, message: e.message } }));
}
