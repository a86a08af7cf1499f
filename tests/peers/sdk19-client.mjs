// The official SDK's first generation, ClientSideConnection, used as the tinycode guide shows it: a session is made
// from its working directory alone. One turn that ends by itself, one that is cancelled at its first text.
import { ClientSideConnection, PROTOCOL_VERSION, ndJsonStream } from 'sdk19';
import { Turns, print, spawnAgent } from './peer.mjs';

const agent = spawnAgent();
const turns = new Turns();
const handlers = {
  async sessionUpdate({ update }) { turns.update(update); },
  async requestPermission() { return { outcome: { outcome: 'cancelled' } }; },
};
const connection = new ClientSideConnection(() => handlers, ndJsonStream(agent.input, agent.output));

const { protocolVersion, agentInfo } = await connection.initialize({
  protocolVersion: PROTOCOL_VERSION,
  clientCapabilities: {},
  clientInfo: { name: 'sdk19-client', version: '1.0.0' },
});
const { sessionId } = await connection.newSession({ cwd: agent.cwd });

async function prompt(text, onFirstText) {
  turns.begin(onFirstText);
  const { stopReason } = await connection.prompt({ sessionId, prompt: [{ type: 'text', text }] });
  turns.end(stopReason);
}
await prompt('Say hello');
await prompt('Talk until I stop you', () => connection.cancel({ sessionId }));

agent.child.stdin.end();
print({ protocolVersion, agentInfo, turns: turns.report(), exit: await agent.exited });
