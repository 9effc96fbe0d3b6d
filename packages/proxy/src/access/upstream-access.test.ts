import { Registry } from "prom-client";
import { expect, onTestFinished, test, vi } from "vitest";
import { MemoryLogger } from "../../test/_proxy.ts";
import { KeyRegistry } from "./key-registry.ts";
import { RestrictedSources } from "./restricted-source.ts";
import { UpstreamAccess } from "./upstream-access.ts";

test("environments that a client has invented hide a real one only for a while", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const logger = new MemoryLogger();
  const access = new UpstreamAccess({
    verifier: {
      verified: [],
      verify: async () => ({ status: "invalid" }),
      follow: () => {},
      touch: () => {},
      close: async () => {},
    },
    sources: [],
    keys: new KeyRegistry([]),
    restricted: new RestrictedSources(),
    registry: new Registry(),
    logger,
    onRemoved: () => {},
  });
  const use = (environment: string) =>
    expect(access.verify(`*:${environment}.secret`, "10.0.0.1")).rejects.toThrow(environment);

  await Promise.all(Array.from({ length: 100 }, (_, index) => use(`invented-${index}`)));
  await use("forgotten");
  expect(logger.lines).toHaveLength(20);
  vi.advanceTimersByTime(60 * 60 * 1000);
  await use("forgotten");
  await use("forgotten");
  expect(logger.lines).toHaveLength(21);
  expect(logger.lines.at(-1)?.parts.join()).toContain("the environment forgotten");
  await access.close();
});
