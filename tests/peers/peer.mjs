// What the client scripts share: the agent as a child process, and a report of what happened as one line of JSON.
import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';

/** The agent that the command line names: node CLIENT.mjs CWD COMMAND ARGS... */
export function spawnAgent() {
  const [cwd, command, ...args] = process.argv.slice(2);
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise((resolve, reject) => {
    child.on('exit', (code, signal) => resolve({ code, signal }));
    child.on('error', reject);
  });
  return { cwd, child, exited, input: Writable.toWeb(child.stdin), output: Readable.toWeb(child.stdout) };
}

/** Collects the agent's text by turn; a turn may name what to do at its first text. */
export class Turns {
  turns = [];

  begin(onFirstText) {
    this.turns.push({ text: '', onFirstText });
  }

  update(update) {
    const turn = this.turns.at(-1);
    if (update.sessionUpdate !== 'agent_message_chunk' || !turn) return;
    turn.text += update.content.text;
    turn.onFirstText?.();
    turn.onFirstText = undefined;
  }

  end(stopReason) {
    this.turns.at(-1).stopReason = stopReason;
  }

  report() {
    return this.turns.map(({ text, stopReason }) => ({ text, stopReason }));
  }
}

export const print = report => console.log(JSON.stringify(report));
