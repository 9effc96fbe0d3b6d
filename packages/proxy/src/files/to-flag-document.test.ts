import { describe, expect, it } from "vitest";
import { toFlagDocument } from "./to-flag-document.ts";
import { FileError } from "./read-file.ts";
import { parseFlagFile } from "./read-flag-file.ts";

async function read(text: string, name = "flags.json", environment?: string) {
  const { document } = toFlagDocument(await parseFlagFile(text, name), environment);
  return document;
}

async function problemsOf(text: string, name?: string, environment?: string) {
  try {
    await read(text, name, environment);
    return [];
  } catch (error) {
    if (error instanceof FileError) return error.problems;
    throw error;
  }
}

const EXPECTED =
  'must contain `features`, as server SDKs read them or as an export, or flags such as `{ "my-flag": { "enabled": true } }`';

describe("definitions", () => {
  it("definitions are used unchanged, in JSON and in YAML", async () => {
    const features = [{ name: "a", enabled: true, strategies: [{ name: "default" }] }];
    const document = { version: 2, features, segments: [] };
    expect(await read(JSON.stringify(document))).toEqual(document);
    const yaml = [
      "version: 2",
      "features:",
      "  - { name: a, enabled: true, strategies: [{ name: default }] }",
      "segments: []",
    ];
    expect(await read(yaml.join("\n"), "flags.yaml")).toEqual(document);
  });

  it("definitions of another environment are rejected", async () => {
    const text = JSON.stringify({ features: [], query: { environment: "development" } });
    expect(await problemsOf(text, "flags.json", "development")).toEqual([]);
    expect(await problemsOf(text)).toEqual([]);
    expect(await problemsOf(text, "flags.json", "production")).toEqual([
      "it contains the flags of the environment development, not of production: `query.environment` says so",
    ]);
  });
});

describe("a map of flags", () => {
  it("a map of flags becomes definitions, as in Edge", async () => {
    const { features } = await read(
      '{"on": {"enabled": true, "variant": "blue"}, "off": {"enabled": false}}',
    );
    const strategies = [{ name: "default", parameters: {}, constraints: [] }];
    const variant = { name: "blue", weight: 1000, weightType: "fix", stickiness: "default" };
    expect(features).toEqual([
      { name: "on", enabled: true, project: "default", strategies, variants: [variant] },
      { name: "off", enabled: false, project: "default", strategies, variants: [] },
    ]);
  });

  it("a map of flags can contain a flag called features", async () => {
    expect((await read('{"features": {"enabled": true}}')).features).toMatchObject([
      { name: "features", enabled: true },
    ]);
  });
});

describe("problems name line and column", () => {
  it.each<[name: string, text: string, problem: string]>([
    ["flags.json", "", "it is empty"],
    ["flags.json", " \n", "it is empty"],
    ["flags.json", "[]", `line 1, column 1: the file ${EXPECTED}`],
    ["flags.json", "\n null", `line 2, column 2: the file ${EXPECTED}`],
    ["flags.json", "{}", `line 1, column 1: the file ${EXPECTED}`],
    ["flags.json", '{"features": 5}', `line 1, column 1: the file ${EXPECTED}`],
    ["flags.json", '{\n "a": {},\n}', 'line 3, column 1: not valid JSON, unexpected "}"'],
    ["flags.json", '{"a": ', "line 1, column 7: not valid JSON, it ends here"],
    [
      "flags.json",
      '{"a": {"enabled": true},\n "b": true}',
      "line 2, column 7: a flag must be an object with `enabled`",
    ],
    [
      "flags.yaml",
      "a:\n  enabled: true\n  variant: [1]\n",
      "line 3, column 12: `variant` must be the name of a variant",
    ],
    ["flags.yml", "a: {\nb: ]", "line 2, column 1: not valid YAML, bad indent"],
    ["flags.json", "[".repeat(200), "Lists and objects are nested more than 100 levels deep"],
  ])("the problem of %s names its position: %j", async (name, text, problem) => {
    const [first = ""] = await problemsOf(text, name);
    expect(first.startsWith(problem) ? problem : first).toBe(problem);
  });

  it("large YAML is rejected, because parsing it would block requests", async () => {
    const text = `a: { enabled: true }\n# ${"x".repeat(1024 * 1024)}`;
    expect(await problemsOf(text, "flags.yaml")).toEqual([
      expect.stringMatching(/^it is larger than 1024 KiB/),
    ]);
  });

  it("YAML that grows when it is expanded is rejected", async () => {
    const levels = Array.from({ length: 9 }, (_, level) => {
      const alias = level === 0 ? "x" : `*l${level - 1}`;
      return `l${level}: &l${level} [${Array.from({ length: 9 }, () => alias).join(", ")}]`;
    });
    expect(await problemsOf(levels.join("\n"), "flags.yaml")).toEqual([
      expect.stringMatching(/alias/i),
    ]);
  });
});
