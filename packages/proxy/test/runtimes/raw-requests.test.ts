// Requests as bytes, to the real runtimes: the answers are those on Node.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CleanUps } from "../_command.ts";
import { startFeatureServer } from "../_feature-server.ts";
import { exchangeRaw } from "../_raw-exchange.ts";
import { parseAnswers, RAW_DOCUMENT, RAW_REQUESTS, RAW_SETTINGS } from "../_raw-requests.ts";
import { RUNTIMES, serveOn } from "./_runtimes.ts";

const answers = parseAnswers(readFileSync(new URL("../raw-answers.txt", import.meta.url), "utf8"));

/** What the servers of the runtimes reject, change or answer themselves, so that no handler sees it as it was sent. */
const OF_THE_SERVER: ReadonlySet<string> = new Set([
  "CONNECT",
  "Expect: 100-continue without a key",
  "HTTP/1.0 with keep-alive",
  "OPTIONS *",
  "a dot segment",
  "a foreign Host at an operational path",
  "a header of 20 kB",
  "a length above the limit",
  "a length and chunks",
  "a long target",
  "a malformed Host",
  "a malformed chunk",
  "a space before a colon",
  "a target without a slash",
  "an unknown method",
  "line feeds only",
  "lower-case method",
  "no Host with HTTP/1.0",
  "no Host",
  "no key, with a body",
  "the preface of HTTP/2",
  "two Hosts",
  "two lengths",
]);

/** The statuses of answers that differ: repeated headers arrive as one, and a few things need a proxy that is a server. */
const OTHER_STATUSES: ReadonlyMap<string, number> = new Map([
  ["the same key twice", 401],
  ["two keys", 401],
  ["a gzip body above the limit", 413],
  ["POST /proxy/explain", 501],
  ["POST /edge/validate", 404],
  ["GET /api/client/features", 404],
  ["GET /docs/openapi.json", 404],
  ["GET /proxy/client/features with a client key", 404],
  ["GET /proxy/client/features", 404],
  ["Accept-Encoding: gzip", 404],
  ["GET /proxy/internal-backstage/prometheus with a foreign method", 404],
  ["an operational path with two slashes", 404],
  ["an operational path, percent-encoded", 404],
  ["a preflight of a path for server SDKs", 204],
]);

const REQUESTS = Object.entries(RAW_REQUESTS).filter(([name]) => !OF_THE_SERVER.has(name));

describe.each(RUNTIMES)("%s", (runtime) => {
  const cleanUps = new CleanUps();
  let port: number;

  beforeAll(async () => {
    const upstream = await startFeatureServer(RAW_DOCUMENT, cleanUps.add);
    const options = {
      flagsUrl: upstream.url,
      flagsApiToken: RAW_SETTINGS.FLAGS_API_TOKEN,
      clientKeys: RAW_SETTINGS.FLAGS_PROXY_CLIENT_KEYS.split(","),
      enableAllEndpoint: true,
      cors: { origin: RAW_SETTINGS.CORS_ORIGIN },
    };
    port = Number(new URL(await serveOn(runtime, options, cleanUps.add)).port);
  });
  afterAll(() => cleanUps.run());

  test.each(REQUESTS)("%s", async (name, exchange) => {
    const answer = await exchangeRaw(port, exchange);
    const status = OTHER_STATUSES.get(name);
    if (status !== undefined) expect(answer).toContain(`HTTP/1.1 ${status} `);
    else expect(withoutConnection(answer)).toBe(withoutConnection(answers.get(name) ?? ""));
  });
});

/** Headers about the connection, whether it stays open, and compression belong to the server of the runtime. */
function withoutConnection(answer: string): string {
  return answer
    .replaceAll(
      /^(?:connection|keep-alive|content-length|transfer-encoding|content-encoding): .*\n/gm,
      "",
    )
    .replaceAll(/^\((?:open|closed)\)\n/gm, "");
}
