import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export const UNLEASH_TOKEN = "*:*.the-admin-of-unleash";

interface Recording {
  /** By path below `/api`. */
  readonly answers: Readonly<Record<string, { readonly status: number; readonly body: unknown }>>;
  /** What SDKs received, by environment. */
  readonly clientFeatures: Readonly<Record<string, ClientFeatures>>;
}

export interface ClientFeatures {
  readonly features: readonly ClientFeature[];
  readonly segments?: readonly { readonly id: number; readonly name: string }[];
}

interface ClientFeature {
  readonly name: string;
  readonly strategies?: readonly { readonly segments?: readonly number[] }[];
}

/** Returns a file that an Unleash server wrote. */
export function readSource(name: string): string {
  return readFileSync(new URL(`import-sources/${name}`, import.meta.url), "utf8");
}

export function readRecording(): Recording {
  return JSON.parse(readSource("unleash-8-server.json")) as Recording;
}

interface ServerOptions {
  /** Answers instead of the recorded ones. Returns false for the recorded answer. */
  readonly answer?: (path: string, response: ServerResponse) => boolean;
}

/** Starts a server with the recorded answers of Unleash 8.2, and stops it at the end of the test. Returns its address. */
export async function startUnleash({ answer }: ServerOptions = {}): Promise<string> {
  const { answers } = readRecording();
  const server = createServer((request, response) => {
    const path = (request.url ?? "").replace(/^\/api/, "");
    if (answer?.(path, response) === true) return;
    const found =
      request.headers.authorization === UNLEASH_TOKEN
        ? (answers[path] ?? { status: 404, body: { name: "NotFoundError" } })
        : { status: 401, body: { name: "AuthenticationRequired" } };
    response.writeHead(found.status, { "content-type": "application/json" });
    response.end(JSON.stringify(found.body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns what SDKs evaluate, in a form that does not depend on ids, order of flags, and defaults. */
export function toComparable({ features, segments = [] }: ClientFeatures): unknown {
  const names = new Map(segments.map(({ id, name }) => [id, name]));
  return features
    .map((flag) => ({
      ...withoutDefaults(flag),
      strategies: (flag.strategies ?? []).map((strategy) => ({
        ...withoutDefaults(strategy),
        segments: (strategy.segments ?? []).map((id) => names.get(id)),
      })),
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const IGNORED = new Set(["id", "sortOrder", "lastSeenAt", "createdAt"]);

function withoutDefaults<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutDefaults) as T;
  if (typeof value !== "object" || value === null) return value;
  const isDefault = (member: unknown) =>
    member === null || member === false || (Array.isArray(member) && member.length === 0);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => !IGNORED.has(key) && !isDefault(member))
      .map(([key, member]) => [key, withoutDefaults(member as unknown)]),
  ) as T;
}
