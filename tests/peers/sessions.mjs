// A session's life in two processes of the agent, said in the words of whichever SDK opens the connections: it is
// prompted and listed in the first, loaded, forked, resumed and closed in the second.
import { print } from './peer.mjs';

const words = updates => updates.filter(u => u.sessionUpdate.endsWith('_message_chunk'))
  .map(u => `${u.sessionUpdate === 'user_message_chunk' ? 'user' : 'agent'}: ${u.content.text}`);

/** connect(onUpdate, talk): starts the agent, calls talk({cwd, request}), and ends it. */
export async function live(connect) {
  const updates = [];
  const report = {};
  const mcpServers = [];
  let sessionId;
  await connect(update => updates.push(update), async ({ cwd, request }) => {
    ({ sessionId } = await request('newSession', { cwd, mcpServers }));
    await request('prompt', { sessionId, prompt: [{ type: 'text', text: 'Say hello' }] });
    report.live = words(updates);
    report.listed = (await request('listSessions', { cwd })).sessions.filter(s => s.sessionId === sessionId).length;
  });
  updates.length = 0;
  await connect(update => updates.push(update), async ({ cwd, request }) => {
    await request('loadSession', { sessionId, cwd, mcpServers });
    report.replayed = words(updates);
    updates.length = 0;
    const fork = await request('forkSession', { sessionId, cwd, mcpServers });
    report.forked = fork.sessionId !== sessionId;
    await request('closeSession', { sessionId });
    await request('resumeSession', { sessionId, cwd, mcpServers });
    report.silent = words(updates);
    report.end = (await request('prompt', { sessionId, prompt: [{ type: 'text', text: 'And again' }] })).stopReason;
    report.after = words(updates);
    report.kept = (await request('listSessions', { cwd })).sessions.length;
  });
  print(report);
}
