import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ToWorker, WorkerPeer } from "./messages.ts";
import { MetricsCollection } from "./metrics-collection.ts";

/** Creates the metrics of one process. */
function createProcess(startedAt: number) {
  const registry = new Registry();
  const registers = [registry];
  const help = "help";
  const requests = new Counter({ name: "requests", help, registers, labelNames: ["status"] });
  const seconds = new Histogram({ name: "seconds", help, registers, buckets: [1, 2] });
  const memory = new Gauge({ name: "memory", help, registers });
  const name = "process_start_time_seconds";
  new Gauge({ name, help, registers, aggregator: "omit" }).set(startedAt);
  return { registry, requests, seconds, memory };
}

/** A worker that replies immediately, unless it hangs. */
class ReplyingPeer implements WorkerPeer {
  readonly name = "worker";
  readonly process = createProcess(200);
  readonly #collection: MetricsCollection;
  requestCount = 0;
  isHanging = false;

  constructor(collection: MetricsCollection) {
    this.#collection = collection;
  }

  send({ kind }: ToWorker): void {
    if (kind !== "collect") return;
    this.requestCount += 1;
    if (this.isHanging) return;
    void this.process.registry
      .getMetricsAsJSON()
      .then((values) => this.#collection.accept(this, values));
  }
}

function create() {
  const own = createProcess(100);
  const collection = new MetricsCollection(own.registry);
  const peers = [new ReplyingPeer(collection), new ReplyingPeer(collection)] as const;
  return { own, collection, peers };
}

test("read() returns the sum over all processes, and the earliest start time", async () => {
  const { own, collection, peers } = create();
  own.memory.set(1);
  for (const [index, { process }] of peers.entries()) {
    process.memory.set(10);
    process.requests.inc({ status: "200" }, index + 1);
    process.requests.inc({ status: `40${index}` });
    process.seconds.observe(1.5);
  }
  const text = await collection.read(peers);
  for (const line of [
    'requests{status="200"} 3',
    'requests{status="400"} 1',
    'requests{status="401"} 1',
    'seconds_bucket{le="1"} 0',
    'seconds_bucket{le="2"} 2',
    "seconds_count 2",
    "seconds_sum 3",
    "memory 21",
    "process_start_time_seconds 100",
  ]) {
    expect(text.split("\n")).toContain(line);
  }
});

test("read() includes the counters of exited workers, but not their gauges", async () => {
  const { collection, peers } = create();
  const [first, second] = peers;
  for (const { process } of peers) {
    process.memory.set(10);
    process.requests.inc({ status: "200" }, 5);
    process.seconds.observe(0.5);
  }
  await collection.read(peers);
  for (const peer of peers) collection.leave(peer);
  const next = new ReplyingPeer(collection);
  next.process.requests.inc({ status: "200" });
  const text = await collection.read([next]);
  expect(text).toContain('requests{status="200"} 11\n');
  expect(text).toContain("seconds_count 2\n");
  expect(text).toContain("memory 0\n");
  expect([first.requestCount, second.requestCount, next.requestCount]).toEqual([1, 1, 1]);
});

test("read() collects once for concurrent calls", async () => {
  const { collection, peers } = create();
  const texts = await Promise.all([collection.read(peers), collection.read(peers)]);
  expect(texts[0]).toBe(texts[1]);
  expect(peers[0].requestCount).toBe(1);
  await collection.read(peers);
  expect(peers[0].requestCount).toBe(2);
});

test("read() uses the last known metrics of a worker that hangs", async () => {
  const { collection, peers } = create();
  const [first, second] = peers;
  first.process.requests.inc({ status: "200" });
  await collection.read(peers);
  first.isHanging = true;
  second.process.requests.inc({ status: "200" });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const reading = collection.read(peers);
  await vi.advanceTimersByTimeAsync(2000);
  expect(await reading).toContain('requests{status="200"} 2\n');
});

test("read() does not wait for a worker that exits instead of replying", async () => {
  const { collection, peers } = create();
  peers[0].isHanging = true;
  const reading = collection.read(peers);
  collection.leave(peers[0]);
  expect(await reading).toContain("memory 0\n");
});
