import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError } from "flags-server-kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ProxyConfig } from "../src/config/config.ts";
import { loadConfig } from "../src/config/load-config.ts";
import type { ProxyOptions } from "../src/config/options.ts";

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "flags-extensions-"));
});

afterAll(async () => {
  await rm(directory, { recursive: true });
});

async function file(name: string, text: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, text);
  return path;
}

const strategy = (name: string): string => `{ name: "${name}", isEnabled: () => true }`;

interface Loaded {
  readonly config: ProxyConfig;
  readonly warnings: readonly string[];
}

async function load(options: object, environment: Record<string, string> = {}): Promise<Loaded> {
  const warnings: string[] = [];
  const nothing = (): void => {};
  const warn = (message: unknown): void => void warnings.push(String(message));
  const required: ProxyOptions = {
    flagsUrl: "http://upstream.test",
    flagsApiToken: "upstream-token",
    clientKeys: ["some-key"],
    logger: { debug: nothing, info: nothing, warn, error: nothing },
  };
  return { config: await loadConfig({ ...required, ...options }, environment), warnings };
}

async function problemsOf(...args: Parameters<typeof load>): Promise<readonly string[]> {
  const error: unknown = await load(...args).catch((reason: unknown) => reason);
  return error instanceof ConfigError ? error.problems : [];
}

const names = ({ config }: Loaded): readonly string[] =>
  config.customStrategies.map(({ name }) => name);

describe("customStrategies / FLAGS_CUSTOM_STRATEGIES_FILE", () => {
  test("says what to do if a file requires an SDK that is not installed", async () => {
    const text = 'const { Strategy } = require("unleash-client"); module.exports = [];';
    const [problem] = await problemsOf({ customStrategies: [await file("old.cjs", text)] });
    expect(problem).toMatch(
      /Cannot find module 'unleash-client': replace each class that extends its Strategy with an object with name and isEnabled, or install unleash-client next to the file$/,
    );
  });

  test("loads two files, CommonJS and ESM, each with a list of instances", async () => {
    const common = await file("one.cjs", `module.exports = [${strategy("a")}, ${strategy("b")}]`);
    const esm = await file("two.mjs", `export default [${strategy("c")}]`);
    const variable = { FLAGS_CUSTOM_STRATEGIES_FILE: `${common}, ${esm}` };
    expect(names(await load({}, variable))).toEqual(["a", "b", "c"]);
  });

  test("loads strategies and files in order, in place of those of the environment", async () => {
    const path = await file("three.cjs", `module.exports = [${strategy("from-file")}]`);
    const own = { name: "own", isEnabled: () => true };
    const loaded = await load(
      { customStrategies: [own, path] },
      { FLAGS_CUSTOM_STRATEGIES_FILE: "/missing.js" },
    );
    expect(names(loaded)).toEqual(["own", "from-file"]);
    expect(loaded.config.customStrategies[0]).toBe(own);
  });

  test("an empty list in code takes precedence over the environment", async () => {
    const variable = { FLAGS_CUSTOM_STRATEGIES_FILE: "/missing.js" };
    expect(names(await load({ customStrategies: [] }, variable))).toEqual([]);
  });

  test("loads a file compiled from ESM to CommonJS", async () => {
    const text = `Object.defineProperty(exports, "__esModule", { value: true });
      exports.default = [${strategy("compiled")}];`;
    expect(names(await load({ customStrategies: [await file("four.cjs", text)] }))).toEqual([
      "compiled",
    ]);
  });

  test("loads strategies that extend the base class of the official SDK", async () => {
    const text = `const { Strategy } = require(${JSON.stringify(createRequire(import.meta.url).resolve("unleash-client"))});
      class Ours extends Strategy {
        constructor() { super("Ours"); }
        isEnabled(parameters) { return parameters.on === "yes"; }
      }
      module.exports = [new Ours()];`;
    const { config } = await load({ customStrategies: [await file("five.cjs", text)] });
    expect(config.customStrategies[0]?.isEnabled({ on: "yes" }, {})).toBe(true);
  });

  test("resolves relative paths against the working directory", async () => {
    const [problem] = await problemsOf({ customStrategies: ["no/such.js"] });
    expect(problem).toContain(join(process.cwd(), "no/such.js"));
  });

  test("uses the first of several strategies with the same name, and logs a warning", async () => {
    const first = { name: "same", isEnabled: () => true };
    const second = { name: "same", isEnabled: () => false };
    const { config, warnings } = await load({ customStrategies: [first, second] });
    expect(config.customStrategies).toEqual([first]);
    expect(warnings).toEqual([expect.stringContaining('several strategies are named "same"')]);
  });

  test.each([
    ["syntax.cjs", "module.exports = [", "cannot load"],
    ["throws.cjs", "throw new Error('out of order')", "out of order"],
    ["throws-text.mjs", "throw 'just text'", "just text"],
    ["object.cjs", "module.exports = {}", "must export a list of strategies"],
    ["nothing.mjs", "export const strategies = [];", "must export a list of strategies"],
    ["import.mjs", "import './not-there.mjs'; export default [];", "not-there.mjs"],
    ["null.cjs", "module.exports = [null]", "entry 1 of"],
    ["nameless.cjs", "module.exports = [{ isEnabled() {} }]", "must be an object with a name"],
    ["noMethod.cjs", 'module.exports = [{ name: "a" }]', "a method isEnabled"],
    ["class.cjs", "module.exports = [class Ours {}]", "Ours is a class, so export an instance"],
  ])("rejects %s and names the file", async (name, text, message) => {
    const path = await file(name, text);
    const problems = await problemsOf({}, { FLAGS_CUSTOM_STRATEGIES_FILE: path });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^FLAGS_CUSTOM_STRATEGIES_FILE: /);
    expect(problems[0]).toContain(name);
    expect(problems[0]).toContain(message);
    expect(problems[0]).not.toContain("\n");
  });

  test("rejects a directory", async () => {
    const problems = await problemsOf({ customStrategies: [directory] });
    expect(problems).toEqual([expect.stringContaining("it is not a file")]);
  });

  test("rejects an entry in code and names its position", async () => {
    const problems = await problemsOf({ customStrategies: [{ name: "a", isEnabled() {} }, 5] });
    expect(problems).toEqual([expect.stringMatching(/^Option customStrategies: entry 2 must be/)]);
  });
});

describe("expCustomEnrichers / EXP_CUSTOM_ENRICHERS_FILE", () => {
  test("loads a file that exports a list of enrichers", async () => {
    const text = "export default [(context) => ({ ...context, userId: '7' }), async (c) => c]";
    const path = await file("enrichers.mjs", text);
    const { config } = await load({}, { EXP_CUSTOM_ENRICHERS_FILE: path });
    expect(config.contextEnrichers).toHaveLength(2);
    const request = { headers: {}, remoteAddress: "127.0.0.1" };
    expect(config.contextEnrichers[0]?.({}, request)).toEqual({ userId: "7" });
  });

  test("uses functions in code, which take precedence over the environment", async () => {
    const enricher = (): object => ({});
    const variable = { EXP_CUSTOM_ENRICHERS_FILE: "/missing.js" };
    const { config } = await load({ expCustomEnrichers: [enricher] }, variable);
    expect(config.contextEnrichers).toEqual([enricher]);
  });

  test("is a single path, which can contain commas", async () => {
    const path = await file("a,b.cjs", "module.exports = [() => ({})]");
    const { config } = await load({}, { EXP_CUSTOM_ENRICHERS_FILE: path });
    expect(config.contextEnrichers).toHaveLength(1);
  });

  test("rejects an entry that is not a function and names the file", async () => {
    const path = await file("enrichers.cjs", "module.exports = [{}]");
    const problems = await problemsOf({}, { EXP_CUSTOM_ENRICHERS_FILE: path });
    expect(problems).toEqual([
      expect.stringMatching(
        /^EXP_CUSTOM_ENRICHERS_FILE: entry 1 of ".*enrichers\.cjs" must be a f/,
      ),
    ]);
  });
});
