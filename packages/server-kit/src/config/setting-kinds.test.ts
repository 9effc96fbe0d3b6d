import { expect, test } from "vitest";
import {
  booleanKind,
  createChoiceKind,
  createIntegerKind,
  createTextKind,
  headerValueKind,
  InvalidValue,
  type SettingKind,
  textKind,
  createListKind,
  keysKind,
  rejectLateAt,
  toHttpUrl,
  tokensKind,
} from "./setting-kinds.ts";
import { hostKind } from "./host-kinds.ts";

const portKind = createIntegerKind({ min: 1, max: 10, of: "things" });
const wordsKind = createListKind({
  of: "words",
  parseEntry: (text) => (/^\w+$/.test(text) ? text : new InvalidValue("is not a word")),
});
const secretsKind = createListKind({
  of: "secrets",
  secret: true,
  atLeastOne: true,
  parseEntry: (text) => (text === "bad" ? new InvalidValue() : text),
});

const read = (kind: SettingKind<unknown>, given: unknown): unknown => {
  const value = kind.parse(given);
  return value instanceof InvalidValue ? `invalid: ${value.detail ?? "none"}` : value;
};

test.each([
  [portKind, "10", 10],
  [portKind, "11", "invalid: none"],
  [portKind, "1e1", "invalid: none"],
  [portKind, "-1", "invalid: none"],
  [booleanKind, "TRUE", true],
  [booleanKind, "0", false],
  [booleanKind, "no", "invalid: none"],
  [createChoiceKind(["red", "green"]), "Red", "red"],
  [createChoiceKind(["red", "green"]), "blue", "invalid: none"],
  [textKind, "a\tb", "invalid: none"],
  [hostKind, "::1", "::1"],
  [hostKind, "flags.example.com", "flags.example.com"],
  [hostKind, "http://flags", "invalid: none"],
  [headerValueKind, "Bearer abc", "Bearer abc"],
  [headerValueKind, "schlüssel", "invalid: none"],
  [keysKind, "", "invalid: it is empty"],
  [keysKind, "a,é", "invalid: entry 2 has a character that cannot be sent in a header"],
  [tokensKind, "", []],
  [wordsKind, " a ,, b,a", ["a", "b"]],
  [wordsKind, "a,b c", 'invalid: entry "b c" is not a word'],
  [secretsKind, "good,bad", "invalid: entry 2 is not valid"],
  [secretsKind, " , ", "invalid: it is empty"],
  [portKind, 3, 3],
  [portKind, 2.5, "invalid: none"],
  [booleanKind, false, false],
  [booleanKind, 0, "invalid: none"],
  [createTextKind("text", (text) => text), 1, "invalid: none"],
  [wordsKind, ["a", "b"], ["a", "b"]],
  [wordsKind, "a,b", ["a", "b"]],
  [wordsKind, ["a", 1], "invalid: none"],
])("parse() of %o parses %j as %j", (kind, value, expected) => {
  expect(read(kind, value)).toEqual(expected);
});

test.each([
  ["postgres://user:1234/abcd@host/name", true],
  ["postgres://user:12?34@host/name", true],
  ["https://user:12#34@host", true],
  ["https://user:12\\34@host", true],
  ["https://host/@scope", true],
  ["https://user:pass@word@host/path", false],
  ["https://host/%40scope", false],
  ["file:///srv/@flags", false],
  ["an@address", false],
])("rejectLateAt() rejects %s: %s, without showing it", (text, isRejected) => {
  const rejected = rejectLateAt(text);
  expect(rejected instanceof InvalidValue).toBe(isRejected);
  expect(rejected?.detail ?? "").not.toMatch(/12|abcd|scope/);
  if (isRejected) expect(toHttpUrl(text)).toBeUndefined();
});
