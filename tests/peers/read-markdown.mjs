// What a GFM parser makes of the text on stdin: its tokens, flat, as one line of JSON: [{"type", "text", "depth"?, "rows"?}].
import { lexer, walkTokens } from 'marked';
import { text } from 'node:stream/consumers';
import { print } from './peer.mjs';

const found = [];
walkTokens(lexer(await text(process.stdin), { gfm: true }), ({ type, text: content, depth, rows, href }) =>
  found.push({ type, text: content, depth, href, rows: rows?.map((row) => row.map((cell) => cell.text)) }));
print(found);
