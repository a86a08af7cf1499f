"""The official v1 schema as test material: examples made from it, mutations of them, and what of a message is
judged by which definition."""
import json
import re


def load(peers):
    """The schema of the npm package installed below `peers`."""
    file = peers / "node_modules/@agentclientprotocol/sdk/schema/v1/schema.json"
    return json.loads(file.read_text(encoding="utf-8"))


class Raw(str):
    """A piece of JSON text that Python's writer would spell otherwise."""


def dumps(value):
    """One line of JSON; Raw texts stand in it as they are."""
    marked = json.dumps(_mark(value), separators=(",", ":"))
    return re.sub(r'"\\u0001RAW(.*?)\\u0001"', lambda m: json.loads(f'"{m[1]}"'), marked)


def _mark(value):
    if isinstance(value, Raw):
        return f"\x01RAW{value}\x01"
    if isinstance(value, list):
        return [_mark(v) for v in value]
    if isinstance(value, dict):
        return {k: _mark(v) for k, v in value.items()}
    return value


class Examples:
    """Random values that a schema means to allow (not each one is valid: the validators say)."""

    TEXTS = ["", "a", "/tmp/a", "é✓😀", "a\"b\\c\n\t", "end_turn", "text", "\x00", "x" * 50]
    NUMBERS = [0, 1, 7, 65535, 65536, 4294967296, -1, 9007199254740993]

    def __init__(self, schema, rng):
        self.defs, self.rng = schema["$defs"], rng

    def make(self, name):
        return self._value(self.defs[name], 0)

    def _value(self, schema, depth):
        if not isinstance(schema, dict):
            return self._anything()
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.rng.choice(schema["enum"])
        parts = [self._ref(schema["$ref"], depth)] if "$ref" in schema else []
        parts += [self._value(s, depth) for s in schema.get("allOf", [])]
        for key in ("anyOf", "oneOf"):
            if key in schema:
                parts.append(self._value(self.rng.choice(schema[key]), depth))
        if "type" in schema or "properties" in schema:
            parts.insert(0, self._typed(schema, depth))
        return self._merge(parts) if parts else self._anything()

    def _ref(self, ref, depth):
        return self._value(self.defs[ref.rsplit("/", 1)[1]], depth + 1)

    @staticmethod
    def _merge(parts):
        """What several parts of one schema ask for; the later one is the more special."""
        if all(isinstance(p, dict) for p in parts):
            merged = {}
            for part in reversed(parts):
                merged.update(part)
            return merged
        return parts[-1]

    def _typed(self, schema, depth):
        types = schema.get("type", "object")
        kind = self.rng.choice(types) if isinstance(types, list) else types
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            return [self._value(schema.get("items", {}), depth + 1) for _ in range(self.rng.choice((0, 1, 1, 2)))]
        if kind == "string":
            return self.rng.choice(self.TEXTS)
        if kind == "boolean":
            return self.rng.random() < 0.5
        if kind == "number":
            return self.rng.choice([0.5, -1.25, 1e300, 3])
        return self.rng.choice(self.NUMBERS[:4]) if kind == "integer" else None

    def _object(self, schema, depth):
        required = set(schema.get("required", []))
        wanted = 0.5 if depth < 6 else 0.1
        made = {name: self._value(sub, depth + 1) for name, sub in schema.get("properties", {}).items()
                if name in required or self.rng.random() < wanted}
        more = schema.get("additionalProperties")
        if isinstance(more, dict):
            made.update({f"k{i}": self._value(more, depth + 1) for i in range(self.rng.choice((0, 1, 2)))})
        return made

    def _anything(self):
        return self.rng.choice([None, True, 0, "x", [], {}, {"a": [1, {"b": None}]}])


class Mutations:
    """Small changes at a random place: what senders get wrong, and what they are free to do."""

    ODD = [None, True, False, 0, -1, 1.5, 65536, 4294967296, 2**63, -(2**63) - 1, "", "x", [], {}, [None], {"type": "x"},
           Raw("1.0"), Raw("1e2"), Raw("-0"), Raw("1E400"), Raw("0.1e1"), Raw('"\\ud800"'), Raw('{"a":1,"a":"b"}')]

    def __init__(self, schema, rng):
        self.rng = rng
        self.constants = sorted(set(re.findall(r'"const": "([^"]+)"', json.dumps(schema))))

    def mutate(self, value):
        """A changed deep copy."""
        box = [json.loads(json.dumps(value))]
        holder, key = self.rng.choice(list(self._places(box)))
        change = self.rng.choice([self._odd, self._odd, self._drop, self._drop, self._constant, self._extra, self._extra,
                                  self._rename, self._wrap, self._unwrap, self._move])
        change(box, holder, key)
        return box[0] if box else None

    def _places(self, value):
        for key in (range(len(value)) if isinstance(value, list) else list(value)):
            yield value, key
            if isinstance(value[key], (list, dict)):
                yield from self._places(value[key])

    def _odd(self, _box, holder, key):
        holder[key] = self.rng.choice(self.ODD)

    def _drop(self, box, holder, key):
        if holder is not box:
            del holder[key]

    def _constant(self, box, holder, key):
        texts = [(h, k) for h, k in self._places(box) if isinstance(h[k], str)]
        holder, key = self.rng.choice(texts) if texts else (holder, key)
        holder[key] = self.rng.choice([*self.constants, "no_such_tag"])

    def _extra(self, _box, holder, key):
        inside = holder[key]
        if isinstance(inside, dict):
            inside[self.rng.choice(["extra", "_mine", "_meta", "type", "id", "é"])] = self.rng.choice(self.ODD)
        elif isinstance(inside, list):
            inside.append(self.rng.choice(self.ODD))
        elif isinstance(holder, dict):
            holder["more"] = 1

    def _rename(self, _box, holder, key):
        if isinstance(holder, dict):
            holder[self.rng.choice([key.upper(), key + "s", key[:-1]])] = holder.pop(key)

    def _wrap(self, _box, holder, key):
        holder[key] = [holder[key]] if self.rng.random() < 0.7 else {"value": holder[key]}

    def _unwrap(self, _box, holder, key):
        inside = holder[key]
        if isinstance(inside, list) and inside:
            holder[key] = inside[0]
        elif isinstance(inside, dict) and inside:
            holder[key] = next(iter(inside.values()))

    def _move(self, box, holder, key):
        other, place = self.rng.choice(list(self._places(box)))
        holder[key] = json.loads(json.dumps(other[place], default=str))


class Messages:
    """Which definition judges which part of a message; answers are told by the request they answer."""

    KINDS = {"agent": ("AgentRequest", "AgentNotification", "AgentResponse"),
             "client": ("ClientRequest", "ClientNotification", "ClientResponse")}

    def __init__(self, schema):
        self.params, self.result, self.asked = {}, {}, {}
        for name, definition in schema["$defs"].items():
            method, side = definition.get("x-method"), definition.get("x-side")
            table = self.result if name.endswith("Response") else self.params
            for receiver in ("agent", "client") if side == "protocol" else (side,):
                if method:
                    table[receiver, method] = name

    def parts(self, sender, message):
        """(definition, value) pairs of a message that `sender` ("agent" or "client") sent."""
        request, notification, response = self.KINDS[sender]
        receiver = "client" if sender == "agent" else "agent"
        method, answer_to = message.get("method"), (receiver, json.dumps(message.get("id")))
        if isinstance(method, str):
            yield (request if "id" in message else notification), message
            if "id" in message:
                self.asked[sender, json.dumps(message["id"])] = method
            if (receiver, method) in self.params and "params" in message:
                yield self.params[receiver, method], message["params"]
        elif "result" in message or "error" in message:
            yield response, message
            name = self.result.get((sender, self.asked.get(answer_to)))
            if name and "result" in message:
                yield name, message["result"]
            if "error" in message:
                yield "Error", message["error"]


def messages_of(file):
    """(sender, message) of an NDJSON trace, as acp-conformance --trace and wire taps write it."""
    for line in file.read_text(encoding="utf-8").split("\n"):  # not splitlines: U+2028 ends no line
        if not line:
            continue
        event = json.loads(line)
        sender = event.get("side") or {"a2c": "agent", "c2a": "client"}.get(event.get("dir"))
        message = event.get("message", event.get("msg"))
        if sender in Messages.KINDS and isinstance(message, dict):
            yield sender, message
