// The official SDK's second generation drives sessions that last, by the names of the methods.
import * as acp from '@agentclientprotocol/sdk';
import { spawnAgent } from './peer.mjs';
import { live } from './sessions.mjs';

const methods = {
  newSession: 'session/new', prompt: 'session/prompt', listSessions: 'session/list', loadSession: 'session/load',
  forkSession: 'session/fork', closeSession: 'session/close', resumeSession: 'session/resume',
};

await live(async (onUpdate, talk) => {
  const agent = spawnAgent();
  const app = acp.client({ name: 'sdk24-sessions' })
    .onNotification(acp.methods.client.session.update, ({ params }) => onUpdate(params.update));
  await app.connectWith(acp.ndJsonStream(agent.input, agent.output), async context => {
    await context.request(acp.methods.agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });
    await talk({ cwd: agent.cwd, request: (name, params) => context.request(methods[name], params) });
    agent.child.stdin.end();
  });
  await agent.exited;
});
