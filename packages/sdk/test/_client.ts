import {
  createFlagsClient,
  type FlagsClient,
  type FlagsClientEvents,
  type FlagsClientOptions,
} from "flags-sdk";
import { onTestFinished } from "vitest";
import { createConnections } from "../src/transport/connections.ts";
import { HttpClient } from "../src/transport/http-client.ts";
import type { HttpClientOptions } from "../src/transport/http-client.ts";
import { Upstream } from "./_upstream.ts";
import type { Tls } from "./_upstream.ts";

interface Resource {
  close(): Promise<void>;
}

const opened: Resource[] = [];

/**
 * Closes resources at the end of the test, all at the same time, so that no client waits for an upstream that hangs.
 * NOTE: `afterEach()` here would apply only to the first file of a process that imports this module.
 */
function closeAfterTest(resource: Resource): void {
  if (opened.length === 0) {
    onTestFinished(async () => {
      await Promise.all(opened.splice(0).map((each) => each.close()));
    });
  }
  opened.push(resource);
}

/** Starts an upstream that is closed after the test. */
export async function startUpstream(tls?: Tls): Promise<Upstream> {
  const upstream = await Upstream.start(tls);
  closeAfterTest(upstream);
  return upstream;
}

/** Creates an HTTP client without a proxy that is closed after the test. */
export function createHttp(options: Partial<HttpClientOptions> = {}): HttpClient {
  const connections = createConnections({
    timeoutMs: 5000,
    rejectUnauthorized: true,
    ca: undefined,
    cert: undefined,
    key: undefined,
    httpProxy: "",
    httpsProxy: "",
    noProxy: "",
  });
  const http = new HttpClient({ connections, timeoutMs: 5000, ...options });
  closeAfterTest(http);
  return http;
}

/** Creates a client that is closed after the test. Does not report usage by default. */
export function createClient(
  upstream: Pick<Upstream, "url">,
  options: Partial<FlagsClientOptions> = {},
): FlagsClient {
  const client = createFlagsClient({
    url: upstream.url,
    appName: "app",
    refreshIntervalMs: 10,
    metricsIntervalMs: 0,
    ...options,
  });
  // Otherwise, Node would print them.
  client.on("error", () => undefined).on("warn", () => undefined);
  closeAfterTest(client);
  return client;
}

/** Creates and starts a client, and waits for its first data. */
export async function startClient(
  upstream: Pick<Upstream, "url">,
  options: Partial<FlagsClientOptions> = {},
): Promise<FlagsClient> {
  const { client } = await startLogged(upstream, options);
  return client;
}

/** Like `startClient`; also returns all errors and warnings since the creation of the client. */
export async function startLogged(
  upstream: Pick<Upstream, "url">,
  options: Partial<FlagsClientOptions> = {},
): Promise<{ client: FlagsClient; messages: string[] }> {
  const client = createClient(upstream, options);
  const messages = collectMessages(client);
  client.start();
  await client.synchronized();
  return { client, messages };
}

/**
 * Waits until another client, with another upstream, has polled this often at the default interval of
 * these tests. For tests that a client does not do something.
 */
export async function waitForPolls(count: number): Promise<void> {
  const upstream = await startUpstream();
  const polls = upstream.nextOf(count);
  const client = await startClient(upstream);
  await polls;
  await client.close();
}

/** Resolves to the parameters of the next event of a kind. */
export function nextEvent<Event extends keyof FlagsClientEvents>(
  client: FlagsClient,
  event: Event,
): Promise<Parameters<FlagsClientEvents[Event]>> {
  return new Promise((resolve) => {
    const listener = ((...details: Parameters<FlagsClientEvents[Event]>) => {
      client.off(event, listener);
      resolve(details);
    }) as FlagsClientEvents[Event];
    client.on(event, listener);
  });
}

/** Waits until an action has changed the flags; returns their names. */
export async function flagsAfter(
  client: FlagsClient,
  action: () => void,
): Promise<readonly string[]> {
  const changed = nextEvent(client, "changed");
  action();
  await changed;
  return flagNames(client);
}

/** Collects errors and warnings of a client, as `event: message`. */
export function collectMessages(client: FlagsClient): string[] {
  const messages: string[] = [];
  client.on("error", (error) => messages.push(`error: ${error.message}`));
  client.on("warn", (message) => messages.push(`warn: ${message}`));
  return messages;
}

export const flagNames = (client: FlagsClient): readonly string[] =>
  (client.snapshot?.flags ?? []).map(({ name }) => name);
