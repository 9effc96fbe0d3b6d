import type { Identity } from "../identity.ts";
import type { MetricsBody } from "../metrics/metrics-body.ts";
import type { RegistrationBody } from "../metrics/registration-body.ts";
import { describeCause, UpstreamError } from "./upstream-error.ts";
import type { HeaderMap } from "./header-map.ts";
import { describeUrl } from "./http-client.ts";
import type { HttpClient, UpstreamResponse } from "./http-client.ts";
import { API_ADVICE, toStatusError } from "./status-error.ts";
import { definitionHeaders, identityHeaders } from "./wire-headers.ts";

/** Which flags to ask for; everything absent means all. */
export interface FeatureFilters {
  readonly projectName: string | undefined;
  readonly namePrefix: string | undefined;
  readonly tags: readonly { readonly name: string; readonly value: string }[];
}

export interface UpstreamApiOptions {
  readonly http: HttpClient;
  /** The address of the API, with a trailing slash. */
  readonly url: URL;
  readonly identity: Identity;
  readonly filters: FeatureFilters;
  readonly refreshIntervalMs: number;
  readonly metricsIntervalMs: number;
  /** Headers for the upstream only, made anew for each call. */
  readonly credentials: () => Promise<HeaderMap>;
  readonly now: () => number;
}

/** Definitions that differ from those the ETag names; undefined when nothing is new. */
export type FetchedFeatures = { readonly document: unknown; readonly etag: string | undefined };

/** The calls of the upstream protocol. Each resolves on success and throws an `UpstreamError` else. */
export class UpstreamApi {
  readonly #options: UpstreamApiOptions;

  constructor(options: UpstreamApiOptions) {
    this.#options = options;
  }

  async fetchFeatures(
    etag: string | undefined,
    signal: AbortSignal,
  ): Promise<FetchedFeatures | undefined> {
    const { http, identity, refreshIntervalMs, credentials } = this.#options;
    const url = featuresUrl(this.#options);
    const headers = { ...identityHeaders(identity, refreshIntervalMs), ...definitionHeaders(etag) };
    const response = await http.send({ method: "GET", url, headers, credentials, signal });
    if (response.status === 304 && etag !== undefined) return undefined;
    this.#assertSuccess(url, response);
    return {
      document: parseJson(url, response.body),
      etag: response.headers.get("etag") ?? undefined,
    };
  }

  async register(body: RegistrationBody, signal: AbortSignal): Promise<void> {
    await this.#post("client/register", body, signal);
  }

  async sendMetrics(body: MetricsBody, signal: AbortSignal): Promise<void> {
    await this.#post("client/metrics", body, signal);
  }

  async #post(path: string, body: unknown, signal: AbortSignal): Promise<void> {
    const { http, identity, metricsIntervalMs, credentials } = this.#options;
    const url = new URL(path, this.#options.url);
    const headers = {
      ...identityHeaders(identity, metricsIntervalMs),
      "content-type": "application/json",
    };
    const text = JSON.stringify(body);
    const response = await http.send({
      method: "POST",
      url,
      headers,
      credentials,
      body: text,
      signal,
    });
    this.#assertSuccess(url, response);
  }

  #assertSuccess(url: URL, response: UpstreamResponse): void {
    if (response.status >= 200 && response.status < 300) return;
    throw toStatusError(response, { url, advice: API_ADVICE, nowMs: this.#options.now() });
  }
}

function featuresUrl({ url, filters }: UpstreamApiOptions): URL {
  const target = new URL("client/features", url);
  const { projectName, namePrefix, tags } = filters;
  if (projectName !== undefined) target.searchParams.append("project", projectName);
  if (namePrefix !== undefined) target.searchParams.append("namePrefix", namePrefix);
  for (const { name, value } of tags) target.searchParams.append("tag", `${name}:${value}`);
  return target;
}

/** Reads the body of a document; throws an `UpstreamError` when it is not JSON. */
export function parseJson(url: URL, body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    const message = `${describeUrl(url)} sent no JSON: ${describeCause(cause)}`;
    throw new UpstreamError(message, { code: "DOCUMENT", cause });
  }
}
