import { expect, test } from "vitest";
import type { ApplicationRegistration } from "./application-usage.ts";
import { RegistrationBuffer } from "./registration-buffer.ts";
import { FairBudget } from "./usage-limits.ts";

const HOUR_MS = 3_600_000;

const registration = (more: Partial<ApplicationRegistration> = {}): ApplicationRegistration => ({
  appName: "app",
  instanceId: "one",
  sdkType: "frontend",
  strategies: [],
  started: new Date(0).toISOString(),
  interval: 1000,
  ...more,
});

/** Takes and releases everything; returns the names and instances. */
function forwardAll(buffer: RegistrationBuffer): readonly string[] {
  const taken = buffer.take(100);
  buffer.release(taken);
  return taken.map((one) => `${one.registration.appName} ${one.registration.instanceId}`);
}

test("take() returns an unchanged registration once an hour", () => {
  let nowMs = 0;
  const buffer = new RegistrationBuffer({
    memory: new FairBudget(100_000),
    perQuota: 10,
    monotonicMs: () => nowMs,
  });
  for (const instanceId of ["one", "two"]) buffer.add(registration({ instanceId }));
  expect(forwardAll(buffer)).toEqual(["app one"]);
  nowMs = HOUR_MS - 1;
  buffer.add(registration({ started: new Date(1).toISOString(), interval: 5 }));
  expect(forwardAll(buffer)).toEqual([]);
  buffer.add(registration({ sdkVersion: "sdk:2" }));
  expect(forwardAll(buffer)).toEqual(["app one"]);
  nowMs = HOUR_MS;
  buffer.add(registration());
  expect(forwardAll(buffer)).toEqual(["app one"]);
});

test("take() returns each instance of a backend", () => {
  const buffer = new RegistrationBuffer({
    memory: new FairBudget(100_000),
    perQuota: 10,
    monotonicMs: () => 0,
  });
  for (const instanceId of ["one", "two", "one"]) {
    buffer.add(registration({ sdkType: "backend", instanceId }));
  }
  expect(forwardAll(buffer)).toEqual(["app one", "app two"]);
});

test("add() drops registrations beyond the limit of their quota, but not those of another", () => {
  const buffer = new RegistrationBuffer({
    memory: new FairBudget(100_000),
    perQuota: 2,
    monotonicMs: () => 0,
  });
  const add = (appName: string, quotaId: string): boolean =>
    buffer.add(registration({ appName, quotaId }));
  expect(["a", "b", "c", "a"].map((name) => add(name, "noisy"))).toEqual([true, true, false, true]);
  expect(add("real", "quiet")).toBe(true);
  const taken = buffer.take(2);
  expect(taken.map((one) => one.registration.appName)).toEqual(["a", "real"]);
  buffer.putBack(taken);
  expect(forwardAll(buffer).toSorted()).toEqual(["a one", "b one", "real one"]);
});

test("take() frees the memory of registrations", () => {
  const memory = new FairBudget(100_000);
  const buffer = new RegistrationBuffer({ memory, perQuota: 10, monotonicMs: () => 0 });
  for (let round = 0; round < 1000; round += 1) {
    expect(buffer.add(registration({ appName: `app-${round}` }))).toBe(true);
    const taken = buffer.take(1);
    buffer.putBack(taken);
    buffer.release(buffer.take(1));
  }
  expect(memory.shareOf("").fits(50_000)).toBe(true);
});
