// Calls the Responses API as the official client does. Arguments: base URL, how (create, stream or helper),
// request as JSON. Prints what the client made of the answer as one JSON object.
import OpenAI from 'openai';

const [baseURL, how, request] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey: 'mock-key', maxRetries: 0, logLevel: 'off' });

function fromResponse(response) {
  const { output, usage, status, incomplete_details } = response;
  if (status === 'failed') throw Object.assign(new Error(response.error.message), { code: response.error.code });
  const of = (type) => output.filter((item) => item.type === type);
  return {
    text: of('message').flatMap((m) => m.content).map((part) => part.text).join(''),
    thought: of('reasoning').flatMap((r) => r.summary).map((part) => part.text).join(''),
    signature: of('reasoning').map((r) => r.encrypted_content).join(''),
    calls: of('function_call').map((c) => ({ id: c.call_id, name: c.name, args: c.arguments })),
    finish: incomplete_details?.reason ?? status, usage,
  };
}

// Joins the deltas by hand, and compares with what the last event repeats.
async function fromEvents(stream) {
  const seen = { text: '', thought: '', args: {} };
  let last = null, expected = 0;
  for await (const e of stream) {
    if (e.sequence_number !== expected++) throw new Error(`event ${e.sequence_number} comes out of order`);
    if (e.type === 'response.output_text.delta') seen.text += e.delta;
    if (e.type === 'response.reasoning_summary_text.delta') seen.thought += e.delta;
    if (e.type === 'response.function_call_arguments.delta') seen.args[e.item_id] = (seen.args[e.item_id] ?? '') + e.delta;
    if (e.type === 'response.function_call_arguments.done' && seen.args[e.item_id] !== e.arguments) throw new Error('arguments differ');
    if (e.response) last = e.response;
  }
  if (last.status === 'in_progress') return { finish: null };
  const found = fromResponse(last);
  if (found.text !== seen.text || found.thought !== seen.thought) throw new Error('the deltas are not the whole');
  return found;
}

const ways = {
  create: async (body) => fromResponse(await client.responses.create(body)),
  stream: async (body) => fromEvents(await client.responses.create({ ...body, stream: true })),
  helper: async (body) => fromResponse(await client.responses.stream(body).finalResponse()),
  models: async () => ({ models: (await client.models.list()).data.map((m) => m.id) }),
};

try {
  console.log(JSON.stringify(await ways[how](JSON.parse(request))));
} catch (e) {
  console.log(JSON.stringify({ error: { name: e.constructor.name, status: e.status, code: e.code, type: e.type, message: e.message } }));
}
