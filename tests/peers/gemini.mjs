// Calls generateContent as the official client does. Arguments: base URL, how (create or stream), request as JSON.
// Prints what the client made of the answer as one JSON object.
import { GoogleGenAI } from '@google/genai';

const [baseUrl, how, request] = process.argv.slice(2);
const client = new GoogleGenAI({ apiKey: 'mock-key', httpOptions: { baseUrl } });

function add(seen, { candidates, usageMetadata }) {
  if (usageMetadata) seen.usage = usageMetadata;
  const candidate = candidates?.[0];
  if (candidate?.finishReason) seen.finish = candidate.finishReason;
  for (const part of candidate?.content?.parts ?? []) {
    if (part.text !== undefined) seen[part.thought ? 'thought' : 'text'] += part.text;
    if (part.thoughtSignature) seen.signature = part.thoughtSignature;
    if (part.functionCall) {
      const { id, name, args } = part.functionCall;
      seen.calls.push({ id, name, args: JSON.stringify(args) });
    }
  }
  return seen;
}

const nothing = () => ({ text: '', thought: '', calls: [], finish: null, usage: null });

const ways = {
  create: async (body) => add(nothing(), await client.models.generateContent(body)),
  stream: async (body) => {
    const seen = nothing();
    for await (const chunk of await client.models.generateContentStream(body)) add(seen, chunk);
    return seen;
  },
  models: async () => {
    const models = [];
    for await (const m of await client.models.list()) models.push(m.name.replace('models/', ''));
    return { models };
  },
  count: async (body) => ({ count: (await client.models.countTokens(body)).totalTokens }),
};

try {
  console.log(JSON.stringify(await ways[how](JSON.parse(request))));
} catch (e) {
  console.log(JSON.stringify({ error: { name: e.constructor.name, status: e.status, message: e.message } }));
}
