import { expect, onTestFinished, test, vi } from "vitest";
import { MemoryLogger } from "../../test/_proxy.ts";
import { DocumentSource } from "../../test/_source.ts";
import { FlagDistribution } from "./flag-distribution.ts";
import type { ToWorker } from "./messages.ts";
import type { WorkerPeer } from "./worker-peer.ts";

class RecordingPeer implements WorkerPeer {
  readonly name: string;
  readonly messages: ToWorker[] = [];

  constructor(name: string) {
    this.name = name;
  }

  get kinds(): readonly string[] {
    return this.messages.map(({ kind }) => kind);
  }

  /** What it was handed last. */
  get revision(): string {
    const updates = this.messages.filter((message) => message.kind === "flags");
    return updates.at(-1)?.revision ?? "none";
  }

  send(message: ToWorker): void {
    this.messages.push(message);
  }
}

const toDocument = (name: string) => ({
  features: [{ name, enabled: true, strategies: [{ name: "default" }] }],
});

function create(names: readonly string[]) {
  const source = new DocumentSource();
  const logger = new MemoryLogger();
  const flags = new FlagDistribution(source, logger);
  onTestFinished(() => flags.close());
  const peers = names.map((name) => new RecordingPeer(name));
  for (const peer of peers) flags.join(peer);
  const load = (peer: RecordingPeer): void => flags.loaded(peer, peer.revision);
  return { source, logger, flags, peers, load };
}

function two() {
  const { peers, ...rest } = create(["one", "two"]);
  const [one, other] = peers;
  if (one === undefined || other === undefined) throw new Error("There are two");
  return { ...rest, one, other };
}

test("workers listen at once while there are no flags, as one process does", () => {
  const { one, other } = two();
  expect(one.kinds).toEqual(["listen"]);
  expect(other.kinds).toEqual(["listen"]);
});

test("an update comes into force everywhere once everybody has loaded it", () => {
  const { source, one, other, load } = two();
  source.replace(toDocument("a"));
  load(one);
  expect(one.kinds).toEqual(["listen", "flags"]);
  load(other);
  expect(one.kinds).toEqual(["listen", "flags", "publish"]);
  expect(other.kinds).toEqual(["listen", "flags", "publish"]);
  expect(one.revision).toBe(source.snapshot?.revision);
});

test("changes during a round go into the next one, the latest only", () => {
  const { source, one, other, load } = two();
  source.replace(toDocument("a"));
  const first = one.revision;
  source.replace(toDocument("b"));
  source.replace(toDocument("c"));
  expect(one.revision).toBe(first);
  load(one);
  load(other);
  expect(one.kinds).toEqual(["listen", "flags", "publish", "flags"]);
  expect(one.revision).toBe(source.snapshot?.revision);
});

test("a worker that joins later listens with the flags that the others have", () => {
  const { source, flags, one, other, load } = two();
  source.replace(toDocument("a"));
  load(one);
  load(other);
  const late = new RecordingPeer("late");
  flags.join(late);
  expect(late.kinds).toEqual(["flags"]);
  load(late);
  expect(late.kinds).toEqual(["flags", "publish", "listen"]);
  expect(one.kinds).toEqual(["listen", "flags", "publish"]);
});

test("a worker that joins during a round takes part in it", () => {
  const { source, flags, one, other, load } = two();
  source.replace(toDocument("a"));
  const late = new RecordingPeer("late");
  flags.join(late);
  load(one);
  load(other);
  expect(one.kinds).toEqual(["listen", "flags"]);
  load(late);
  expect(one.kinds).toEqual(["listen", "flags", "publish"]);
  expect(late.kinds).toEqual(["flags", "publish", "listen"]);
});

test("a worker that ends is not waited for", () => {
  const { source, flags, one, other, load } = two();
  source.replace(toDocument("a"));
  load(one);
  flags.leave(other);
  expect(one.kinds).toEqual(["listen", "flags", "publish"]);
});

test("a worker that is heard after its end is not waited for", () => {
  const { source, flags, one, other, load } = two();
  source.replace(toDocument("a"));
  const { revision } = other;
  flags.leave(other);
  load(one);
  source.replace(toDocument("b"));
  flags.loaded(other, revision);
  load(one);
  expect(one.kinds).toEqual(["listen", "flags", "publish", "flags", "publish"]);
});

test("a worker that hangs is waited for ten seconds, gets no more, and catches up", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { source, logger, one, other, load } = two();
  source.replace(toDocument("a"));
  load(one);
  vi.advanceTimersByTime(10_000);
  expect(one.kinds).toEqual(["listen", "flags", "publish"]);
  expect(logger.lines).toMatchObject([
    { level: "warn", parts: [expect.stringMatching(/^two is slow to load/)] },
  ]);

  source.replace(toDocument("b"));
  load(one);
  expect(one.kinds).toEqual(["listen", "flags", "publish", "flags", "publish"]);
  expect(other.kinds).toEqual(["listen", "flags"]);

  load(other);
  expect(other.kinds).toEqual(["listen", "flags", "flags"]);
  expect(other.revision).toBe(source.snapshot?.revision);
  load(other);
  expect(other.kinds).toEqual(["listen", "flags", "flags", "publish"]);
});

test("news of the upstream that change nothing are passed on", () => {
  const { source, one } = two();
  source.lastFetchAtMs = 5;
  source.emit("unchanged");
  expect(one.messages.at(-1)).toEqual({
    kind: "unchanged",
    timestamps: { lastFetchAtMs: 5, lastUpdateAtMs: undefined },
  });
});
