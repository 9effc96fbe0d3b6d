import type { AccessControl } from "./access/access-control.ts";
import type { ProxyConfig } from "../config/config.ts";
import type { Source } from "../sources/sources.ts";
import type { UsageRules } from "./usage/accept-usage.ts";
import { createKeyCheck } from "./routing/authenticate.ts";
import { allowWith, below, type ClientRoutesOptions, clientRoutes } from "./client-routes.ts";
import { backstageRoutes } from "./operations/backstage.ts";
import {
  HEALTH_ROUTE,
  type MetricsText,
  probeRoutes,
  metricsRoute,
} from "./operations/monitoring.ts";
import { statusRoute } from "./operations/status.ts";
import { configuredHeader, varyOn } from "./routes/protocol.ts";
import type { ReadinessRules } from "./operations/readiness.ts";
import type { ProxyRequest } from "./http/request.ts";
import type { Route } from "./routing/route.ts";
import { type DefinitionsServices, definitionsRoutes } from "./server-sdk/definitions-routes.ts";
import { tokenValidationRoutes } from "./server-sdk/token-validation.ts";
import { serverUsageRoutes } from "./server-sdk/usage-routes.ts";

export interface ApplicationOptions
  extends
    OperationsOptions,
    Pick<ClientRoutesOptions, "cache" | "clientStreams" | "originOf" | "protocols"> {
  readonly usageRules: UsageRules;
  readonly definitions: DefinitionsServices;
  /** Whether metrics and operations are omitted, because another port serves them. */
  readonly omitsManagement: boolean;
}

export function applicationRoutes(options: ApplicationOptions): readonly Route[] {
  const { config, access, callerAddress, usageRules, definitions } = options;
  const extractor = configuredHeader(config);
  const allow = allowWith(options, extractor);
  const forServers = { definitions, authenticate: allow("server"), vary: varyOn(extractor) };
  return [
    ...clientRoutes(options),
    ...operationRoutes(options, { isPrivate: false, omitsManagement: options.omitsManagement }),
    ...tokenValidationRoutes({ access, callerAddress }),
    ...below("/proxy", definitionsRoutes(forServers)),
    ...below("/api", definitionsRoutes(forServers)),
    ...below("/api", serverUsageRoutes({ usageRules, allow })),
  ];
}

export interface OperationsOptions {
  readonly config: ProxyConfig;
  readonly version: string;
  readonly access: AccessControl;
  readonly sources: readonly Source[];
  readonly metrics: MetricsText;
  readonly isStopping: ReadinessRules["isStopping"];
  readonly callerAddress: (request: ProxyRequest) => string | undefined;
}

interface OperationsVisibility {
  /** Whether only operators can reach the port. Then `GET /status` requires no token, and shows everything. */
  readonly isPrivate: boolean;
  /** Whether only probes are served, because another port serves metrics and the state. */
  readonly omitsManagement: boolean;
}

export function operationRoutes(
  { config, version, access, sources, metrics, isStopping, callerAddress }: OperationsOptions,
  { isPrivate, omitsManagement }: OperationsVisibility,
): readonly Route[] {
  const readiness = { sources, maxStalenessMs: config.maxStalenessMs, isStopping };
  const probes = [...probeRoutes(readiness), HEALTH_ROUTE];
  if (omitsManagement) return probes;
  const authenticate = createKeyCheck(
    { access, extractor: configuredHeader(config), callerAddress },
    ["server"],
  );
  return [
    ...probes,
    metricsRoute(metrics),
    statusRoute({
      config,
      version,
      sources,
      readiness,
      access,
      ...(!isPrivate && { authenticate }),
    }),
    ...backstageRoutes({ readiness, metrics, access, authenticate }),
  ];
}
