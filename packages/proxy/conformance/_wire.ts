import type { Context } from "flags-engine";
import { expect } from "vitest";
import { startProxy, type TestProxy, togglesOf, type ToggleResponse } from "../test/_proxy.ts";
import type { SourceDocument } from "../test/_source.ts";

/** How clients ask: kept answers and new ones, compressed ones and plain ones. */
const CODINGS = ["identity", "identity", "gzip", "br", "identity", "gzip"] as const;
const METHODS = ["GET", "POST"] as const;

const STANDARD_FIELDS = [
  "appName",
  "userId",
  "sessionId",
  "environment",
  "remoteAddress",
  "currentTime",
];

/** A context as text, which is all that crosses the wire. */
interface WireContext {
  readonly fields: Readonly<Record<string, string>>;
  readonly properties: Readonly<Record<string, string>>;
}

function toWireContext({ properties, ...context }: Context): WireContext {
  const known = Object.entries(context).filter(([name]) => STANDARD_FIELDS.includes(name));
  return { fields: toTexts(known), properties: toTexts(Object.entries(properties ?? {})) };
}

function toTexts(
  values: readonly (readonly [string, unknown])[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    values
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  );
}

function toQuery({ fields, properties }: WireContext): URLSearchParams {
  const query = new URLSearchParams(fields);
  for (const [name, value] of Object.entries(properties))
    query.append(`properties[${name}]`, value);
  return query;
}

/** Puts a question, by GET or by POST. */
type Put = (method: string, headers: Record<string, string>) => Promise<Response>;

function putterOf({ request }: TestProxy, context: WireContext): Put {
  const query = `/proxy?${toQuery(context)}`;
  const body = JSON.stringify({ context: { ...context.fields, properties: context.properties } });
  return async (method, headers) =>
    method === "GET"
      ? request(query, { headers })
      : request("/proxy", {
          method,
          body,
          headers: { "content-type": "application/json", ...headers },
        });
}

/** Asks for the toggles that are on; every way of asking must come to the same. */
export type Ask = (context: Context) => Promise<ReadonlyMap<string, ToggleResponse>>;

/** A proxy over a document whose every answer comes by the fast path. */
export async function startFastProxy(document: SourceDocument): Promise<Ask> {
  let seenByFramework = 0;
  const proxy = await startProxy({
    document,
    config: { appName: "app" },
    extend: (app) => {
      app.addHook("onRequest", async () => {
        seenByFramework += 1;
      });
    },
  });
  return async (context) => {
    const put = putterOf(proxy, toWireContext(context));
    const answers: (readonly ToggleResponse[])[] = [];
    for (const method of METHODS) {
      for (const coding of CODINGS) {
        // oxlint-disable-next-line no-await-in-loop -- from the second time on, an answer may be kept
        const response = await put(method, { "accept-encoding": coding });
        expect(response.status).toBe(200);
        const headers = { "if-none-match": response.headers.get("etag") ?? "" };
        // oxlint-disable-next-line no-await-in-loop -- as above
        answers.push(await togglesOf(response));
        // oxlint-disable-next-line no-await-in-loop -- as above
        expect((await put(method, headers)).status).toBe(304);
      }
    }
    expect(seenByFramework).toBe(0);
    const [first = [], ...others] = answers;
    for (const other of others) expect(other).toEqual(first);
    return new Map(first.map((toggle) => [toggle.name, toggle]));
  };
}
