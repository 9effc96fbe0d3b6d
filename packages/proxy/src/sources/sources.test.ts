import { expect, test } from "vitest";
import { MemoryLogger } from "../../test/_proxy.ts";
import { DocumentSource } from "../../test/_source.ts";
import { describeSources } from "./describe-sources.ts";
import { nameSpoolDirectories, startSources, toSource } from "./sources.ts";
import { StoredFlags } from "../store/stored-flags.ts";
import { GuardedStore } from "../store/guarded-store.ts";

test("describeSources() numbers sources of the same environment", () => {
  const tokens = ["a:production.x", "legacy", "b:production.y", "c:test.z"];
  const names = describeSources({ upstreamTokens: tokens, files: undefined }).map(
    ({ name }) => name,
  );
  expect(names).toEqual(["production", "default", "production-2", "test"]);
});

test("describeSources() gives each source its own name, even if an environment is called production-2", () => {
  const tokens = ["a:production.x", "b:production.y", "*:production-2.z", "c:production.w"];
  const names = describeSources({ upstreamTokens: tokens, files: undefined }).map(
    ({ name }) => name,
  );
  expect(names).toEqual(["production", "production-3", "production-2", "production-4"]);
});

test("nameSpoolDirectories() names the environment, which stays the same after a token is replaced", () => {
  expect(nameSpoolDirectories(["a:production.x", "*:test.y", "legacy"])).toEqual([
    "production",
    "test",
    "default",
  ]);
  expect(nameSpoolDirectories(["b:production.z"])).toEqual(["production"]);
});

test("nameSpoolDirectories() names the project if several tokens have the same environment, whatever their order", () => {
  const tokens = ["a:production.x", "b:production.y", "*:production.z"];
  const spools = ["a%3Aproduction", "b%3Aproduction", "production"];
  expect(nameSpoolDirectories(tokens)).toEqual(spools);
  expect(nameSpoolDirectories(tokens.toReversed())).toEqual(spools.toReversed());
});

test("nameSpoolDirectories() gives each source its own directory, even if two tokens have the same project", () => {
  const tokens = ["a:production.x", "a:production.y", "*:test.z", "*:test.w"];
  expect(nameSpoolDirectories(tokens)).toEqual([
    "a%3Aproduction",
    "a%3Aproduction-2",
    "test",
    "test-2",
  ]);
});

test.each([
  ["is loaded", () => Promise.resolve()],
  ["cannot be loaded", () => Promise.reject(new Error("a file is missing"))],
])("startSources() starts a source once the code of its store %s", async (_name, load) => {
  const steps: string[] = [];
  const logger = new MemoryLogger();
  const store = new GuardedStore({
    address: "redis://cache",
    open: async () => {
      await load().finally(() => steps.push("loaded"));
      throw new Error("not used");
    },
    logger,
  });
  const source = {
    upstreamUrl: "http://127.0.0.1:1/api",
    token: "token",
    projectName: undefined,
    namePrefix: undefined,
    tags: [],
  };
  const flags = Object.assign(new DocumentSource(), { start: () => void steps.push("started") });
  const storedFlags = new StoredFlags({ store, source, logger });
  await startSources([{ ...toSource(flags), storedFlags }]);
  expect(steps).toEqual(["loaded", "started"]);
});
