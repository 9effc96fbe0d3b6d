import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { Heartbeat, type MonitoredWorker } from "./heartbeat.ts";
import type { ToWorker } from "./messages.ts";

const TIMEOUT_MS = 10_000;

class SilentWorker implements MonitoredWorker {
  readonly messages: ToWorker[] = [];
  readonly name = "worker";
  isListening = true;

  send(message: ToWorker): void {
    this.messages.push(message);
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

function create() {
  const unresponsive: MonitoredWorker[] = [];
  const heartbeat = new Heartbeat(TIMEOUT_MS, (worker) => unresponsive.push(worker));
  onTestFinished(() => heartbeat.close());
  const worker = new SilentWorker();
  heartbeat.add(worker);
  return { heartbeat, worker, unresponsive };
}

/** Sends the first ping. */
const nextPing = (): void => void vi.advanceTimersByTime(TIMEOUT_MS / 5);

test("a worker that has not responded to a ping within the timeout is reported, once", () => {
  const { worker, unresponsive } = create();
  nextPing();
  vi.advanceTimersByTime(TIMEOUT_MS - 1);
  expect(unresponsive).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(unresponsive).toEqual([worker]);
  vi.advanceTimersByTime(10 * TIMEOUT_MS);
  expect(unresponsive).toEqual([worker]);
});

test("a worker that misses pings, for example while its program loads, needs to respond only to a later one", () => {
  const { heartbeat, worker, unresponsive } = create();
  worker.isListening = false;
  nextPing();
  vi.advanceTimersByTime(2 * TIMEOUT_MS);
  expect(worker.messages).toHaveLength(11);
  heartbeat.responded(worker);
  worker.isListening = true;
  vi.advanceTimersByTime(TIMEOUT_MS);
  expect(unresponsive).toEqual([]);
});

test("a worker that responds late, but within the timeout, is not reported", () => {
  const { heartbeat, worker, unresponsive } = create();
  for (let round = 0; round < 20; round += 1) {
    nextPing();
    vi.advanceTimersByTime(0.8 * TIMEOUT_MS);
    heartbeat.responded(worker);
  }
  expect(unresponsive).toEqual([]);
});

test("the timeout of a starting worker is four times as long", () => {
  const { worker, unresponsive } = create();
  worker.isListening = false;
  nextPing();
  vi.advanceTimersByTime(4 * TIMEOUT_MS - 1);
  expect(unresponsive).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(unresponsive).toEqual([worker]);
});

test("a clock jump counts as one interval, however long it is", () => {
  const { heartbeat, worker, unresponsive } = create();
  nextPing();
  // As after a suspension, the clock jumps, and a timer that is due runs once.
  vi.setSystemTime(Date.now() + 3_600_000);
  nextPing();
  expect(unresponsive).toEqual([]);
  heartbeat.responded(worker);
  vi.advanceTimersByTime(TIMEOUT_MS);
  expect(unresponsive).toEqual([]);
});

test("a worker that has exited is not monitored, even if one of its messages arrives later", () => {
  const { heartbeat, worker, unresponsive } = create();
  nextPing();
  heartbeat.remove(worker);
  heartbeat.responded(worker);
  vi.advanceTimersByTime(10 * TIMEOUT_MS);
  expect(unresponsive).toEqual([]);
});

test("a worker is not reported because the primary process itself was blocked", async () => {
  vi.useRealTimers();
  const unresponsive: MonitoredWorker[] = [];
  const heartbeat = new Heartbeat<MonitoredWorker>(100, (worker) => unresponsive.push(worker));
  onTestFinished(() => heartbeat.close());
  const secondPing = new Promise<void>((resolve) => {
    let pings = 0;
    const send = (): void => {
      pings += 1;
      if (pings === 2) resolve();
    };
    heartbeat.add({ name: "worker", isListening: true, send });
  });
  // Blocks the event loop for longer than the timeout, as if the whole machine were suspended.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  await secondPing;
  expect(unresponsive).toEqual([]);
});
