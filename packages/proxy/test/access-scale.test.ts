// The cost of many keys.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import type { Grant } from "../src/access/grant.ts";
import { digestKey } from "../src/key-digest.ts";
import { KeyRegistry } from "../src/access/key-registry.ts";
import { readAccessFile } from "../src/access/read-access-file.ts";
import { RestrictedSources } from "../src/access/restricted-source.ts";
import { createDirectory } from "./_access-file.ts";
import { SAMPLE } from "./_documents.ts";
import { DocumentSource } from "./_source.ts";

const KEYS = 10_000;
const ROUNDS = 9;
const LOOKUPS = 20_000;

test(`${KEYS} keys add less than 5 µs to a request compared with one`, () => {
  const source = new DocumentSource(SAMPLE);
  const keys = Array.from({ length: KEYS }, (_, index) => `client-key-${index}`);
  const toGrant = (key: string): Grant => ({ key: digestKey(key), kind: "client", source });
  const one = new KeyRegistry([toGrant("client-key-0")]);
  const many = new KeyRegistry(keys.map(toGrant));
  const measure = (registry: KeyRegistry, keyCount: number): number => {
    const startMs = performance.now();
    for (let i = 0; i < LOOKUPS; i++) {
      if (registry.find(keys[i % keyCount] ?? "", ["client"]) === undefined) throw new Error("?");
    }
    return ((performance.now() - startMs) * 1000) / LOOKUPS;
  };
  const rounds = Array.from(
    { length: ROUNDS },
    () => [measure(one, 1), measure(many, KEYS)] as const,
  );
  const medianOf = (values: readonly number[]): number =>
    values.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0;
  const [oneUs, manyUs] = [medianOf(rounds.map(([a]) => a)), medianOf(rounds.map(([, b]) => b))];
  process.stdout.write(
    `lookup: ${oneUs.toFixed(2)} µs with 1 key, ${manyUs.toFixed(2)} µs with ${KEYS} keys\n`,
  );
  expect(manyUs - oneUs).toBeLessThan(5);
});

test(`${KEYS} keys with equal restrictions share one restricted source`, () => {
  const restricted = new RestrictedSources();
  const source = new DocumentSource(SAMPLE);
  const first = restricted.get(source, { projects: ["a", "b"], namePrefix: "x" });
  for (let i = 0; i < KEYS; i++) {
    expect(restricted.get(source, { projects: ["b", "a", "a"], namePrefix: "x" })).toBe(first);
  }
  expect(restricted.get(source, { projects: ["b"], namePrefix: "x" })).not.toBe(first);
  expect(restricted.get(source, { projects: undefined, namePrefix: "" })).toBe(source);
});

test(`a JSON file with ${KEYS} keys is read in less than a second`, async () => {
  const directory = await createDirectory();
  const contentOf = (count: number): object => ({
    keys: Array.from({ length: count }, (_, index) => ({
      name: `key-${index}`,
      key: `client-key-${index}`,
      projects: ["a", "b"],
      rate: { perSecond: 10 },
    })),
  });
  const measure = async (name: string, count: number, text: string): Promise<number> => {
    await writeFile(join(directory, name), text);
    const startMs = performance.now();
    expect((await readAccessFile(join(directory, name))).entries).toHaveLength(count);
    return performance.now() - startMs;
  };
  const jsonMs = await measure("access.json", KEYS, JSON.stringify(contentOf(KEYS)));
  const yamlMs = await measure("access.yaml", 1000, stringify(contentOf(1000)));
  process.stdout.write(
    `reading: ${Math.round(jsonMs)} ms for ${KEYS} keys in JSON, ${Math.round(yamlMs)} ms for 1000 in YAML\n`,
  );
  expect(jsonMs).toBeLessThan(1000);
});
