import type { IncomingHttpHeaders } from "node:http";

/** A request, as an adapter passes it on. `IncomingMessage` of Node is one. */
export interface ProxyRequest {
  readonly method?: string | undefined;
  /** The request target: path and query, or an absolute URL. */
  readonly url?: string | undefined;
  /** The target before a framework removed the path at which the proxy is mounted. @default `url` */
  readonly originalUrl?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Alternating names and values, as they were sent; empty if the runtime does not show them. */
  readonly rawHeaders: readonly string[];
  readonly socket: {
    readonly remoteAddress?: string | undefined;
    readonly encrypted?: boolean | undefined;
    readonly destroyed?: boolean | undefined;
  };
}

/** Returns the origin of a URL of the proxy, such as `https://flags.example.com`, as the client sees it. */
export type RequestOrigin = (request: ProxyRequest) => string;

/** The path at which a framework has mounted the proxy, which the request target does not contain; often empty. */
export function mountPathOf({ url = "", originalUrl = url }: ProxyRequest): string {
  return originalUrl.endsWith(url) ? originalUrl.slice(0, originalUrl.length - url.length) : "";
}

export interface BodyLimits {
  readonly limitBytes: number;
  /** Identifies the key of the request, whose bodies share a part of the memory. Undefined: it has none. */
  readonly key: string | undefined;
}

/** Reads the body of a request, decompressed. @throws {HttpError} 400, 413, 415 or 503, immediately or later */
export type ReadBody = (limits: BodyLimits) => string | Promise<string>;
