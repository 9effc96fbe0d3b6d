import { expect, onTestFinished, test } from "vitest";
import { LARGE_TEXT, openStream, startStreamServer } from "../../test/_streams.ts";
import { DeltaStream, type DeltaFeed } from "./delta-stream.ts";
import { StreamHub } from "./stream-hub.ts";

/** A feed in which every change has the given text. */
class TestFeed implements DeltaFeed {
  id = 1;
  readonly bytes = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  update(sinceId: number | undefined) {
    return { id: this.id, text: `[${sinceId ?? "all"}..${this.id}]${this.#text}`, size: 1 };
  }
}

function createHub(): StreamHub<DeltaStream<TestFeed>> {
  const hub = new StreamHub<DeltaStream<TestFeed>>({
    limits: { maxStreams: 10 },
    update: (stream) => stream.update(),
    reconnectDelayMs: () => 0,
  });
  onTestFinished(() => hub.close());
  return hub;
}

test("DeltaStream sends the initial state and then each change once", async () => {
  const { events, received } = await openStream(await startStreamServer());
  const feed = new TestFeed("");
  const stream = new DeltaStream("", feed, events);
  stream.sendInitial(undefined);
  stream.update();
  feed.id = 2;
  stream.update();
  stream.update();
  events.end();
  await expect.poll(received).toContain("event: unleash-updated\nid: 2\ndata: [1..2]\n\n");
  expect(received()).toContain("event: unleash-connected\nid: 1\ndata: [all..1]\n\n");
  expect(received().match(/event:/g)).toHaveLength(2);
});

test("DeltaStream sends only the differences once a slow SDK has caught up", async () => {
  const { events, client, received } = await openStream(await startStreamServer());
  const feed = new TestFeed("");
  const hub = createHub();
  const stream = new DeltaStream("", feed, events);
  stream.sendInitial(undefined);
  hub.add(stream);
  client.pause();
  events.write(`:${LARGE_TEXT}\n\n`);
  for (feed.id of [2, 3, 4]) stream.update();
  client.resume();
  await expect.poll(() => received().slice(-100)).toContain("id: 4\ndata: [1..4]");
  expect(received().match(/event: unleash-updated/g)).toHaveLength(1);
});

test("DeltaStream shares the bytes of a message with all streams", async () => {
  const server = await startStreamServer();
  const message = { id: 1, text: LARGE_TEXT, size: 1 };
  const feed: DeltaFeed = { id: 1, bytes: 0, update: () => message };
  const before = process.memoryUsage().arrayBuffers;
  for (let count = 0; count < 8; count += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one connection after the other
    const { events, client } = await openStream(server);
    client.pause();
    new DeltaStream("", feed, events).sendInitial(undefined);
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * LARGE_TEXT.length);
});
