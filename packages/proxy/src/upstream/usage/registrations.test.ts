import { expect, onTestFinished, test, vi } from "vitest";
import type { ApplicationRegistration } from "./application-usage.ts";
import { MAX_REGISTRATIONS, RegistrationBuffer } from "./registrations.ts";
import { FairShare } from "flags-server-kit/neutral";

const ignore = (): void => undefined;

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
  return taken.map(({ item }) => `${item.appName} ${item.instanceId}`);
}

test("take() returns an unchanged registration once an hour", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  vi.advanceTimersByTime(1);
  const buffer = new RegistrationBuffer(new FairShare(32 * 1024 * 1024), ignore);
  for (const instanceId of ["one", "two"]) buffer.add("", [registration({ instanceId })]);
  expect(forwardAll(buffer)).toEqual(["app one"]);
  vi.advanceTimersByTime(HOUR_MS - 1);
  buffer.add("", [registration({ started: new Date(1).toISOString(), interval: 5 })]);
  expect(forwardAll(buffer)).toEqual([]);
  buffer.add("", [registration({ sdkVersion: "sdk:2" })]);
  expect(forwardAll(buffer)).toEqual(["app one"]);
  vi.advanceTimersByTime(3);
  buffer.add("", [registration()]);
  expect(forwardAll(buffer)).toEqual(["app one"]);
});

test("take() returns each instance of a backend", () => {
  const buffer = new RegistrationBuffer(new FairShare(32 * 1024 * 1024), ignore);
  for (const instanceId of ["one", "two", "one"]) {
    buffer.add("", [registration({ sdkType: "backend", instanceId })]);
  }
  expect(forwardAll(buffer)).toEqual(["app one", "app two"]);
});

test("add() drops registrations beyond the limit of their quota, but not those of another", () => {
  const buffer = new RegistrationBuffer(new FairShare(32 * 1024 * 1024), ignore);
  const add = (appName: string, quotaId: string): boolean =>
    buffer.add(quotaId, [registration({ appName, quotaId })]) === 0;
  for (let index = 0; index < MAX_REGISTRATIONS; index += 1) {
    expect(add(`app-${index}`, "noisy")).toBe(true);
  }
  expect([add("one too many", "noisy"), add("app-0", "noisy")]).toEqual([false, true]);
  expect(add("real", "quiet")).toBe(true);
  const namesOf = (limit: number) => {
    const taken = buffer.take(limit);
    buffer.postpone(taken);
    return taken.map(({ item }) => item.appName);
  };
  expect(namesOf(2)).toEqual(["app-0", "real"]);
  // Those that could not be delivered are last, so that the limit does not always exclude the same ones.
  expect(namesOf(3)).toEqual(["app-1", "real", "app-2"]);
});

test("take() returns registrations of other quotas the next time, although the first ones are not delivered", () => {
  const buffer = new RegistrationBuffer(new FairShare(32 * 1024 * 1024), ignore);
  for (const quotaId of ["one", "two", "three"]) {
    for (const appName of ["a", "b"]) buffer.add(quotaId, [registration({ appName, quotaId })]);
  }
  const quotasOf = (limit: number) => {
    const taken = buffer.take(limit);
    buffer.postpone(taken);
    return taken.map(({ quotaId }) => quotaId);
  };
  expect(quotasOf(2)).toEqual(["one", "two"]);
  expect(quotasOf(2)).toEqual(["three", "one"]);
});

test("take() frees the memory of registrations", () => {
  const memory = new FairShare(100_000);
  const buffer = new RegistrationBuffer(memory, ignore);
  for (let round = 0; round < 1000; round += 1) {
    expect(buffer.add("", [registration({ appName: `app-${round}` })])).toBe(0);
    buffer.take(1);
    buffer.release(buffer.take(1));
  }
  expect(memory.canClaim("", 50_000)).toBe(true);
});
