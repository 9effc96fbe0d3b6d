import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { type CleanUp, type Command, startCommand } from "./_command.ts";
import { type FeatureServer, startFeatureServer } from "./_feature-server.ts";
import type { SourceDocument } from "./_source.ts";

export { eventually, untilReady } from "./_command.ts";

export const KEY = "client-key";

/** `inProcess` is enabled in one process only, so that a response identifies its worker. */
const STRATEGY_FILE = `export default [
  { name: "inProcess", isEnabled: ({ pid }) => pid === String(process.pid) },
  { name: "broken", isEnabled: () => { throw new Error("no luck") } },
  { name: "crash", isEnabled: () => { setImmediate(() => { throw new Error("lost client-key") }) } },
]`;

export const toFlag = (name: string, strategy = "default", parameters = {}) => ({
  name,
  enabled: true,
  strategies: [{ name: strategy, parameters }],
});

/** Returns a document with one flag per process, enabled only in that process. */
export function flagPerProcess(pids: readonly number[]): SourceDocument {
  return { features: pids.map((pid) => toFlag(`in-${pid}`, "inProcess", { pid: String(pid) })) };
}

export interface WorkersSetup {
  readonly command: Command;
  readonly upstream: FeatureServer;
  /** The address of the proxy, without `/proxy`. */
  readonly url: string;
  readonly strategyFile: string;
}

/** Starts the command with two workers and a new upstream, for the duration of a test unless `cleanUp` is given. */
export async function startWorkers(
  environment: Record<string, string> = {},
  prepare: (upstream: FeatureServer) => void = () => {},
  cleanUp: CleanUp = onTestFinished,
): Promise<WorkersSetup> {
  const upstream = await startFeatureServer({ features: [toFlag("on")] }, cleanUp);
  prepare(upstream);
  const directory = await mkdtemp(join(tmpdir(), "flags-workers-"));
  cleanUp(() => rm(directory, { recursive: true }));
  const strategyFile = join(directory, "strategies.mjs");
  await writeFile(strategyFile, STRATEGY_FILE);
  const command = startCommand(
    {
      FLAGS_URL: upstream.url,
      FLAGS_API_TOKEN: "upstream-token",
      FLAGS_PROXY_CLIENT_KEYS: KEY,
      FLAGS_PROXY_WORKERS: "2",
      FLAGS_FETCH_INTERVAL: "100",
      FLAGS_METRICS_INTERVAL: "1000000",
      FLAGS_CUSTOM_STRATEGIES_FILE: strategyFile,
      LOG_LEVEL: "info",
      ...environment,
    },
    { cleanUp },
  );
  return { command, upstream, strategyFile, url: await command.listening() };
}

/** Returns the process ids of all workers that have listened so far, in order. */
export function pidsOf({ output }: Command): readonly number[] {
  return [...output.stdout.matchAll(/Worker \d+ \(process (\d+)\) is listening/g)].map(([, pid]) =>
    Number(pid),
  );
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

export interface Received {
  readonly status: number;
  readonly etag: string | undefined;
  readonly body: string;
}

/** Sends a request, on a new connection unless there is an agent. */
export async function send(
  url: string,
  { body, agent }: { readonly body?: object; readonly agent?: Agent } = {},
): Promise<Received> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { authorization: KEY, "content-type": "application/json" };
    const method = body === undefined ? "GET" : "POST";
    const sent = request(url, { method, headers, agent: agent ?? false }, resolve);
    sent.setTimeout(30_000, () => sent.destroy(new Error("No response"))).on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
  const { statusCode = 0, headers } = response;
  return { status: statusCode, etag: headers.etag, body: await text(response) };
}

/** Creates an agent that keeps one connection open. */
export function createKeepAliveAgent(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return agent;
}

/** Returns the names of the flags in a response. */
export function namesIn({ body }: Received): readonly string[] {
  const { toggles } = JSON.parse(body) as { readonly toggles: readonly { name: string }[] };
  return toggles.map(({ name }) => name);
}

/** Sends requests one after the other, each on a new connection. */
export async function sendSequentially(url: string, count: number): Promise<readonly Received[]> {
  const responses: Received[] = [];
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (let index = 0; index < count; index += 1) responses.push(await send(url));
  return responses;
}

export const USAGE = { appName: "web", bucket: { toggles: { on: { yes: 1, no: 0 } } } };

/** Returns the sum of the `yes` counts of flag `on` that the upstream has received. */
export function deliveredTo({ posts }: FeatureServer): number {
  const reports = (posts.get("/api/client/metrics") ?? []) as readonly {
    readonly bucket: { readonly toggles: { readonly on?: { readonly yes: number } } };
  }[];
  return reports.reduce((sum, { bucket }) => sum + (bucket.toggles.on?.yes ?? 0), 0);
}
