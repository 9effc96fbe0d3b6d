import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { EventStream } from "flags-server-kit/http";
import { Registry } from "prom-client";
import { expect, onTestFinished, test } from "vitest";
import { proxyFormat } from "../src/api/proxy/protocol.ts";
import { createMessageForms } from "../src/streaming/message-forms.ts";
import { PushHub, type PushRules } from "../src/streaming/stream-hub.ts";
import { PushStream } from "../src/streaming/flag-stream.ts";
import { SharedEvents } from "../src/streaming/shared-events.ts";
import { StoredSubscription } from "../src/streaming/subscription.ts";
import { createRenderer } from "../src/response/rendering.ts";
import { flag, withConstraint } from "./_documents.ts";
import { namesIn, readEvents } from "./_event-reader.ts";
import { KEY } from "./_proxy.ts";
import { DocumentSource } from "./_source.ts";

/** A hub with times of its own behind a server, where `/7` opens the stream of user 7. */
async function startHub(source: DocumentSource, rules: Partial<PushRules>) {
  const { render } = createRenderer(proxyFormat);
  const forms = createMessageForms({ toggles: render, frontend: render, refetch: render });
  const sharedEvents = new Map([[source, new SharedEvents(forms)]]);
  const registry = new Registry();
  const limits = { maxStreams: 100, maxStreamsPerKey: 100, maxContextBytes: 1_000_000 };
  const hub = new PushHub(
    { ...limits, maxAgeMs: 60_000, ...rules },
    { events: sharedEvents, registry },
  );
  const server = createServer(({ url = "/" }, response) => {
    const events = new EventStream(response, {});
    const { contextDependencies } = source.snapshot ?? {};
    if (contextDependencies === undefined) throw new Error("The source has no flags");
    const context = { userId: url.slice(1) };
    const subscription = new StoredSubscription({ context }, contextDependencies);
    const grant = { key: KEY, kind: "client", source } as const;
    hub.add(new PushStream({ grant, subscription, events, lastEventId: undefined }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    hub.close();
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const read = async (name: string): Promise<number> => {
    const metric = await registry.getSingleMetric(`flags_proxy_push_${name}`)?.get();
    return metric?.values[0]?.value ?? Number.NaN;
  };
  return { hub, url, read };
}

/** Opens a stream of which nothing is read. */
function openUnread(url: string): Promise<IncomingMessage> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, resolve);
    request.on("error", () => undefined);
    onTestFinished(() => void request.destroy());
  });
}

/** For user 1 alone; more than sockets keep for a reader that does not read. */
const large = (letter: string): object =>
  flag(letter, {
    strategies: [withConstraint("userId", ["1"])],
    variants: [
      {
        name: letter.repeat(16 * 1024 * 1024),
        weight: 1000,
        stickiness: "default",
      },
    ],
  });

test("comments show that a stream is alive", async () => {
  const { url } = await startHub(new DocumentSource({ features: [] }), { heartbeatMs: 20 });
  const stream = await readEvents(url);
  await expect.poll(() => stream.comments()).toBeGreaterThan(2);
});

test("a stream ends of old age, at its time and with a delay for its return", async () => {
  const { hub, url } = await startHub(new DocumentSource({ features: [] }), { maxAgeMs: 200 });
  const startMs = performance.now();
  const stream = await readEvents(url);
  await stream.ended;
  expect(performance.now() - startMs).toBeGreaterThan(100);
  expect(stream.retries).toHaveLength(2);
  expect(hub.size).toBe(0);
});

test("a reader that takes nothing is cut, and others do not notice", async () => {
  const source = new DocumentSource({ features: [large("x")] });
  const { hub, url, read } = await startHub(source, { heartbeatMs: 20, stallMs: 200 });
  await openUnread(`${url}1`);
  const other = await readEvents(url);
  await other.next();
  await expect.poll(() => read("streams_dropped_total"), { timeout: 10_000 }).toBe(1);
  expect(hub.size).toBe(1);
  source.replace({ features: [flag("new")] });
  expect(namesIn(await other.next())).toEqual(["new"]);
});

test("a reader that was behind gets the answer of the moment, and none in between", async () => {
  const source = new DocumentSource({ features: [large("x")] });
  const { url } = await startHub(source, {});
  const unread = await openUnread(`${url}1`);
  const other = await readEvents(url);
  await other.next();
  for (const name of ["one", "two", "three"]) {
    source.replace({ features: [flag(name)] });
    // oxlint-disable-next-line no-await-in-loop -- each is sent to those who keep up
    expect(namesIn(await other.next())).toEqual([name]);
  }
  let tail = "";
  for await (const chunk of unread.setEncoding("utf8")) {
    tail = (tail + String(chunk)).slice(-1000);
    if (tail.includes('"name":"three"')) break;
  }
  expect(tail).not.toContain('"name":"one"');
  expect(tail).not.toContain('"name":"two"');
});

test("a rule that goes by the clock takes effect without a change of the flags", async () => {
  const soon = new Date(Date.now() + 300).toISOString();
  const constraint = { contextName: "currentTime", operator: "DATE_AFTER", value: soon };
  const strategy = { name: "default", parameters: {}, constraints: [constraint] };
  const source = new DocumentSource({ features: [flag("later", { strategies: [strategy] })] });
  const { url } = await startHub(source, { clockMs: 50 });
  const stream = await readEvents(url);
  expect(namesIn(await stream.next())).toEqual([]);
  expect(namesIn(await stream.next())).toEqual(["later"]);
});

test("a custom strategy is asked again from time to time", async () => {
  let isOn = false;
  const strategy = { name: "switch", isEnabled: () => isOn };
  const document = { features: [flag("custom", { strategies: [{ name: "switch" }] })] };
  const { url } = await startHub(new DocumentSource(document, [strategy]), { clockMs: 20 });
  const stream = await readEvents(url);
  expect(namesIn(await stream.next())).toEqual([]);
  isOn = true;
  expect(namesIn(await stream.next())).toEqual(["custom"]);
});

test("a hub that is closed lets nobody in and listens to no source", async () => {
  const source = new DocumentSource({ features: [] });
  const { hub } = await startHub(source, {});
  hub.close();
  expect(() => hub.checkCapacity(KEY, 0)).toThrow("cannot open another stream now");
  source.replace({ features: [flag("new")] });
  expect(hub.size).toBe(0);
});
