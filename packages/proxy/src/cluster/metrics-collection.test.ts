import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ToWorker } from "./messages.ts";
import { MetricsCollection } from "./metrics-collection.ts";
import type { WorkerPeer } from "./worker-peer.ts";

/** The metrics of one process, as an app has them. */
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

/** A worker that answers at once when it is asked, unless it hangs. */
class AnsweringPeer implements WorkerPeer {
  readonly name = "worker";
  readonly process = createProcess(200);
  readonly #collection: MetricsCollection;
  asked = 0;
  isHanging = false;

  constructor(collection: MetricsCollection) {
    this.#collection = collection;
  }

  send({ kind }: ToWorker): void {
    if (kind !== "collect") return;
    this.asked += 1;
    if (this.isHanging) return;
    void this.process.registry
      .getMetricsAsJSON()
      .then((values) => this.#collection.accept(this, values));
  }
}

function create() {
  const own = createProcess(100);
  const collection = new MetricsCollection(own.registry);
  const peers = [new AnsweringPeer(collection), new AnsweringPeer(collection)] as const;
  return { own, collection, peers };
}

test("read() adds up the processes; the first to start says since when they run", async () => {
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

test("read() keeps what ended workers counted, and nothing else of them", async () => {
  const { collection, peers } = create();
  const [first, second] = peers;
  for (const { process } of peers) {
    process.memory.set(10);
    process.requests.inc({ status: "200" }, 5);
    process.seconds.observe(0.5);
  }
  await collection.read(peers);
  for (const peer of peers) collection.leave(peer);
  const next = new AnsweringPeer(collection);
  next.process.requests.inc({ status: "200" });
  const text = await collection.read([next]);
  expect(text).toContain('requests{status="200"} 11\n');
  expect(text).toContain("seconds_count 2\n");
  expect(text).toContain("memory 0\n");
  expect([first.asked, second.asked, next.asked]).toEqual([1, 1, 1]);
});

test("read() counts once what an ended worker said before and after its end", async () => {
  const { collection, peers } = create();
  const [one, other] = peers;
  one.process.requests.inc({ status: "200" });
  await collection.read(peers);
  collection.leave(one);
  collection.accept(one, await one.process.registry.getMetricsAsJSON());
  expect(await collection.read([other])).toContain('requests{status="200"} 1\n');
});

test("read() collects once for all who ask meanwhile", async () => {
  const { collection, peers } = create();
  const texts = await Promise.all([collection.read(peers), collection.read(peers)]);
  expect(texts[0]).toBe(texts[1]);
  expect(peers[0].asked).toBe(1);
  await collection.read(peers);
  expect(peers[0].asked).toBe(2);
});

test("read() shows a worker that hangs as it was last seen", async () => {
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

test("read() does not wait for a worker that ends instead of answering", async () => {
  const { collection, peers } = create();
  peers[0].isHanging = true;
  const reading = collection.read(peers);
  collection.leave(peers[0]);
  expect(await reading).toContain("memory 0\n");
});
