import type { Context } from "flags-engine";
import { expect } from "vitest";
import { startProxy, togglesOf, type ToggleAnswer } from "../test/_proxy.ts";
import type { SourceDocument } from "../test/_source.ts";

/** How clients ask: kept answers and new ones, compressed ones and plain ones. */
const CODINGS = ["identity", "identity", "gzip", "br", "identity", "gzip"] as const;

const STANDARD_FIELDS = [
  "appName",
  "userId",
  "sessionId",
  "environment",
  "remoteAddress",
  "currentTime",
];

/** What a context comes to when it crosses the wire in a query. */
export function toQuery({ properties, ...context }: Context): URLSearchParams {
  const query = new URLSearchParams();
  for (const field of STANDARD_FIELDS) append(query, field, context[field]);
  for (const [name, value] of Object.entries(properties ?? {})) {
    append(query, `properties[${name}]`, value);
  }
  return query;
}

function append(query: URLSearchParams, name: string, value: unknown): void {
  if (value === null || value === undefined) return;
  query.append(name, typeof value === "string" ? value : JSON.stringify(value));
}

/** Asks for the toggles that are on; every way of asking must come to the same. */
export type Ask = (context: Context) => Promise<ReadonlyMap<string, ToggleAnswer>>;

/** A proxy over a document whose every answer comes by the fast path. */
export async function startFastProxy(document: SourceDocument): Promise<Ask> {
  let seenByFramework = 0;
  const { request } = await startProxy({
    document,
    config: { appName: "app" },
    extend: (app) => {
      app.addHook("onRequest", async () => {
        seenByFramework += 1;
      });
    },
  });
  return async (context) => {
    const path = `/proxy?${toQuery(context)}`;
    const answers: (readonly ToggleAnswer[])[] = [];
    for (const coding of CODINGS) {
      // oxlint-disable-next-line no-await-in-loop -- from the second time on, an answer may be kept
      const response = await request(path, { headers: { "accept-encoding": coding } });
      expect(response.status).toBe(200);
      const headers = { "if-none-match": response.headers.get("etag") ?? "" };
      // oxlint-disable-next-line no-await-in-loop -- as above
      answers.push(await togglesOf(response));
      // oxlint-disable-next-line no-await-in-loop -- as above
      expect((await request(path, { headers })).status).toBe(304);
    }
    expect(seenByFramework).toBe(0);
    const [first = [], ...others] = answers;
    for (const other of others) expect(other).toEqual(first);
    return new Map(first.map((toggle) => [toggle.name, toggle]));
  };
}
