// The official SDK's second generation: a client app, sessions as objects with a queue of updates. One turn that ends
// by itself, one that is cancelled at its first text.
import * as acp from '@agentclientprotocol/sdk';
import { Turns, print, spawnAgent } from './peer.mjs';

const agent = spawnAgent();
const turns = new Turns();
const app = acp.client({ name: 'sdk24-client' })
  .onRequest(acp.methods.client.session.requestPermission, () => ({ outcome: { outcome: 'cancelled' } }));

async function take(session, text, onFirstText) {
  turns.begin(onFirstText);
  const answered = session.prompt(text);
  for (let message = await session.nextUpdate(); message.kind !== 'stop'; message = await session.nextUpdate()) turns.update(message.update);
  turns.end((await answered).stopReason);
}

async function talk(context) {
  const { protocolVersion, agentInfo } = await context.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: {},
    clientInfo: { name: 'sdk24-client', version: '1.0.0' },
  });
  const session = await context.buildSession(agent.cwd).start();
  await take(session, 'Say hello');
  await take(session, 'Talk until I stop you', () => context.notify(acp.methods.agent.session.cancel, { sessionId: session.sessionId }));
  session.dispose();
  agent.child.stdin.end();
  return { protocolVersion, agentInfo };
}

const met = await app.connectWith(acp.ndJsonStream(agent.input, agent.output), talk);
print({ ...met, turns: turns.report(), exit: await agent.exited });
