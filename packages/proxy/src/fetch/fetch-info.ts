import { describeCause } from "flags-sdk/neutral";
import type { Logger } from "flags-server-kit/neutral";

/** How work continues after a response. */
export interface BackgroundWork {
  /**
   * Keeps work going after the response: `ctx.waitUntil()` of Workers, `after()` of Next.js. Without it, such work may be
   * cut off when the response has been sent, on runtimes that stop then.
   *
   * @default the work is only started
   */
  waitUntil?(work: Promise<unknown>): unknown;
}

/** What a runtime knows about a request besides the request. */
export interface FetchInfo extends BackgroundWork {
  /** The address of the client. @default as the runtime says; on Workers, `CF-Connecting-IP` */
  readonly address?: string | undefined;
  /** How Deno passes the address. */
  readonly remoteAddr?: { readonly hostname?: string };
}

/** The server that Bun passes with a request. */
export interface BunServer {
  requestIP(request: Request): { readonly address: string } | null;
}

/** Keeps work going after the response. Never throws. */
export type Defer = (work: Promise<unknown>) => void;

export interface Invocation {
  readonly address: string | undefined;
  readonly work: BackgroundWork;
}

/** A request of Workers has this member, which clients cannot set. */
interface WorkersRequest {
  readonly cf?: unknown;
}

/** On Workers, the second parameter contains the bindings, and the third is the context. */
export function readInvocation(request: Request, info?: object, context?: object): Invocation {
  if (typeof Object(request).headers?.get !== "function")
    throw new TypeError("`request` must be a Request of the Fetch API");
  const known: FetchInfo & Partial<BunServer> = context ?? info ?? {};
  return {
    address: addressOf(request, known),
    work: known,
  };
}

function addressOf(request: Request, info: FetchInfo & Partial<BunServer>): string | undefined {
  // NOTE: first, because Bun passes its server, whose `address` is that of the server.
  if (typeof info.requestIP === "function") return info.requestIP(request)?.address;
  const known = info.address ?? info.remoteAddr?.hostname;
  if (known !== undefined) return known;
  const isOnWorkers = (request as WorkersRequest).cf !== undefined;
  return isOnWorkers ? (request.headers.get("cf-connecting-ip") ?? undefined) : undefined;
}

export function createDefer(logger: Pick<Logger, "warn">): (given: BackgroundWork) => Defer {
  let hasFailed = false;
  return (given) => (work) => {
    try {
      given.waitUntil?.(work);
    } catch (error) {
      if (!hasFailed)
        logger.warn(`waitUntil() failed, so the runtime may cut work off: ${describeCause(error)}`);
      hasFailed = true;
    }
  };
}
