import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createClient, flagNames, nextEvent, startClient, startUpstream } from "./_client.ts";
import { connected, DELTA, hydration, OpenStreams, STREAMING } from "./_event-stream.ts";
import { flag, raw, status } from "./_upstream.ts";

const LEVELS = 200_000;
const DEEP = "[".repeat(LEVELS) + "]".repeat(LEVELS);
const MESSAGE = "Lists and objects are nested more than 100 levels deep";

const DEEP_FLAG = `{"name":"deep","enabled":true,"strategies":[{"name":"default","parameters":{"a":${DEEP}}}]}`;
const DEEP_DOCUMENTS = [
  ["a flag", `{"version":2,"features":[${DEEP_FLAG}]}`],
  ["an unknown member", `{"version":2,"features":[],"more":${DEEP}}`],
  ["the document", DEEP],
] as const;

it.each(DEEP_DOCUMENTS)(
  "a document is rejected if %s is nested too deeply",
  async (_name, text) => {
    const upstream = await startUpstream();
    const client = await startClient(upstream);
    const failed = nextEvent(client, "error");
    upstream.features(raw(text));
    expect((await failed)[0].message).toContain(MESSAGE);
    expect(flagNames(client)).toEqual(["a"]);
  },
);

it("a delta that is nested too deeply is rejected", async () => {
  const upstream = await startUpstream();
  upstream.reply(DELTA, raw(`{"events":[{"type":"hydration","features":[${DEEP_FLAG}]}]}`));
  const client = createClient(upstream, { synchronization: "delta" });
  const failed = nextEvent(client, "error");
  client.start();
  expect((await failed)[0].message).toContain(MESSAGE);
  await client.synchronized();
  expect(flagNames(client)).toEqual(["a"]);
});

it("a stream event that is nested too deeply is rejected", async () => {
  const upstream = await startUpstream();
  const streams = new OpenStreams(connected(1, hydration(flag("streamed"))));
  upstream.reply(STREAMING, streams.reply);
  const client = await startClient(upstream, { synchronization: "streaming" });
  const failed = nextEvent(client, "error");
  streams.write(
    `event: unleash-updated\nid: 2\ndata: {"events":[{"type":"feature-updated","feature":${DEEP_FLAG}}]}\n\n`,
  );
  expect((await failed)[0].message).toContain(MESSAGE);
  expect(flagNames(client)).toEqual(["streamed"]);
});

it("a bootstrap file that is nested too deeply is rejected", async () => {
  const directory = await mkdtemp(join(tmpdir(), "flags-nesting-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const filePath = join(directory, "flags.json");
  await writeFile(filePath, `{"features":[${DEEP_FLAG}]}`);
  const upstream = await startUpstream();
  upstream.features(status(503));
  const client = createClient(upstream, { bootstrap: { filePath } });
  const failed = nextEvent(client, "error");
  client.start();
  expect((await failed)[0].message).toContain(MESSAGE);
});
