import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { AccessFileSchema } from "./access-schema.ts";
import { parseAccessFile } from "./parse-access-file.ts";

const problemsOf = (text: string): readonly string[] => {
  const parsed = parseAccessFile(text);
  return "problems" in parsed ? parsed.problems : [];
};

test("the published JSON Schema is the one that files are checked against", () => {
  const published = new URL("../../schemas/access-file.schema.json", import.meta.url);
  // To update it, write this value to the file.
  expect(JSON.parse(readFileSync(published, "utf8"))).toEqual(
    JSON.parse(JSON.stringify(AccessFileSchema)),
  );
});

test.each(['{"keys": []}', "keys: []", "keys:\n  - name: a\n    key: '*:production.secret'\n"])(
  "parseAccessFile() accepts %j",
  (text) => {
    expect(problemsOf(text)).toEqual([]);
  },
);

test.each([
  ["", "line 1, column 1: the file must be an object"],
  ["keys", "line 1, column 1: the file must be an object"],
  ["{}", "line 1, column 1: the file has no `keys`, which is required"],
  ["keys: [1]", "line 1, column 8: `keys[0]` must be an object"],
  ["keys:\n  - key: a", "line 2, column 5: `keys[0]` has no `name`, which is required"],
  ["keys:\n  - name: a b\n    key: c", "line 2, column 11: `keys[0].name` must consist of"],
  ["keys: []\nkey: []", "line 2, column 6: `key` is unknown: check its spelling"],
  ["keys:\n  - name: a\n    expiresAt: 2027-01-31", "`keys[0].expiresAt` must be a time with a"],
  ["keys:\n  - name: a\n    rate: {perSecond: 0}", "`keys[0].rate.perSecond` must be > 0"],
  ["keys:\n  - name: a\n    origins: [https://a.test/]", "`keys[0].origins[0]` must be an origin"],
  [
    "keys:\n  - name: a\n    signedContext: {hmac: {secret: short}}",
    "line 3, column 36: `keys[0].signedContext.hmac.secret` must be text of at least 32 characters, or a list",
  ],
  [
    "keys:\n  - name: a\n    signedContext: {hmac: {fields: ['a b']}}",
    "`keys[0].signedContext.hmac.fields[0]` must be the name of a field",
  ],
  [
    "keys:\n  - name: a\n    signedContext: {jwt: {algorithms: [none]}}",
    "`keys[0].signedContext.jwt.algorithms[0]` must be one of RS256, RS384",
  ],
  [
    "keys:\n  - name: a\n    signedContext: {jwt: {issuer: 1}}",
    "`keys[0].signedContext.jwt.issuer` must be text or a list of texts",
  ],
  ["keys:\n  - name: a\n    kind: admin", "`keys[0].kind` must be `client` or `server`"],
  ["keys:\n  - name: a\n    key: *:production.secret", "line 3, column 10: begins with `*`"],
  [
    "keys:\n  - name: a\n    name: b",
    "line 3, column 5: is not valid YAML or JSON (duplicate key)",
  ],
  ["keys: []\n---\nkeys: []", "is not valid YAML or JSON (multiple docs)"],
  ['{"keys": [],\n"keys": []}', "line 2, column 1: is not valid YAML or JSON (duplicate key)"],
  ['{"keys": [{"name": "a",\n"kye": "b"}]}', "line 2, column 8: `keys[0].kye` is unknown"],
  ["keys: [", "is not valid YAML or JSON"],
])("parseAccessFile() rejects %j", (text, problem) => {
  expect(problemsOf(text).join("\n")).toContain(problem);
});

test("all problems are reported at once, with their lines", () => {
  const text = "keys:\n  - name: ''\n    kye: a\n  - name: b\n    allFlags: 1\n";
  expect(problemsOf(text)).toEqual([
    expect.stringMatching(/^line 3, column 10: `keys\[0\].kye` is unknown/),
    expect.stringMatching(/^line 2, column 11: `keys\[0\].name` must consist/),
    expect.stringMatching(/^line 5, column 15: `keys\[1\].allFlags` must be true or false/),
  ]);
});

test("JSON and YAML with the same content are the same", () => {
  const content = { keys: [{ name: "a", key: 'c\\":d', projects: ["e:", '"f":'] }] };
  const json = parseAccessFile(JSON.stringify(content));
  const yaml = parseAccessFile(`# a comment\n${JSON.stringify(content)}`);
  expect(json).toMatchObject({ content });
  expect(yaml).toMatchObject({ content });
});

test("problems contain no values of the file", () => {
  const secret = "s3cr3t";
  const damage = fc.record({
    position: fc.nat(),
    text: fc.constantFrom("", "*", "&", "'", "{", ":", "\t", "\u0000"),
  });
  fc.assert(
    fc.property(fc.array(damage, { maxLength: 4 }), (damages) => {
      let text = `keys:\n  - name: web\n    key: ${secret}\n    projects: [a]\n`;
      for (const { position, text: inserted } of damages) {
        const at = position % text.length;
        // The secret itself stays intact, so that it can be found.
        if (text.slice(at - 6, at + 6).includes(secret.slice(0, 1))) continue;
        text = text.slice(0, at) + inserted + text.slice(at);
      }
      expect(problemsOf(text).join("\n")).not.toContain(secret);
    }),
    { numRuns: 500 },
  );
});
