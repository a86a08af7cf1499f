// Checks the JSON on stdin against the schema in a file: check-json.mjs SCHEMA. Prints ajv's errors as one line of JSON.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { print } from './peer.mjs';

const validate = new Ajv2020({ strict: true, allErrors: true }).compile(JSON.parse(readFileSync(process.argv[2], 'utf8')));
print(validate(JSON.parse(await text(process.stdin))) ? [] : validate.errors);
