import type { ObserveRequest } from "flags-server-kit/http";
import type { KeyRegistry } from "../access/key-registry.ts";
import type { ProxyConfig } from "../config/config.ts";
import { createCorsHeaders } from "../http/cors-headers.ts";
import { FRONTEND_PATHS } from "../api/frontend/protocol.ts";
import type { Shortcut } from "../http/server-options.ts";
import type { BodyForm } from "../api/body-form.ts";
import type { EvaluationRules } from "../api/evaluate.ts";
import type { ProtocolRules } from "../api/evaluation-rules.ts";
import { frontendBodyForm } from "../api/frontend/body.ts";
import { proxyBodyForm } from "../api/proxy/body.ts";
import { CompressedBodies } from "./compressed-bodies.ts";
import { FastPath } from "./fast-path.ts";
import { ResponseCache } from "./response-cache.ts";
import { ResponseSender } from "./send-response.ts";

interface FastPathDependencies {
  readonly ring: KeyRegistry;
  readonly rules: ProtocolRules;
  readonly observe: ObserveRequest;
  /** Memory for cached responses, and again for compressed bodies. @default 64 and 16 MiB */
  readonly cacheBytes?: number | undefined;
}

/** The fast paths of an app, the most common one first. */
export function createFastPaths(
  config: ProxyConfig,
  { ring, rules, observe, cacheBytes }: FastPathDependencies,
): readonly FastPath[] {
  const keyHeaderName = config.clientKeysHeaderName.toLowerCase();
  const corsHeaders = createCorsHeaders(config.cors);
  // NOTE: cache keys contain the path, so all paths share one cache and one limit.
  const cache = new ResponseCache(cacheBytes);
  const compressedBodies = new CompressedBodies(cacheBytes);
  const at = (path: string, of: EvaluationRules, bodyForm: BodyForm): FastPath =>
    new FastPath({
      path: config.basePath + path,
      keyHeaderName,
      ring,
      rules: of,
      bodyForm,
      sender: new ResponseSender({
        corsHeaders,
        cacheControl: of.cacheControl,
        vary: of.vary,
        compressedBodies,
      }),
      observe,
      cache,
    });
  return [
    at("/proxy", rules.proxy, proxyBodyForm),
    ...FRONTEND_PATHS.map((path) => at(path, rules.frontend, frontendBodyForm)),
  ];
}

/** Hands each request to the fast path that it suits, or else to the framework. */
export function createShortcut(fastPaths: readonly FastPath[]): Shortcut {
  return (request, response, leave) => {
    const fastPath = fastPaths.find((path) => path.suits(request));
    if (fastPath === undefined) leave(request, response);
    else fastPath.handle(request, response, leave);
  };
}
