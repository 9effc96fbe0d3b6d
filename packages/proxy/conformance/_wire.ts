import type { Context } from "flags-engine";
import { expect } from "vitest";
import { STANDARD_FIELDS } from "../src/core/context/sent-context.ts";
import { type RawResponse, sendRaw } from "../test/_flag-requests.ts";
import { startProxy, type TestProxy, type ToggleResponse } from "../test/_proxy.ts";
import type { SourceDocument } from "../test/_source.ts";

/** The codings of repeated requests: new and cached responses, compressed and plain ones. */
const CODINGS = ["identity", "identity", "gzip", "br", "identity", "gzip"] as const;
const METHODS = ["GET", "POST"] as const;

/** These of the repeated requests, a new, a compressed and a cached one, are followed by a conditional one. */
const CONDITIONAL: ReadonlySet<number> = new Set([0, 3, 5]);
const STATUSES = CODINGS.flatMap((_, index) => (CONDITIONAL.has(index) ? [200, 304] : [200]));

const standardFields: ReadonlySet<string> = new Set(STANDARD_FIELDS);

/** A context as text, as it is sent. */
interface WireContext {
  readonly fields: Readonly<Record<string, string>>;
  readonly properties: Readonly<Record<string, string>>;
}

function toWireContext({ properties, ...context }: Context): WireContext {
  const known = Object.entries(context).filter(([name]) => standardFields.has(name));
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

interface ToggleList {
  readonly toggles: readonly ToggleResponse[];
}

/** Sends a request by GET or POST. */
type Send = (method: (typeof METHODS)[number], headers: object) => Promise<RawResponse>;

function senderOf(proxy: TestProxy, context: WireContext): Send {
  const query = `/proxy?${toQuery(context)}`;
  const body = JSON.stringify({ context: { ...context.fields, properties: context.properties } });
  return (method, headers) =>
    method === "GET"
      ? sendRaw(proxy, query, headers)
      : sendRaw(proxy, "/proxy", { "content-type": "application/json", ...headers }, body);
}

/** Fetches the toggles that are on; checks that all methods and codings have the same result. */
export type Evaluate = (context: Context) => Promise<ReadonlyMap<string, ToggleResponse>>;

/** Starts a proxy, and sends it requests in all ways that must have the same result. */
export async function startWireProxy(document: SourceDocument): Promise<Evaluate> {
  const proxy = await startProxy({ document, config: { appName: "app" } });
  return async (context) => {
    const send = senderOf(proxy, toWireContext(context));
    const bodies: string[] = [];
    const statuses: (number | undefined)[] = [];
    for (const method of METHODS) {
      for (const [index, coding] of CODINGS.entries()) {
        // oxlint-disable-next-line no-await-in-loop -- repeated responses may come from the cache
        const response = await send(method, { "accept-encoding": coding });
        bodies.push(response.body);
        statuses.push(response.status);
        if (!CONDITIONAL.has(index)) continue;
        const headers = { "if-none-match": response.headers.etag ?? "" };
        // oxlint-disable-next-line no-await-in-loop -- as above
        statuses.push((await send(method, headers)).status);
      }
    }
    expect(statuses).toEqual(METHODS.flatMap(() => STATUSES));
    const [first = "", ...others] = bodies;
    expect(others.filter((body) => body !== first)).toEqual([]);
    const { toggles } = JSON.parse(first) as ToggleList;
    return new Map(toggles.map((toggle) => [toggle.name, toggle]));
  };
}
