import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fuzzRuns } from "../../../../scripts/test-size.ts";
import { AccessFileSchema } from "./access-schema.ts";
import { parseAccessFile } from "./parse-access-file.ts";
import { FileError } from "../files/read-file.ts";

const problemsOf = async (text: string): Promise<readonly string[]> => {
  try {
    const { problems } = await parseAccessFile(text);
    return problems;
  } catch (error) {
    if (error instanceof FileError) return error.problems;
    throw error;
  }
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
  async (text) => {
    expect(await problemsOf(text)).toEqual([]);
  },
);

test.each([
  ["", "line 1, column 1: the file must be an object"],
  ["keys", "line 1, column 1: the file must be an object"],
  ["{}", "line 1, column 1: `keys` is required"],
  ["keys: [1]", "line 1, column 8: `keys[0]` must be an object"],
  ["keys:\n  - key: a", "line 2, column 5: `keys[0].name` is required"],
  [
    "keys:\n  - name: a b\n    key: c",
    "line 2, column 11: `keys[0].name` does not have the required form: Up to",
  ],
  ["keys: []\nname: []", "line 2, column 7: `name` is unknown: check its spelling"],
  [
    "keys:\n  - name: a\n    project: shop",
    "line 3, column 14: `keys[0].project` is unknown: did you mean `projects`?",
  ],
  [
    "keys:\n  - name: a\n    rate: {perSecnd: 1}",
    "`keys[0].rate.perSecnd` is unknown: did you mean `perSecond`?",
  ],
  [
    "keys:\n  - name: a\n    expiresAt: 2027-01-31",
    "`keys[0].expiresAt` does not have the required form: When the key stops working, with a",
  ],
  [
    "keys:\n  - name: a\n    rate: {perSecond: 0}",
    "`keys[0].rate.perSecond` must be greater than 0",
  ],
  [
    "keys:\n  - name: a\n    origins: [https://a.test/]",
    "`keys[0].origins[0]` does not have the required form: An origin",
  ],
  [
    "keys:\n  - name: a\n    signedContext: {hmac: {secret: short}}",
    "line 3, column 36: `keys[0].signedContext.hmac.secret` does not have the required form: The secret, of at least 32 characters. A string, or a list",
  ],
  [
    "keys:\n  - name: a\n    signedContext: {hmac: {fields: ['a b']}}",
    "`keys[0].signedContext.hmac.fields[0]` does not have the required form: A context field",
  ],
  [
    "keys:\n  - name: a\n    signedContext: {jwt: {algorithms: [none]}}",
    "`keys[0].signedContext.jwt.algorithms[0]` must be one of RS256, RS384",
  ],
  [
    "keys:\n  - name: a\n    signedContext: {jwt: {issuer: 1}}",
    "`keys[0].signedContext.jwt.issuer` does not have the required form: The accepted values of the claim `iss`. Required with `jwksUrl`. A string, or a list",
  ],
  ["keys:\n  - name: a\n    kind: admin", "`keys[0].kind` must be one of client, server"],
  ["keys:\n  - name: a\n    key: *:production.secret", "line 3, column 10: begins with `*`"],
  ["keys:\n  - name: a\n    name: b", "line 3, column 5: not valid YAML, duplicate key"],
  ["keys: []\n---\nkeys: []", "not valid YAML, multiple docs"],
  ["keys: [", "not valid YAML, "],
  ['keys: "s3cr3t', 'not valid YAML, missing closing "quote'],
  [
    "s3cr3t: 1\nother",
    "line 2, column 1: not valid YAML, implicit map keys need to be followed by map values",
  ],
  ['{"keys": [s3cr3t]}', "line 1, column 11: not valid JSON, unexpected character"],
  ['{"keys": [', "line 1, column 11: not valid JSON, it ends here"],
  ['{"keys": [],\n"keys": []}', "line 2, column 1: a name occurs twice in the same object"],
  ['{"keys": [{"name": "a:\\\"",\n"n\\u0061me": "b"}]}', "line 2, column 1: a name occurs twice"],
  ['{"keys": [{"name": "a",\n"kye": "b"}]}', "line 2, column 8: `keys[0].kye` is unknown"],
])("parseAccessFile() rejects %j", async (text, problem) => {
  expect((await problemsOf(text)).join("\n")).toContain(problem);
});

test("all problems are reported at once, with their lines", async () => {
  const text = "keys:\n  - name: ''\n    kye: a\n  - name: b\n    allFlags: 1\n";
  expect(await problemsOf(text)).toEqual([
    expect.stringMatching(/^line 3, column 10: `keys\[0\].kye` is unknown/),
    expect.stringMatching(/^line 2, column 11: `keys\[0\].name` does not/),
    expect.stringMatching(/^line 5, column 15: `keys\[1\].allFlags` must be a boolean/),
  ]);
});

test("JSON and YAML with the same content are the same", async () => {
  const content = { keys: [{ name: "a", key: 'c\\":d', projects: ["e:", '"f":'] }] };
  const json = await parseAccessFile(JSON.stringify(content));
  const yaml = await parseAccessFile(`# a comment\n${JSON.stringify(content)}`);
  const keys = new Map(content.keys.entries());
  expect(json).toMatchObject({ keys, problems: [] });
  expect(yaml).toMatchObject({ keys, problems: [] });
});

test("large YAML is rejected, since its parser would block requests", async () => {
  expect(await problemsOf(`keys: []\n# ${"x".repeat(1024 * 1024)}`)).toEqual([
    expect.stringMatching(/^it is larger than 1024 KiB: convert it to JSON/),
  ]);
});

test("the problem of one of many keys is named, in JSON of more than a megabyte", async () => {
  const keys = Array.from({ length: 10_000 }, (_, index) => ({
    name: `key-${index}`,
    keySha256: String(index).padStart(64, "0"),
    projects: [`project-${index}`],
  }));
  const write = (entries: readonly object[]) => JSON.stringify({ keys: entries }, null, 1);
  expect(write(keys).length).toBeGreaterThan(1024 * 1024);
  expect(await problemsOf(write(keys))).toEqual([]);
  expect(await problemsOf(write([...keys, { name: "last", kye: "a" }]))).toEqual([
    expect.stringMatching(/^at an unknown position: `keys\[10000\].kye` is unknown/),
  ]);
  expect(await problemsOf(`${write(keys)},`)).toEqual([expect.stringMatching(/not valid JSON/)]);
});

test("too many keys are rejected", async () => {
  const text = JSON.stringify({ keys: Array.from({ length: 100_001 }, () => 1) });
  expect(await problemsOf(text)).toEqual([
    "line 1, column 9: `keys` must not have more than 100000 entries",
  ]);
});

describe("problems contain no values of the file", () => {
  const secret = "s3cr3t";
  const damage = fc.record({
    position: fc.nat(),
    text: fc.constantFrom("", "*", "&", "'", '"', "{", ":", "\t", "\u0000"),
  });
  const damages = fc.array(damage, { maxLength: 4 });

  test.each([
    ["YAML", `keys:\n  - name: web\n    key: ${secret}\n    projects: [a]\n`],
    ["JSON", `{"keys": [{"name": "web", "key": "${secret}", "projects": ["a"]}]}`],
  ])("problems contain no values in %s", async (_format, original) => {
    await fc.assert(
      fc.asyncProperty(damages, async (list) => {
        let text = original;
        for (const { position, text: inserted } of list) {
          const at = position % text.length;
          // The secret itself stays intact, so that it can be found.
          if (text.slice(at - 6, at + 6).includes(secret.slice(0, 1))) continue;
          text = text.slice(0, at) + inserted + text.slice(at);
        }
        expect((await problemsOf(text)).join("\n")).not.toContain(secret);
      }),
      { numRuns: fuzzRuns(150, 500) },
    );
  });
});
