import { expect, test } from "vitest";
import { headerValueKind, keysKind, tokensKind } from "./header-value.ts";
import { hostKind } from "./host.ts";
import { createTextKind, createValueKind, InvalidValue, type Kind } from "./kind.ts";
import { createListKind } from "./list.ts";
import { booleanKind, createChoiceKind, createIntegerKind, textKind } from "./scalar.ts";

const portKind = createIntegerKind({ min: 1, max: 10, of: "things" });
const wordsKind = createListKind({
  of: "words",
  parseEntry: (text) => (/^\w+$/.test(text) ? text : new InvalidValue("is no word")),
});
const secretsKind = createListKind({
  of: "secrets",
  secret: true,
  atLeastOne: true,
  parseEntry: (text) => (text === "bad" ? new InvalidValue() : text),
});

const read = (kind: Kind<unknown>, given: unknown, from: "text" | "value"): unknown => {
  const value = from === "text" ? kind.fromText(String(given)) : kind.fromValue(given);
  return value instanceof InvalidValue ? `flaw: ${value.detail ?? "none"}` : value;
};

test.each([
  [portKind, "10", 10],
  [portKind, "11", "flaw: none"],
  [portKind, "1e1", "flaw: none"],
  [portKind, "-1", "flaw: none"],
  [booleanKind, "TRUE", true],
  [booleanKind, "0", false],
  [booleanKind, "no", "flaw: none"],
  [createChoiceKind(["red", "green"]), "Red", "red"],
  [createChoiceKind(["red", "green"]), "blue", "flaw: none"],
  [textKind, "a\tb", "flaw: none"],
  [hostKind, "::1", "::1"],
  [hostKind, "flags.example.com", "flags.example.com"],
  [hostKind, "http://flags", "flaw: none"],
  [headerValueKind, "Bearer abc", "Bearer abc"],
  [headerValueKind, "schlüssel", "flaw: none"],
  [keysKind, "", "flaw: it is empty"],
  [keysKind, "a,é", "flaw: entry 2 has a character that cannot be sent in a header"],
  [tokensKind, "", []],
  [wordsKind, " a ,, b,a", ["a", "b"]],
  [wordsKind, "a,b c", 'flaw: entry "b c" is no word'],
  [secretsKind, "good,bad", "flaw: entry 2 is none"],
  [secretsKind, " , ", "flaw: it is empty"],
  [createValueKind("a thing", (value) => value), "text", "flaw: none"],
])("a variable: %o reads %j as %j", (kind, text, expected) => {
  expect(read(kind, text, "text")).toEqual(expected);
});

test.each([
  [portKind, 3, 3],
  [portKind, "3", "flaw: none"],
  [portKind, 2.5, "flaw: none"],
  [booleanKind, false, false],
  [booleanKind, 0, "flaw: none"],
  [createTextKind("text", (text) => text), " a ", "a"],
  [createTextKind("text", (text) => text), 1, "flaw: none"],
  [wordsKind, ["a", "b"], ["a", "b"]],
  [wordsKind, "a,b", ["a", "b"]],
  [wordsKind, ["a", 1], "flaw: none"],
  [createValueKind("a thing", (value) => value), 7, 7],
])("an option: %o reads %j as %j", (kind, value, expected) => {
  expect(read(kind, value, "value")).toEqual(expected);
});
