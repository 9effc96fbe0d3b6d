import type { Identity } from "../identity.ts";
import { JsonReader } from "../json/json-reader.ts";
import type { MetricsBody } from "../metrics/metrics-body.ts";
import type { RegistrationBody } from "../metrics/registration-body.ts";
import type { SlicedWork } from "../schedule/sliced-work.ts";
import { toNotOffered } from "./not-offered.ts";
import { readBody } from "./read-body.ts";
import { UpstreamError } from "./upstream-error.ts";
import type { HeaderMap } from "./header-map.ts";
import { describeUrl } from "./http-client.ts";
import type { HttpClient, OpenResponse, UpstreamResponse } from "./http-client.ts";
import { API_ADVICE, toStatusError } from "./status-error.ts";
import { definitionHeaders, identityHeaders, streamHeaders } from "./wire-headers.ts";

/** Which flags to ask for; everything absent means all. */
export interface FeatureFilters {
  readonly projectName: string | undefined;
  readonly namePrefix: string | undefined;
  readonly tags: readonly { readonly name: string; readonly value: string }[];
}

export interface UpstreamApiOptions {
  readonly http: HttpClient;
  /** Where documents are parsed. */
  readonly work: SlicedWork;
  /** The address of the API, with a trailing slash. */
  readonly url: URL;
  readonly identity: Identity;
  readonly filters: FeatureFilters;
  readonly refreshIntervalMs: number;
  readonly metricsIntervalMs: number;
  /** Headers for the upstream only, made anew for each call. */
  readonly credentials: () => Promise<HeaderMap>;
  readonly now: () => number;
  /** How long a stream may be silent. @default 60000 */
  readonly maxSilenceMs?: number;
}

/** The response to a request for definitions. */
export interface FetchedFeatures {
  /** Undefined when nothing has changed since the ETag that was sent. */
  readonly document: unknown;
  readonly etag: string | undefined;
  /** How the upstream wants clients to follow it, `streaming` for instance. */
  readonly fetchMode?: string | undefined;
}

const URL_SETTING = "the URL of the upstream (option url, or FLAGS_URL of the proxy)";

// Upstreams show every 15 to 30 seconds that they are alive.
const MAX_SILENCE_MS = 60_000;

/** The calls of the upstream protocol. Each resolves on success and throws an `UpstreamError` else. */
export class UpstreamApi {
  readonly #options: UpstreamApiOptions;
  readonly #reader = new JsonReader();

  constructor(options: UpstreamApiOptions) {
    this.#options = options;
  }

  /** All definitions, if they differ from those the ETag names. */
  async fetchFeatures(etag: string | undefined, signal: AbortSignal): Promise<FetchedFeatures> {
    return this.#read(this.#definitionsUrl("client/features"), etag, signal);
  }

  /** What has changed since the ETag; everything without it. */
  async fetchDelta(etag: string | undefined, signal: AbortSignal): Promise<FetchedFeatures> {
    try {
      return await this.#read(this.#definitionsUrl("client/delta"), etag, signal);
    } catch (cause) {
      throw toNotOffered(cause, this.#options.refreshIntervalMs) ?? cause;
    }
  }

  /** Changes as they happen, as an event stream: since the id, or from everything on. */
  async openStream(lastEventId: string | undefined, signal: AbortSignal): Promise<OpenResponse> {
    const { http, identity, credentials, refreshIntervalMs } = this.#options;
    const { maxSilenceMs = MAX_SILENCE_MS } = this.#options;
    const url = this.#definitionsUrl("client/streaming");
    const headers = {
      ...identityHeaders(identity, refreshIntervalMs),
      ...streamHeaders(lastEventId),
    };
    const response = await http.open(
      { method: "GET", url, urlSetting: URL_SETTING, headers, credentials, signal },
      maxSilenceMs,
    );
    try {
      this.#assertSuccess(url, response);
      assertEventStream(url, response);
    } catch (cause) {
      response.close();
      throw toNotOffered(cause, refreshIntervalMs) ?? cause;
    }
    return response;
  }

  /** Parses the data of a stream event; rejects when it is not JSON, or nested too deeply. */
  readEvent(data: string, signal: AbortSignal): Promise<unknown> {
    return this.#options.work.run(this.#reader.read(data), signal);
  }

  async register(body: RegistrationBody, signal: AbortSignal): Promise<void> {
    await this.#post("client/register", JSON.stringify(body), signal);
  }

  /** Registers an application that reached this client, not the client itself. */
  async forwardRegistration(
    body: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#post("client/register", JSON.stringify(body), signal);
  }

  async sendMetrics(body: MetricsBody, signal: AbortSignal): Promise<void> {
    await this.#post("client/metrics", JSON.stringify(body), signal);
  }

  /** @param body a bulk report as JSON */
  async sendBulk(body: string, signal: AbortSignal): Promise<void> {
    await this.#post("client/metrics/bulk", body, signal);
  }

  async #read(url: URL, etag: string | undefined, signal: AbortSignal): Promise<FetchedFeatures> {
    const { http, work, identity, refreshIntervalMs, credentials } = this.#options;
    const headers = { ...identityHeaders(identity, refreshIntervalMs), ...definitionHeaders(etag) };
    const response = await http.send({
      method: "GET",
      url,
      urlSetting: URL_SETTING,
      headers,
      credentials,
      signal,
    });
    const fetchMode = response.headers.get("fetch-mode") ?? undefined;
    if (response.status === 304 && etag !== undefined) {
      return { document: undefined, etag, fetchMode };
    }
    this.#assertSuccess(url, response);
    return {
      document: await work.run(readBody(url, response.body, this.#reader), signal),
      etag: response.headers.get("etag") ?? undefined,
      fetchMode,
    };
  }

  async #post(path: string, body: string, signal: AbortSignal): Promise<void> {
    const { http, identity, metricsIntervalMs, credentials } = this.#options;
    const url = new URL(path, this.#options.url);
    const headers = {
      ...identityHeaders(identity, metricsIntervalMs),
      "content-type": "application/json",
    };
    const response = await http.send({
      method: "POST",
      url,
      urlSetting: URL_SETTING,
      headers,
      credentials,
      body,
      signal,
    });
    this.#assertSuccess(url, response);
  }

  #definitionsUrl(path: string): URL {
    const target = new URL(path, this.#options.url);
    const { projectName, namePrefix, tags } = this.#options.filters;
    if (projectName !== undefined) target.searchParams.append("project", projectName);
    if (namePrefix !== undefined) target.searchParams.append("namePrefix", namePrefix);
    for (const { name, value } of tags) target.searchParams.append("tag", `${name}:${value}`);
    return target;
  }

  #assertSuccess(url: URL, response: Pick<UpstreamResponse, "status" | "headers">): void {
    if (response.status >= 200 && response.status < 300) return;
    throw toStatusError(response, { url, advice: API_ADVICE, nowMs: this.#options.now() });
  }
}

function assertEventStream(url: URL, { headers }: Pick<OpenResponse, "headers">): void {
  if (/^text\/event-stream\b/i.test(headers.get("content-type") ?? "")) return;
  throw new UpstreamError(`${describeUrl(url)} sent no event stream`, { code: "NOT_OFFERED" });
}
