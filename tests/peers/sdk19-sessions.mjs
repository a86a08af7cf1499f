// The official SDK's first generation drives sessions that last.
import { ClientSideConnection, PROTOCOL_VERSION, ndJsonStream } from 'sdk19';
import { spawnAgent } from './peer.mjs';
import { live } from './sessions.mjs';

const names = { forkSession: 'unstable_forkSession' };

await live(async (onUpdate, talk) => {
  const agent = spawnAgent();
  const handlers = {
    async sessionUpdate({ update }) { onUpdate(update); },
    async requestPermission() { return { outcome: { outcome: 'cancelled' } }; },
  };
  const connection = new ClientSideConnection(() => handlers, ndJsonStream(agent.input, agent.output));
  await connection.initialize({ protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
  await talk({ cwd: agent.cwd, request: (name, params) => connection[names[name] ?? name](params) });
  agent.child.stdin.end();
  await agent.exited;
});
