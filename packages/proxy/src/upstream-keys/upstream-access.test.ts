import { VALIDATION_LIMITS } from "flags-server-kit/neutral";
import { Registry } from "prom-client";
import { expect, onTestFinished, test, vi } from "vitest";
import { MemoryLogger } from "../../test/_proxy.ts";
import { DocumentSource } from "../../test/_source.ts";
import { toSource, type Source } from "../sources/sources.ts";
import { createInvalidKeys, UpstreamAccess, VERIFICATION_LIMITS } from "./upstream-access.ts";
import { KeyRegistry } from "../core/access/key-registry.ts";
import { Visibility } from "../core/access/visible-flags.ts";
import type { KeyVerifier } from "../core/access/verified-key.ts";

interface Parts {
  readonly verify: KeyVerifier["verify"];
  readonly sources?: readonly Source[];
}

function createAccess({ verify, sources = [] }: Parts) {
  const logger = new MemoryLogger();
  const registry = new Registry();
  const access = new UpstreamAccess({
    verifier: {
      verify,
      confirm: verify,
      follow: () => {},
      close: async () => {},
    },
    sources,
    keys: new KeyRegistry([]),
    visibility: new Visibility(),
    registry,
    logger,
    onRemoved: () => {},
  });
  onTestFinished(() => access.close());
  return { access, logger, registry };
}

test("environments that a client has invented hide a real one only temporarily", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { access, logger } = createAccess({ verify: async () => ({ status: "invalid" }) });
  const use = (environment: string) =>
    expect(access.verify(`*:${environment}.secret`, "10.0.0.1")).rejects.toThrow(environment);

  await Promise.all(Array.from({ length: 100 }, (_, index) => use(`invented-${index}`)));
  await use("forgotten");
  expect(logger.lines).toHaveLength(20);
  vi.advanceTimersByTime(60 * 60 * 1000 + 1);
  await use("forgotten");
  await use("forgotten");
  expect(logger.lines).toHaveLength(21);
  expect(logger.lines.at(-1)?.parts.join()).toContain("the environment forgotten");
});

test("requests from one network share the slots in which they wait for the verification of a key", async () => {
  const { access, registry } = createAccess({
    verify: () => new Promise(() => {}),
    sources: [
      toSource(new DocumentSource({ features: [] }), {
        name: "development",
        scope: { project: "*", environment: "development" },
      }),
    ],
  });
  const waiting = async () => {
    const metric = registry.getSingleMetric("flags_proxy_upstream_keys_waiting_requests");
    return (await metric?.get())?.values[0]?.value;
  };
  const sendFrom = (addressOf: (index: number) => string): void => {
    for (let index = 0; index < 2000; index += 1)
      access.verify("*:development.secret", addressOf(index)).catch(() => {});
  };
  // Half of the slots for the first one, half of the others for the next one.
  sendFrom((index) => `2001:db8::${index.toString(16)}`);
  expect(await waiting()).toBe(1000);
  sendFrom((index) => `not an address ${index}`);
  expect(await waiting()).toBe(1500);
  sendFrom(() => "10.0.0.1");
  expect(await waiting()).toBe(1750);
});

test("an attack on the proxy does not exhaust the limits of flags-admin", () => {
  // All requests of the proxy come from one address.
  const { perAddress } = VALIDATION_LIMITS;
  expect(VERIFICATION_LIMITS.total.burst).toBeLessThan(perAddress.burst);
  expect(VERIFICATION_LIMITS.total.perSecond).toBeLessThan(perAddress.perSecond);
});

test("an invalid key is forgotten after ten seconds", () => {
  let nowMs = 1000;
  const invalid = createInvalidKeys({ now: () => nowMs });
  invalid.set("a", "invalid");
  nowMs += 9999;
  expect(invalid.get("a")).toBe("invalid");
  nowMs += 2;
  expect(invalid.get("a")).toBeUndefined();
});

test("a limited number of invalid keys is remembered", () => {
  const invalid = createInvalidKeys();
  for (let index = 0; index <= 10_000; index++) invalid.set(String(index), "projects");
  expect(invalid.get("0")).toBeUndefined();
  expect(invalid.get("10000")).toBe("projects");
});
