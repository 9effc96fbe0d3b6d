import { DocumentError, isRecord } from "flags-engine";
import type { Steps } from "flags-engine";
import type { Identity } from "../identity.ts";
import type { TimeSlicer } from "../scheduling/time-slicer.ts";
import { confirmationOf } from "./confirmation.ts";
import type { Confirmation } from "./confirmation.ts";
import { credentialHeaders, definitionHeaders, identityHeaders, streamHeaders } from "./headers.ts";
import type { CredentialSettings, HeaderMap } from "./headers.ts";
import type { HttpClient, OpenResponse, UpstreamRequest, UpstreamResponse } from "./http-client.ts";
import { readJson } from "./read-json.ts";
import { API_HINTS, isComplete, toNotOffered, toStatusError } from "./status-error.ts";
import type { StatusHints } from "./status-error.ts";
import { describeCause, describeUrl, UpstreamError } from "./upstream-error.ts";

/** Which flags to request. Without any filter, all of them. */
export interface FeatureFilters {
  readonly projectName: string | undefined;
  readonly namePrefix: string | undefined;
  readonly tags: readonly { readonly name: string; readonly value: string }[];
}

export interface UpstreamApiOptions {
  readonly http: Pick<HttpClient, "open" | "send">;
  readonly slicer: Pick<TimeSlicer, "run">;
  readonly url: URL;
  readonly identity: Identity;
  readonly filters: FeatureFilters;
  readonly refreshIntervalMs: number;
  readonly metricsIntervalMs: number;
  readonly credentials: CredentialSettings;
  /** How long a stream may be silent, in milliseconds. @default 60000 */
  readonly maxSilenceMs?: number;
}

export interface FetchedFeatures {
  /** Undefined if nothing has changed since the ETag of the request. */
  readonly document: unknown;
  readonly etag: string | undefined;
  readonly confirmation: Confirmation;
}

interface OpenStream extends OpenResponse {
  /** Of the flags in the first event. */
  readonly confirmation: Confirmation;
}

const UPSTREAM_URL_SETTING =
  "the URL of the upstream (FLAGS_URL or the option flagsUrl; in flags-sdk the option url)";

// Upstreams send a keep-alive every 15 to 30 seconds.
const MAX_SILENCE_MS = 60_000;

/** Of the responses to usage and registrations, of which many can arrive at once. They say nothing. */
const MAX_CONFIRMATION_BYTES = 1024 * 1024;
/** Sufficient for 1000 tokens of 100 projects with short names. */
const MAX_VALIDATION_BYTES = 4 * 1024 * 1024;

/** The calls of the upstream protocol. Every call throws an `UpstreamError` if it fails. */
export class UpstreamApi {
  readonly #options: UpstreamApiOptions;

  constructor(options: UpstreamApiOptions) {
    this.#options = options;
  }

  /** Fetches all definitions, unless they have not changed since the ETag. */
  async fetchFeatures(etag: string | undefined, signal: AbortSignal): Promise<FetchedFeatures> {
    return this.#fetch("client/features", etag, signal);
  }

  /** Fetches the changes since the ETag; without an ETag, everything. */
  async fetchDelta(etag: string | undefined, signal: AbortSignal): Promise<FetchedFeatures> {
    try {
      return await this.#fetch("client/delta", etag, signal);
    } catch (cause) {
      throw toNotOffered(cause, this.#options.refreshIntervalMs) ?? cause;
    }
  }

  /** Opens an event stream of changes since the event id; without an id, of everything. */
  async openStream(lastEventId: string | undefined, signal: AbortSignal): Promise<OpenStream> {
    const { http, refreshIntervalMs, maxSilenceMs = MAX_SILENCE_MS } = this.#options;
    const url = this.#definitionsUrl("client/streaming");
    const headers = { ...this.#headers(refreshIntervalMs), ...streamHeaders(lastEventId) };
    const sentAtMs = performance.now();
    const response = await http.open(
      this.#request({ method: "GET", url, headers, signal }),
      maxSilenceMs,
    );
    try {
      if (!isComplete(response)) throw toStatusError(response, { url, hints: API_HINTS });
      assertEventStream(url, response);
    } catch (cause) {
      response.close();
      throw toNotOffered(cause, refreshIntervalMs) ?? cause;
    }
    return { ...response, confirmation: confirmationOf(response, sentAtMs) };
  }

  async readEvent(data: string, signal: AbortSignal): Promise<unknown> {
    const delta = await this.#options.slicer.run(readJson(data), signal);
    assertNoError("The event", delta);
    return delta;
  }

  async register(body: object, signal: AbortSignal): Promise<void> {
    await this.#post("client/register", JSON.stringify(body), signal);
  }

  async sendMetrics(body: object, signal: AbortSignal): Promise<void> {
    await this.#post("client/metrics", JSON.stringify(body), signal);
  }

  /** @param body a bulk report as JSON */
  async sendBulk(body: string, signal: AbortSignal): Promise<void> {
    await this.#post("client/metrics/bulk", body, signal);
  }

  /** Asks which tokens are valid. The token of this client is not sent: a real server rejects the call if it is. */
  async validateTokens(
    tokens: readonly string[],
    hints: StatusHints,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { http, slicer, url: baseUrl, identity, credentials } = this.#options;
    const url = new URL("../edge/validate", baseUrl);
    const response = await http.send({
      ...this.#request({
        method: "POST",
        url,
        headers: { ...identityHeaders(identity, 0), "content-type": "application/json" },
        body: JSON.stringify({ tokens }),
        maxBodyBytes: MAX_VALIDATION_BYTES,
        signal,
      }),
      credentials: () => credentialHeaders({ ...credentials, token: undefined }),
    });
    if (!isComplete(response)) throw toStatusError(response, { url, hints });
    return slicer.run(readBody(url, response.body), signal);
  }

  async #fetch(
    path: string,
    etag: string | undefined,
    signal: AbortSignal,
  ): Promise<FetchedFeatures> {
    const { http, slicer, refreshIntervalMs } = this.#options;
    const url = this.#definitionsUrl(path);
    const headers = { ...this.#headers(refreshIntervalMs), ...definitionHeaders(etag) };
    const sentAtMs = performance.now();
    const response = await http.send(this.#request({ method: "GET", url, headers, signal }));
    const confirmation = confirmationOf(response, sentAtMs);
    if (response.status === 304 && etag !== undefined) {
      return { document: undefined, etag, confirmation };
    }
    if (!isComplete(response)) throw toStatusError(response, { url, hints: API_HINTS });
    assertNoPage(url, response, "flags");
    return {
      document: await slicer.run(readBody(url, response.body), signal),
      etag: response.headers.get("etag") ?? undefined,
      confirmation,
    };
  }

  async #post(path: string, body: string, signal: AbortSignal): Promise<void> {
    const { http, url: baseUrl, metricsIntervalMs } = this.#options;
    const url = new URL(path, baseUrl);
    const headers = { ...this.#headers(metricsIntervalMs), "content-type": "application/json" };
    const maxBodyBytes = MAX_CONFIRMATION_BYTES;
    const response = await http.send(
      this.#request({ method: "POST", url, headers, body, maxBodyBytes, signal }),
    );
    const { status } = response;
    if (status < 200 || status >= 300) throw toStatusError(response, { url, hints: API_HINTS });
    assertNoPage(url, response, "a confirmation");
  }

  #headers(intervalMs: number): HeaderMap {
    return identityHeaders(this.#options.identity, intervalMs);
  }

  #request(request: Omit<UpstreamRequest, "urlSetting" | "credentials">): UpstreamRequest {
    const credentials = (): Promise<HeaderMap> => credentialHeaders(this.#options.credentials);
    return { ...request, urlSetting: UPSTREAM_URL_SETTING, credentials };
  }

  #definitionsUrl(path: string): URL {
    const target = new URL(path, this.#options.url);
    const { projectName, namePrefix, tags } = this.#options.filters;
    if (projectName !== undefined) target.searchParams.append("project", projectName);
    if (namePrefix !== undefined) target.searchParams.append("namePrefix", namePrefix);
    for (const { name, value } of tags) target.searchParams.append("tag", `${name}:${value}`);
    return target;
  }
}

/** Parses a response body; throws an `UpstreamError` if it is not JSON, nested too deeply, or an error. */
export function* readBody(url: URL, body: string): Steps<unknown> {
  let content: unknown;
  try {
    content = yield* readJson(body);
  } catch (cause) {
    const problem = cause instanceof DocumentError ? "an unusable document" : "invalid JSON";
    const message = `${describeUrl(url)} sent ${problem}: ${describeCause(cause)}`;
    throw new UpstreamError(message, { code: "DOCUMENT", cause });
  }
  assertNoError(describeUrl(url), content);
  return content;
}

/**
 * Rejects an error that a gateway or a failing server sends with the status of a success. It may contain an empty
 * list as well, which would otherwise turn every flag off.
 */
function assertNoError(sender: string, content: unknown): void {
  if (!isRecord(content)) return;
  const found = ["error", "errors"].find((member) => (content[member] ?? false) !== false);
  if (found === undefined) return;
  const message = `${sender} contains an error instead of content: it has the member ${found}`;
  throw new UpstreamError(message, { code: "DOCUMENT" });
}

/** Rejects a page for people, such as the login page of a gateway: the upstream has not received the request. */
function assertNoPage(url: URL, { headers, body }: UpstreamResponse, expected: string): void {
  const isHtml = /html/i.test(headers.get("content-type") ?? "");
  // Some servers declare an empty body as HTML.
  if (!isHtml || !body.trimStart().startsWith("<")) return;
  const message = `${describeUrl(url)} sent an HTML page instead of ${expected}`;
  throw new UpstreamError(message, { code: "DOCUMENT" });
}

function assertEventStream(url: URL, { headers }: Pick<OpenResponse, "headers">): void {
  if (/^text\/event-stream\b/i.test(headers.get("content-type") ?? "")) return;
  throw new UpstreamError(`${describeUrl(url)} is not an event stream`, { code: "NOT_OFFERED" });
}
