// An editor as the official SDK makes one: files come from its buffers, some not saved yet, commands run in its terminals,
// and it asks its user about each change. Prints what happened, in order: node sdk24-editor.mjs CWD AGENT ARGS...
// From the environment: EDITOR_BUFFERS ({"path": "text"}), EDITOR_PROMPT, EDITOR_SERVERS (a list of MCP servers).
import * as acp from '@agentclientprotocol/sdk';
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { print, spawnAgent } from './peer.mjs';

const agent = spawnAgent();
const buffers = new Map(Object.entries(JSON.parse(process.env.EDITOR_BUFFERS ?? '{}')).map(([name, text]) => [join(agent.cwd, name), text]));
const terminals = new Map();
const seen = [];
const note = (who, what) => seen.push([who, what]);
const short = path => relative(agent.cwd, path) || '.';

async function read({ path, line, limit }) {
  const unsaved = buffers.has(path);
  const text = unsaved ? buffers.get(path) : await readFile(path, 'utf8');
  note('editor', `gives ${short(path)}${unsaved ? ', which is not saved' : ''}`);
  const lines = text.split('\n');
  return { content: line || limit ? lines.slice((line ?? 1) - 1, limit ? (line ?? 1) - 1 + limit : undefined).join('\n') : text };
}

async function write({ path, content }) {
  note('editor', `takes ${short(path)} and saves it`);
  buffers.delete(path);
  await writeFile(path, content);
  return {};
}

function create({ command, args = [], cwd, env = [] }) {
  const id = `t${terminals.size + 1}`;
  note('editor', `opens terminal ${id}: ${[command, ...args].join(' ')}`);
  const child = spawn(command, args, { cwd: cwd ?? agent.cwd, env: { ...process.env, ...Object.fromEntries(env.map(e => [e.name, e.value])) } });
  const terminal = { output: '', child, exit: null };
  terminal.done = new Promise(resolve => child.on('close', (exitCode, signal) => resolve((terminal.exit = { exitCode, signal }))));
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', text => { terminal.output += text; });
  terminals.set(id, terminal);
  return { terminalId: id };
}

async function wait({ terminalId }) {
  const exit = await terminals.get(terminalId).done;
  note('editor', `terminal ${terminalId} ended with ${exit.exitCode ?? exit.signal}`);
  return exit;
}

const output = ({ terminalId }) => {
  const { output: text, exit } = terminals.get(terminalId);
  return { output: text, truncated: false, ...(exit ? { exitStatus: exit } : {}) };
};
const kill = ({ terminalId }) => (terminals.get(terminalId).child.kill('SIGKILL'), {});
const release = ({ terminalId }) => (note('editor', `closes terminal ${terminalId}`), {});

function permit({ toolCall, options }) {
  const chosen = options.find(o => o.kind === 'allow_once');
  note('user', `is asked "${toolCall.title}" and says "${chosen.name}"`);
  return { outcome: { outcome: 'selected', optionId: chosen.optionId } };
}

const methods = acp.methods.client;
const handle = f => ({ params }) => f(params);
const app = acp.client({ name: 'sdk24-editor' })
  .onRequest(methods.session.requestPermission, handle(permit))
  .onRequest(methods.fs.readTextFile, handle(read))
  .onRequest(methods.fs.writeTextFile, handle(write))
  .onRequest(methods.terminal.create, handle(create))
  .onRequest(methods.terminal.waitForExit, handle(wait))
  .onRequest(methods.terminal.output, handle(output))
  .onRequest(methods.terminal.kill, handle(kill))
  .onRequest(methods.terminal.release, handle(release));

function show(update) {
  const last = seen.at(-1);
  if (update.sessionUpdate === 'agent_message_chunk') {
    if (last?.[0] === 'agent') last[1] += update.content.text;
    else note('agent', update.content.text);
  } else if (update.sessionUpdate === 'plan') {
    note('plan', update.entries.map(e => `[${e.status}] ${e.content}`).join('; '));
  } else if (update.sessionUpdate === 'tool_call') {
    note('tool', `${update.title} (${update.kind}): ${update.status}`);
  } else if (update.sessionUpdate === 'tool_call_update' && ['completed', 'failed'].includes(update.status)) {
    const diff = update.content?.find(c => c.type === 'diff');
    const image = update.content?.find(c => c.content?.type === 'image');
    note('tool', `${update.status}${image ? `, an image (${image.content.mimeType})` : ''}${diff ? `, a diff of ${short(diff.path)}` : ''}`);
  }
}

async function talk(context) {
  await context.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
    clientInfo: { name: 'sdk24-editor', version: '1.0.0' },
  });
  const servers = JSON.parse(process.env.EDITOR_SERVERS ?? '[]');
  const session = await servers.reduce((built, server) => built.withMcpServer(server), context.buildSession(agent.cwd)).start();
  note('user', process.env.EDITOR_PROMPT);
  const answered = session.prompt(process.env.EDITOR_PROMPT);
  for (let message = await session.nextUpdate(); message.kind !== 'stop'; message = await session.nextUpdate()) show(message.update);
  const { stopReason } = await answered;
  session.dispose();
  agent.child.stdin.end();
  return stopReason;
}

const stopReason = await app.connectWith(acp.ndJsonStream(agent.input, agent.output), talk);
print({ stopReason, seen, outputs: [...terminals.values()].map(t => t.output), unsaved: [...buffers.keys()].map(short), exit: await agent.exited });
