import { readFile } from "node:fs/promises";
import { complete } from "flags-engine";
import type { HeaderMap } from "../transport/header-map.ts";
import { JsonReader } from "../json/json-reader.ts";
import type { SlicedWork } from "../schedule/sliced-work.ts";
import type { HttpClient } from "../transport/http-client.ts";
import { toStatusError } from "../transport/status-error.ts";
import type { Advice } from "../transport/status-error.ts";
import { readBody } from "../transport/read-body.ts";

/** One place to get a document from. */
export interface BootstrapSource {
  readonly name: string;
  /** Whether another attempt may succeed where one failed. */
  readonly isRetried: boolean;
  load(signal: AbortSignal): Promise<unknown>;
}

export function dataSource(
  features: readonly unknown[],
  segments: readonly unknown[],
): BootstrapSource {
  return {
    name: "bootstrap data",
    isRetried: false,
    load: () => Promise.resolve({ features, segments }),
  };
}

export function fileSource(path: string): BootstrapSource {
  return {
    name: `bootstrap file ${path}`,
    isRetried: false,
    load: async () => complete(new JsonReader().read(await readFile(path, "utf8"))),
  };
}

const URL_SETTING = "the bootstrap URL (option bootstrap.url, or EXP_BOOTSTRAP_URL of the proxy)";

const ADVICE: Advice = new Map([
  [401, "it asks for credentials: check the headers for the bootstrap URL"],
  [403, "it forbids this: check the headers for the bootstrap URL"],
  [404, "there is nothing: check the bootstrap URL"],
]);

export interface UrlSourceOptions {
  readonly http: HttpClient;
  readonly work: SlicedWork;
  readonly url: URL;
  readonly headers: HeaderMap;
  readonly userAgent: string;
  readonly now: () => number;
}

export function urlSource({
  http,
  work,
  url,
  headers,
  userAgent,
  now,
}: UrlSourceOptions): BootstrapSource {
  return {
    name: "bootstrap URL",
    isRetried: true,
    load: async (signal) => {
      const response = await http.send({
        method: "GET",
        url,
        urlSetting: URL_SETTING,
        headers: { accept: "application/json", "user-agent": userAgent },
        credentials: () => Promise.resolve(headers),
        signal,
      });
      if (response.status !== 200) {
        throw toStatusError(response, { url, advice: ADVICE, nowMs: now() });
      }
      return work.run(readBody(url, response.body, new JsonReader()), signal);
    },
  };
}
