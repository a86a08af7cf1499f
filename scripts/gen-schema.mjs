#!/usr/bin/env node
// Compiles the official v1 JSON Schema into the tables of lib/acp/schema.h.
//   node scripts/gen-schema.mjs           writes lib/acp/schema_v1.inc
//   node scripts/gen-schema.mjs --check   says whether it is up to date (exit 1 if not, 77 without the npm package)
//   node scripts/gen-schema.mjs --print   writes the table to stdout
// Only what decides a verdict is kept: names, types, bounds and structure, no prose.
// A keyword this script does not know is an error: it could change verdicts.
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
const packageDir = new URL('tests/peers/node_modules/@agentclientprotocol/sdk/', root);
const target = fileURLToPath(new URL('lib/acp/schema_v1.inc', root));

const TYPES = { null: 1, boolean: 2, integer: 4, number: 8, string: 16, array: 32, object: 64 };
const ANNOTATIONS = new Set(['$schema', 'title', 'description', 'default', 'format', 'deprecated', 'examples', 'discriminator']);
const KNOWN = new Set(['type', 'properties', 'required', 'items', 'additionalProperties', 'unevaluatedProperties', 'const', 'enum',
  'anyOf', 'oneOf', 'allOf', 'not', 'minimum', 'maximum', 'minLength', '$ref']);
const REF = '#/$defs/';

const isAnnotation = key => ANNOTATIONS.has(key) || key.startsWith('x-');

/** The schema without annotations; refuses what this script does not understand. */
function essence(schema, where) {
  if (schema === true) return {};
  if (!schema || typeof schema !== 'object') throw new Error(`${where}: a schema that is ${JSON.stringify(schema)}`);
  const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => !isAnnotation(key)));
  const odd = Object.keys(kept).find(key => !KNOWN.has(key));
  if (odd) throw new Error(`${where}: unknown keyword ${odd}`);
  if (kept.unevaluatedProperties === true) {
    delete kept.unevaluatedProperties; // refuses nothing, but names every member
    kept.additionalProperties ??= true;
  }
  if (kept.unevaluatedProperties !== undefined) throw new Error(`${where}: unevaluatedProperties`);
  return kept;
}

const keysOf = schema => Object.keys(schema).sort().join(' ');
const isTextConst = schema => keysOf(schema) === 'const type' && schema.type === 'string' && typeof schema.const === 'string';

/** anyOf without the branches that another branch contains: {type: T, const: C} beside {type: T}. */
function withoutContained(branches) {
  const whole = new Set(branches.filter(b => keysOf(b) === 'type').map(b => JSON.stringify(b.type)));
  return branches.filter(b => !(keysOf(b) === 'const type' && whole.has(JSON.stringify(b.type))));
}

class Compiler {
  constructor(schema) {
    this.defs = Object.keys(schema.$defs);
    this.nodes = [emptyNode()]; // node 0 accepts anything; definition i is node i + 1
    this.known = new Map(); // canonical text of an anonymous node -> its index
    this.defs.forEach(() => this.nodes.push(null));
    this.defs.forEach((name, i) => { this.nodes[i + 1] = this.build(schema.$defs[name], name); });
  }

  ref(text, where) {
    const i = text.startsWith(REF) ? this.defs.indexOf(text.slice(REF.length)) : -1;
    if (i < 0) throw new Error(`${where}: cannot resolve ${text}`);
    return i + 1;
  }

  /** Index of the node for a schema that stands inside another one. */
  index(schema, where) {
    if (Object.keys(essence(schema, where)).length === 0) return 0;
    const node = this.build(schema, where);
    const rest = { ...node, all: [] };
    if (node.all.length === 1 && JSON.stringify(rest) === EMPTY) return node.all[0];
    const text = JSON.stringify(node);
    if (text === EMPTY) return 0;
    if (!this.known.has(text)) {
      this.known.set(text, this.nodes.length);
      this.nodes.push(node);
    }
    return this.known.get(text);
  }

  build(schema, where) {
    const s = essence(schema, where);
    const node = emptyNode();
    for (const t of [s.type ?? []].flat()) node.types |= TYPES[t] ?? fail(`${where}: type ${t}`);
    if (s.const !== undefined) node.enum = [s.const];
    if (s.enum) node.enum = s.enum;
    if (s.$ref) node.all.push(this.ref(s.$ref, where));
    for (const [i, sub] of (s.allOf ?? []).entries()) node.all.push(this.index(sub, `${where}.allOf[${i}]`));
    this.members(node, s, where);
    this.union(node, s.anyOf, 'any', where);
    this.union(node, s.oneOf, 'one', where);
    if (s.items) node.items = this.index(s.items, `${where}.items`);
    if (s.not) node.not = this.index(s.not, `${where}.not`) || fail(`${where}: not {}`);
    for (const key of ['minimum', 'maximum', 'minLength']) if (s[key] !== undefined) node[key] = s[key];
    if (node.enum.some(v => typeof v !== 'string')) throw new Error(`${where}: a constant that is no string`);
    return node;
  }

  members(node, s, where) {
    const required = new Set(s.required ?? []);
    const names = [...new Set([...Object.keys(s.properties ?? {}), ...required])];
    node.props = names.map(name => [name, this.index(s.properties?.[name] ?? true, `${where}.${name}`), required.has(name)]);
    const more = s.additionalProperties;
    if (more === false) throw new Error(`${where}: additionalProperties false`);
    node.open = more !== undefined;
    node.map = this.index(more ?? true, `${where}.*`);
  }

  union(node, branches, kind, where) {
    if (!branches) return;
    let list = branches.map((b, i) => essence(b, `${where}.${kind}Of[${i}]`));
    if (list.every(isTextConst)) {
      if (node.enum.length || new Set(list.map(b => b.const)).size !== list.length) throw new Error(`${where}: doubled constants`);
      node.types ||= TYPES.string;
      node.enum = list.map(b => b.const);
      return;
    }
    if (kind === 'any') list = withoutContained(list);
    node[kind] = list.map((b, i) => this.index(b, `${where}.${kind}Of[${i}]`));
    if (list.length === 1) node.all.push(...node[kind].splice(0));
  }
}

function emptyNode() {
  return { types: 0, enum: [], props: [], map: 0, open: false, items: 0, all: [], any: [], one: [], not: 0 };
}
const EMPTY = JSON.stringify(emptyNode());

function fail(text) {
  throw new Error(text);
}

/** The C code recurses along the schema, never along the data: that is bounded only without cycles. */
function depthOf(nodes) {
  const depth = new Map();
  const visit = i => {
    if (depth.get(i) === 'open') throw new Error('the schema refers to itself: lib/acp/check.c needs a depth bound');
    if (depth.has(i)) return depth.get(i);
    depth.set(i, 'open');
    const n = nodes[i];
    const below = [...n.props.map(p => p[1]), n.map, n.items, n.not, ...n.all, ...n.any, ...n.one].filter(x => x);
    depth.set(i, 1 + Math.max(0, ...below.map(visit)));
    return depth.get(i);
  };
  return Math.max(...nodes.map((_, i) => visit(i)));
}

/** How many nodes can apply to one object at most (struct cover of check_unknown.c). */
function coverOf(nodes) {
  const count = i => {
    const n = nodes[i];
    const sum = list => list.reduce((total, x) => total + count(x), 0);
    return 1 + sum(n.all) + sum(n.any) + Math.max(0, ...n.one.map(count));
  };
  return Math.max(...nodes.map((_, i) => count(i)));
}

/** {method, side} -> definitions of params and result. */
function methodsOf(schema, defs) {
  const methods = new Map();
  for (const [i, name] of defs.entries()) {
    const { 'x-method': method, 'x-side': side } = schema.$defs[name];
    if (!method) continue;
    const key = `${side} ${method}`;
    const entry = methods.get(key) ?? { method, side, params: -1, result: -1, notification: false };
    if (name.endsWith('Response')) entry.result = i;
    else if (/(Request|Notification)$/.test(name)) Object.assign(entry, { params: i, notification: name.endsWith('Notification') });
    else throw new Error(`${name}: neither params nor result`);
    methods.set(key, entry);
  }
  return [...methods.values()].sort((a, b) => (a.method < b.method ? -1 : a.method > b.method ? 1 : 0));
}

/** Consecutive runs of one flat array; equal runs are stored once. */
class Pool {
  items = [];
  starts = new Map();
  add(run) {
    if (!run.length) return 0;
    const key = JSON.stringify(run);
    if (!this.starts.has(key)) {
      this.starts.set(key, this.items.length);
      this.items.push(...run);
    }
    return this.starts.get(key);
  }
}

const quote = text => JSON.stringify(text);

function nodeText(n, pools) {
  const fields = [];
  const put = (name, value) => { if (value) fields.push(`.${name} = ${value}`); };
  const run = (name, list, pool) => {
    const at = pool.add(list);
    if (list.length > 255) throw new Error('a list longer than 255');
    if (list.length) fields.push(`.${name} = {${at}, ${list.length}}`);
  };
  put('types', n.types);
  run('texts', n.enum, pools.texts);
  run('props', n.props, pools.props);
  run('all', n.all, pools.lists);
  run('any', n.any, pools.lists);
  run('one', n.one, pools.lists);
  put('open', n.open ? 1 : 0);
  for (const key of ['map', 'items', 'not']) put(key, n[key]);
  if (n.minimum !== undefined) fields.push('.has_minimum = 1', `.minimum = ${n.minimum}`);
  if (n.maximum !== undefined) fields.push('.has_maximum = 1', `.maximum = ${n.maximum}`);
  put('min_length', n.minLength);
  return `    {${fields.join(', ') || '0'}},`;
}

const SIDES = { agent: 'SCHEMA_AGENT', client: 'SCHEMA_CLIENT', protocol: 'SCHEMA_BOTH' };

function render(schema, version) {
  const c = new Compiler(schema);
  const pools = { texts: new Pool(), props: new Pool(), lists: new Pool() };
  const depth = depthOf(c.nodes);
  const nodes = c.nodes.map((n, i) => nodeText(n, pools) + (i && i <= c.defs.length ? ` /* ${i} ${c.defs[i - 1]} */` : ` /* ${i} */`));
  const methods = methodsOf(schema, c.defs).map(m => `    {${quote(m.method)}, ${SIDES[m.side]}, ${m.notification ? 1 : 0}, ${m.params}, ${m.result}},`);
  const array = (type, name, lines) => `static const ${type} v1_${name}[] = {\n${lines.join('\n')}\n};\n`;
  return [
    `/* Generated by scripts/gen-schema.mjs from @agentclientprotocol/sdk ${version} (v1, stable). Do not edit. */`,
    `enum { V1_DEPTH = ${depth}, V1_COVER = ${coverOf(c.nodes)} };\n`,
    array('char *const', 'defs', c.defs.map(d => `    ${quote(d)},`)),
    array('char *const', 'texts', pools.texts.items.map(t => `    ${quote(t)},`)),
    array('uint16_t', 'lists', chunk(pools.lists.items, 16).map(l => `    ${l.join(', ')},`)),
    array('struct schema_prop', 'props', pools.props.items.map(([name, node, required]) => `    {${quote(name)}, ${node}, ${required ? 1 : 0}},`)),
    array('struct schema_node', 'nodes', nodes),
    array('struct schema_method', 'methods', methods),
  ].join('\n');
}

function chunk(list, size) {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
}

function main(flag) {
  const file = new URL('schema/v1/schema.json', packageDir);
  if (!fs.existsSync(file)) {
    console.error('gen-schema: the npm package is not installed; run: npm ci --prefix tests/peers');
    return 77;
  }
  const { version } = JSON.parse(fs.readFileSync(new URL('package.json', packageDir), 'utf8'));
  const text = render(JSON.parse(fs.readFileSync(file, 'utf8')), version);
  if (flag === '--print') process.stdout.write(text);
  else if (flag !== '--check') fs.writeFileSync(target, text);
  else if (fs.readFileSync(target, 'utf8') !== text) {
    console.error('gen-schema: lib/acp/schema_v1.inc differs from what the npm package gives; run: node scripts/gen-schema.mjs');
    return 1;
  }
  return 0;
}

process.exitCode = main(process.argv[2]);
