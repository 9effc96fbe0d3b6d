import type { Handler } from "../core/routing/handler.ts";
import {
  bodyIncomplete,
  bodyTooLarge,
  notDecompressible,
  streamsNotAvailable,
  unsupportedCoding,
} from "../core/http/errors.ts";
import { jsonReply, type Reply } from "../core/http/reply.ts";
import type { BodyLimits, ProxyRequest } from "../core/http/request.ts";
import { STREAM_ROUTE } from "../core/routes/stream-routes.ts";
import { refuse, type Route } from "../core/routing/route.ts";

export type FetchHandler = (request: Request, address?: string) => Promise<Response>;

/**
 * Lets a handler respond to requests of the Fetch API: in Workers, Deno, Bun and Next.js. Responses are not compressed,
 * because these runtimes, or the CDN in front of them, do it. Streams are not available.
 */
export function createFetchHandler(handler: Handler): FetchHandler {
  return async (request, address) => {
    const { pathname, search, protocol, host } = new URL(request.url);
    const proxyRequest: ProxyRequest = {
      method: request.method,
      url: pathname + search,
      headers: { host, ...Object.fromEntries(request.headers) },
      // Repeated headers arrive as one, with their values separated by commas.
      rawHeaders: [],
      socket: { remoteAddress: address, encrypted: protocol === "https:" },
    };
    const reply = await handler.handle(proxyRequest, (limits) => readBody(request, limits));
    return toResponse(reply.stream === undefined ? reply : noStreams(reply), request.method);
  };
}

/** Returns a route that issues no addresses of streams either. */
export function withoutStreams(route: Route): Route {
  return route.path.endsWith(STREAM_ROUTE) ? refuse(route, streamsNotAvailable) : route;
}

const FORMATS = new Map<string, "gzip" | "deflate">([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
]);

async function readBody(request: Request, { limitBytes }: BodyLimits): Promise<string> {
  const coding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  const isCompressed = coding !== "" && coding !== "identity";
  const format = FORMATS.get(coding);
  if (isCompressed && format === undefined) throw unsupportedCoding();
  if (request.body === null) return "";
  const body = format === undefined ? request.body : request.body.pipeThrough(toTransform(format));
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      length += chunk.byteLength;
      if (length > limitBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw isCompressed ? notDecompressible(error) : bodyIncomplete(error);
  }
  if (length > limitBytes) throw bodyTooLarge(limitBytes);
  return Buffer.concat(chunks).toString();
}

/** NOTE: the types of Node declare another kind of buffer for one side than for the other. */
function toTransform(format: "gzip" | "deflate") {
  const { readable, writable } = new DecompressionStream(format);
  return { readable: readable as ReadableStream<Uint8Array<ArrayBuffer>>, writable };
}

function noStreams({ headers }: Reply): Reply {
  const error = streamsNotAvailable();
  const reply = jsonReply(error.toBody(), undefined, error.statusCode);
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith("access-control-")) reply.headers[name] = value;
  }
  return reply;
}

function toResponse({ status, headers, body }: Reply, method: string): Response {
  const response = new Headers(headers);
  // Connections belong to the runtime.
  response.delete("connection");
  const bytes = typeof body === "string" ? Buffer.from(body, "latin1") : body?.toBuffer();
  if (bytes === undefined || method === "HEAD")
    return new Response(null, { status, headers: response });
  return new Response(new Uint8Array(bytes), { status, headers: response });
}
