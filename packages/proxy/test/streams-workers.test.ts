import { expect, test } from "vitest";
import { readEvents } from "../../server-kit/test/_event-reader.ts";
import { namesIn } from "./_stream-events.ts";
import { KEY, startWorkers, toFlag } from "./_workers.ts";
import { untilReady } from "./_command.ts";

const STREAM_COUNT = 6;

test("streams of every worker send changes, and a URL is valid at every worker", async () => {
  const { url, upstream } = await startWorkers();
  await untilReady(url);
  const response = await fetch(`${url}/proxy/stream`, {
    method: "POST",
    body: JSON.stringify({ context: { userId: "7" } }),
    headers: { authorization: KEY, "content-type": "application/json" },
  });
  const issued = (await response.json()) as { readonly url: string };
  // Connections are distributed over the workers.
  const opening = Array.from({ length: STREAM_COUNT }, () => readEvents(issued.url));
  const streams = await Promise.all(opening);
  for (const event of await Promise.all(streams.map((stream) => stream.next()))) {
    expect(namesIn(event)).toEqual(["on"]);
  }

  upstream.document = { features: [toFlag("on"), toFlag("new")] };
  for (const event of await Promise.all(streams.map((stream) => stream.next()))) {
    expect(namesIn(event)).toEqual(["on", "new"]);
  }
});
