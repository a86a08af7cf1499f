// Reads lines "DEFINITION<TAB>JSON" and answers each with one line, "ok" or "fault<TAB>POINTER<TAB>KEYWORD":
// what ajv says by the official v1 schema. `format` is an annotation, as JSON Schema 2020-12 has it.
import { createRequire } from 'node:module';
import readline from 'node:readline';
import { Ajv2020 } from 'ajv/dist/2020.js';

const schema = createRequire(import.meta.url)('@agentclientprotocol/sdk/schema/v1/schema.json');
const ajv = new Ajv2020({ strict: false, strictNumbers: true, validateFormats: false, logger: false });
ajv.addSchema(schema, 'acp');

function verdict(line) {
  const tab = line.indexOf('\t');
  const validate = ajv.getSchema(`acp#/$defs/${line.slice(0, tab)}`);
  if (!validate) return 'error\tno such definition';
  if (validate(JSON.parse(line.slice(tab + 1)))) return 'ok';
  const [first] = validate.errors;
  return `fault\t${first.instancePath}\t${first.keyword}`;
}

for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) console.log(verdict(line));
