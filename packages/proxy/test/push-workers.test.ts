import { expect, test } from "vitest";
import { namesIn, readEvents } from "./_event-reader.ts";
import { KEY, startWorkers, toFlag } from "./_workers.ts";
import { untilReady } from "./_command.ts";

const STREAM_COUNT = 6;

test("streams of every worker hear of a change, and an address is good at each", async () => {
  const { url, upstream } = await startWorkers();
  await untilReady(url);
  const response = await fetch(`${url}/proxy/stream`, {
    method: "POST",
    body: JSON.stringify({ context: { userId: "7" } }),
    headers: { authorization: KEY, "content-type": "application/json" },
  });
  const address = (await response.json()) as { readonly url: string };
  // Connections go to the workers in turn, and a stream keeps its own.
  const opening = Array.from({ length: STREAM_COUNT }, () => readEvents(address.url));
  const streams = await Promise.all(opening);
  for (const event of await Promise.all(streams.map((stream) => stream.next()))) {
    expect(namesIn(event)).toEqual(["on"]);
  }

  upstream.document = { features: [toFlag("on"), toFlag("new")] };
  for (const event of await Promise.all(streams.map((stream) => stream.next()))) {
    expect(namesIn(event)).toEqual(["on", "new"]);
  }
});
