// What a TAP 14 parser makes of the text on stdin: one line of JSON.
import { Parser } from 'tap-parser';
import { print } from './peer.mjs';

const points = [];
const strange = [];
const parser = new Parser({ strict: true }, ({ ok, count, pass, fail, skip, bailout, failures }) =>
  print({ ok, count, pass, fail, skip, bailout, points, strange, faults: failures.filter((f) => f.tapError).map((f) => f.tapError) }));
parser.on('assert', ({ ok, id, name, skip, diag }) => points.push({ ok, id, name, skip, diag }));
parser.on('extra', (text) => strange.push(text));
process.stdin.pipe(parser);
