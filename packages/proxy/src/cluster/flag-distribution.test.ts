import { expect, test } from "vitest";
import { DocumentSource } from "../../test/_source.ts";
import { toSource } from "../sources/sources.ts";
import { FlagDistribution } from "./flag-distribution.ts";
import type { SyncStatus } from "./flag-replica.ts";
import type { ToWorker, WorkerPeer } from "./messages.ts";

class RecordingPeer implements WorkerPeer {
  readonly name: string;
  readonly messages: ToWorker[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** The kinds of its messages; of a status, what it is sent for. */
  get kinds(): readonly string[] {
    return this.messages.map((message) =>
      message.kind === "status" ? (message.event ?? "status") : message.kind,
    );
  }

  /** The revision of the flags it received last. */
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

function create() {
  const source = new DocumentSource();
  const flags = new FlagDistribution(toSource(source), 0);
  const join = async (peer: RecordingPeer): Promise<void> => {
    await flags.join(peer);
    peer.send({ kind: "listen" });
  };
  const load = (peer: RecordingPeer): void => flags.loaded(peer, peer.revision);
  return { source, flags, join, load };
}

async function createTwo() {
  const { join, ...rest } = create();
  const peers = [new RecordingPeer("one"), new RecordingPeer("two")];
  await Promise.all(peers.map(join));
  const [one, other] = peers;
  if (one === undefined || other === undefined) throw new Error("There must be two workers");
  return { ...rest, join, one, other };
}

test("workers listen immediately while there are no flags, as a single process does", async () => {
  const { one, other } = await createTwo();
  expect(one.kinds).toEqual(["listen"]);
  expect(other.kinds).toEqual(["listen"]);
});

test("all workers publish an update once all have loaded it", async () => {
  const { source, one, other, load } = await createTwo();
  source.replace(toDocument("a"));
  load(one);
  expect(one.kinds).toEqual(["listen", "flags"]);
  load(other);
  expect(one.kinds).toEqual(["listen", "flags", "publish"]);
  expect(other.kinds).toEqual(["listen", "flags", "publish"]);
  expect(one.revision).toBe(source.snapshot?.revision);
});

test("only the latest of the changes during a round is part of the next one", async () => {
  const { source, one, other, load } = await createTwo();
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

test("workers learn the age of the flags that they publish, not that of later ones", async () => {
  const { source, one, other, load } = await createTwo();
  const last = (): SyncStatus | undefined =>
    one.messages.flatMap((message) => ("status" in message ? [message.status] : [])).at(-1);
  source.confirmedAtMs = performance.now() - 60_000;
  source.replace(toDocument("a"));
  const { revision } = one;
  source.confirmedAtMs = performance.now() - 30_000;
  source.emit("unchanged");
  expect(last()?.revision).toBe(revision);
  source.confirmedAtMs = performance.now();
  source.replace(toDocument("b"));
  source.emit("unchanged");
  load(one);
  load(other);
  expect(one.kinds).toEqual(["listen", "flags", "unchanged", "unchanged", "publish", "flags"]);
  expect(last()?.revision).toBe(revision);
  expect(last()?.ageMs).toBeGreaterThanOrEqual(30_000);
  expect(last()?.ageMs).toBeLessThan(60_000);
  load(one);
  load(other);
  expect(last()?.revision).toBe(source.snapshot?.revision);
  expect(last()?.ageMs).toBeLessThan(30_000);
});

test("a worker that joins later listens once it has the flags of the others", async () => {
  const { source, join, one, other, load } = await createTwo();
  source.replace(toDocument("a"));
  load(one);
  load(other);
  const late = new RecordingPeer("late");
  const joined = join(late);
  expect(late.kinds).toEqual(["flags"]);
  load(late);
  await joined;
  expect(late.kinds).toEqual(["flags", "publish", "listen"]);
  expect(one.kinds).toEqual(["listen", "flags", "publish"]);
});

test("a worker that joins during a round participates in it", async () => {
  const { source, join, one, other, load } = await createTwo();
  source.replace(toDocument("a"));
  const late = new RecordingPeer("late");
  const joined = join(late);
  load(one);
  load(other);
  expect(one.kinds).toEqual(["listen", "flags"]);
  load(late);
  await joined;
  expect(one.kinds).toEqual(["listen", "flags", "publish"]);
  expect(late.kinds).toEqual(["flags", "publish", "listen"]);
});

test("a round does not wait for a worker that has exited", async () => {
  const { source, flags, one, other, load } = await createTwo();
  source.replace(toDocument("a"));
  load(one);
  flags.leave(other);
  expect(one.kinds).toEqual(["listen", "flags", "publish"]);
});

const UNKNOWN_STATUS = {
  lastFetchAtMs: undefined,
  lastUpdateAtMs: undefined,
  origin: undefined,
  isLive: false,
  failure: undefined,
  revision: undefined,
  ageMs: undefined,
};

test("the status is sent to the workers when the upstream has no changes", async () => {
  const { source, one } = await createTwo();
  source.lastFetchAtMs = 5;
  source.emit("unchanged");
  expect(one.messages.at(-1)).toEqual({
    kind: "status",
    source: 0,
    status: { ...UNKNOWN_STATUS, lastFetchAtMs: 5 },
    event: "unchanged",
  });
});

test("status and failure are sent to the workers, and to one that joins later", async () => {
  const { source, join, one } = await createTwo();
  source.emit("live", true);
  expect(one.messages.at(-1)).toEqual({ kind: "status", source: 0, status: UNKNOWN_STATUS });
  source.emit("error", new Error("is down"));
  const failure = { message: "is down", atMs: expect.any(Number) as number };
  const sent = { kind: "status", source: 0, status: { ...UNKNOWN_STATUS, failure } };
  expect(one.messages.at(-1)).toEqual(sent);
  const late = new RecordingPeer("late");
  await join(late);
  expect(late.messages).toEqual([sent, { kind: "listen" }]);
});
