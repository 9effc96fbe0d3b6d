import type { KeyExtractor } from "./access/key-extractor.ts";
import type { ProxyRequest } from "./http/request.ts";
import type { ResponseCache } from "./response/response-cache.ts";
import { createFlagResponder } from "./routes/flag-responder.ts";
import type { Protocol, RouteOptions } from "./routes/protocol.ts";
import { createKeyCheck } from "./routing/authenticate.ts";
import type { Route } from "./routing/route.ts";

export interface ClientRoutesOptions extends Pick<
  RouteOptions,
  "access" | "clientStreams" | "config" | "originOf" | "usageRules"
> {
  readonly protocols: readonly Protocol[];
  readonly cache: ResponseCache;
  readonly callerAddress: (request: ProxyRequest) => string | undefined;
}

export function clientRoutes(options: ClientRoutesOptions): readonly Route[] {
  return options.protocols.flatMap((protocol) => {
    const respond = createFlagResponder(protocol, options.cache);
    const { definition, keyExtractor } = protocol;
    const allow = allowWith(options, keyExtractor);
    const routes = definition.createRoutes({ ...options, protocol, respond, allow });
    return definition.paths.flatMap((path) => below(path, routes));
  });
}

export function allowWith(
  { access, callerAddress }: Pick<ClientRoutesOptions, "access" | "callerAddress">,
  extractor: KeyExtractor,
): RouteOptions["allow"] {
  return (...kinds) => createKeyCheck({ access, extractor, callerAddress }, kinds);
}

export function below(path: string, routes: readonly Route[]): readonly Route[] {
  return routes.map((route) => ({ ...route, path: path + route.path }));
}
