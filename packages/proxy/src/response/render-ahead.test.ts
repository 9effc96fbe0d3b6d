import { FlagReplica } from "flags-sdk";
import { expect, test } from "vitest";
import type { Protocol } from "./protocol.ts";
import { evaluateFlags } from "./evaluate-flags.ts";
import { renderAhead } from "./render-ahead.ts";
import { createRenderer } from "./rendering.ts";

const NEVER = { lastFetchAtMs: undefined, lastUpdateAtMs: undefined };

function toUpdate(revision: string, ...names: readonly string[]) {
  const features = names.map((name) => ({ name, enabled: true, strategies: [] }));
  return { revision, text: JSON.stringify({ version: 2, features, segments: [] }) };
}

test("renderAhead() prepares the next snapshot before it is published, until it is stopped", async () => {
  const written = new Set<string>();
  const protocol: Protocol = {
    prefix: "[",
    suffix: "]",
    writeFlag: ({ name }) => {
      written.add(name);
      return JSON.stringify(name);
    },
    writeUnknownFlag: (name) => JSON.stringify(name),
  };
  const source = new FlagReplica({
    strategies: [],
    reportUsage: async () => true,
    registerApplication: () => {},
  });
  const renderer = createRenderer(protocol);
  const stop = renderAhead([source], [renderer]);

  await source.prepare(toUpdate("1", "a"));
  source.publish(NEVER);
  if (source.snapshot !== undefined) evaluateFlags(renderer, source.snapshot, {}, {});
  expect([...written]).toEqual(["a"]);

  await source.prepare(toUpdate("2", "a", "b"));
  expect(source.snapshot?.revision).toBe("1");
  expect([...written]).toEqual(["a", "b"]);
  source.publish(NEVER);

  stop();
  await source.prepare(toUpdate("3", "c"));
  expect([...written]).toEqual(["a", "b"]);
});
