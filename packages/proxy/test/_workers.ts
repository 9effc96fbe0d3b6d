import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished } from "vitest";
import { type Command, startCommand } from "./_command.ts";
import { type FeatureServer, startFeatureServer } from "./_feature-server.ts";
import type { SourceDocument } from "./_source.ts";

export const KEY = "client-key";

/** A strategy that is on in one process only, so that an answer tells which worker it is from. */
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

/** Flags by which the answers of these processes differ. */
export function tellApart(pids: readonly number[]): SourceDocument {
  return { features: pids.map((pid) => toFlag(`in-${pid}`, "inProcess", { pid: String(pid) })) };
}

export interface WorkersSetup {
  readonly command: Command;
  readonly upstream: FeatureServer;
  /** Of the proxy, without `/proxy`. */
  readonly url: string;
  readonly strategyFile: string;
}

/** Starts the command with two workers before an upstream of its own. */
export async function startWorkers(
  environment: Record<string, string> = {},
  prepare: (upstream: FeatureServer) => void = () => {},
): Promise<WorkersSetup> {
  const upstream = await startFeatureServer({ features: [toFlag("on")] });
  prepare(upstream);
  const directory = await mkdtemp(join(tmpdir(), "flags-workers-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const strategyFile = join(directory, "strategies.mjs");
  await writeFile(strategyFile, STRATEGY_FILE);
  const command = startCommand({
    FLAGS_URL: upstream.url,
    FLAGS_API_TOKEN: "upstream-token",
    FLAGS_PROXY_CLIENT_KEYS: KEY,
    FLAGS_PROXY_WORKERS: "2",
    FLAGS_FETCH_INTERVAL: "20",
    FLAGS_METRICS_INTERVAL: "1000000",
    FLAGS_CUSTOM_STRATEGIES_FILE: strategyFile,
    LOG_LEVEL: "info",
    ...environment,
  });
  return { command, upstream, strategyFile, url: await command.listening() };
}

/** The process ids of the workers that have come to listen, in order. */
export function pidsOf({ output }: Command): readonly number[] {
  return [...output.stdout.matchAll(/Worker \d+ \(process (\d+)\) listens/g)].map(([, pid]) =>
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

export interface Answer {
  readonly status: number;
  readonly etag: string | undefined;
  readonly body: string;
}

/** Sends a request, on a connection of its own unless an agent is given. */
export async function ask(
  url: string,
  { body, agent }: { readonly body?: object; readonly agent?: Agent } = {},
): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { authorization: KEY, "content-type": "application/json" };
    const method = body === undefined ? "GET" : "POST";
    const sent = request(url, { method, headers, agent: agent ?? false }, resolve);
    // NOTE: an agent gives the connection to nobody else while the request lives.
    sent.setTimeout(5000, () => sent.destroy(new Error("No answer"))).on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
  const { statusCode = 0, headers } = response;
  return { status: statusCode, etag: headers.etag, body: await text(response) };
}

/** An agent with one connection, kept open. */
export function keepOpen(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return agent;
}

/** The names of the flags that an answer holds. */
export function namesIn({ body }: Answer): readonly string[] {
  const { toggles } = JSON.parse(body) as { readonly toggles: readonly { name: string }[] };
  return toggles.map(({ name }) => name);
}

/** Asks on so many connections of their own, one after the other. */
export async function askInTurn(url: string, times: number): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  // oxlint-disable-next-line no-await-in-loop -- in turn
  for (let turn = 0; turn < times; turn += 1) answers.push(await ask(url));
  return answers;
}

/** Waits for what another process does, which takes its time on a busy machine. */
export const eventually: typeof expect.poll = (read) => expect.poll(read, { timeout: 30_000 });

export async function untilReady(url: string): Promise<void> {
  await eventually(async () => (await ask(`${url}/proxy/health`)).status).toBe(200);
}

export const USAGE = { appName: "web", bucket: { toggles: { on: { yes: 1, no: 0 } } } };

/** How often `on` was reported to be on, over all reports that reached the upstream. */
export function deliveredTo({ posts }: FeatureServer): number {
  const reports = (posts.get("/api/client/metrics") ?? []) as readonly {
    readonly bucket: { readonly toggles: { readonly on?: { readonly yes: number } } };
  }[];
  return reports.reduce((sum, { bucket }) => sum + (bucket.toggles.on?.yes ?? 0), 0);
}
