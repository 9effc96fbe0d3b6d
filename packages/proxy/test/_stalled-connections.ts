// Clients that send incomplete requests to the command.

import type { Socket } from "node:net";
import { onTestFinished } from "vitest";
import { startCommand, untilReady } from "./_command.ts";
import { connectClient, valueOf } from "./_connections.ts";
import { startFeatureServer } from "./_feature-server.ts";
import { KEY, send, toFlag } from "./_workers.ts";

export const HEADERS = `Host: a\r\nAuthorization: ${KEY}\r\nContent-Type: application/json\r\n`;
export const STALLED_HEADERS = `GET /proxy HTTP/1.1\r\n${HEADERS}X-Slow: `;
export const STALLED_BODY = `POST /proxy HTTP/1.1\r\n${HEADERS}Content-Length: 1040000\r\n\r\n{"context":{"a":"${"x".repeat(1_000_000)}`;
export const GET = `GET /proxy HTTP/1.1\r\n${HEADERS}\r\n`;

export async function startProxyCommand(
  environment: Record<string, string> = {},
  openFileLimit?: number,
) {
  const upstream = await startFeatureServer({ features: [toFlag("on")] });
  const command = startCommand(
    {
      FLAGS_URL: upstream.url,
      FLAGS_API_TOKEN: "upstream-token",
      FLAGS_PROXY_CLIENT_KEYS: KEY,
      ...environment,
    },
    { openFileLimit },
  );
  const url = await command.listening();
  await untilReady(url);
  const port = Number(new URL(url).port);
  const metric = async (name: string): Promise<number | undefined> =>
    valueOf((await send(`${url}/proxy/internal-backstage/prometheus`)).body, `flags_proxy_${name}`);
  return { command, url, port, metric };
}

export async function connectClients(port: number, count: number, bytes = ""): Promise<Socket[]> {
  const clients = await Promise.all(Array.from({ length: count }, () => connectClient(port)));
  for (const client of clients) client.write(bytes);
  return clients;
}

/** Sends one byte every 500 ms, for the duration of a test. */
export function dribble(clients: readonly Socket[]): void {
  const timer = setInterval(() => {
    for (const client of clients) client.write("x");
  }, 500);
  onTestFinished(() => clearInterval(timer));
}
