import { AGE_HEADER, writeAge } from "flags-sdk/neutral";
import { Type } from "typebox";
import { named } from "../http/named-schema.ts";
import type { AccessControl } from "../access/access-control.ts";
import type { VerifiedGrant } from "../access/key-registry.ts";
import { ageMsOf } from "../../sources/age.ts";
import type { Source } from "../../sources/sources.ts";
import { notReady } from "../http/errors.ts";
import { isReady, type ReadinessRules } from "./readiness.ts";
import { jsonReply } from "../http/reply.ts";
import { FOR_OPERATORS, type Route } from "../routing/route.ts";
import { errorResponses } from "../routes/schemas.ts";
import { DefinitionsResponse } from "../server-sdk/schemas.ts";
import { METRICS_RESPONSE, metricsRoute, type MetricsText, PROBE } from "./monitoring.ts";
import { toTime } from "./status.ts";

interface BackstageOptions {
  readonly readiness: ReadinessRules;
  readonly metrics: MetricsText;
  readonly access: Pick<AccessControl, "keys">;
  readonly authenticate: NonNullable<Route["authenticate"]>;
}

const ProbeStatus = named("probeStatusSchema", { status: Type.String() });

const SourceState = named("sourceStateSchema", {
  environment: Type.String(),
  flags: Type.Integer({ description: "Flags in the current snapshot" }),
  revision: Type.Union([Type.String(), Type.Null()]),
  lastRefreshed: Type.Union([Type.String(), Type.Null()], {
    description: "When new flags were received, ISO 8601",
  }),
  lastCheck: Type.Union([Type.String(), Type.Null()], {
    description: "When the upstream last responded, ISO 8601",
  }),
  hasFailed: Type.Boolean({ description: "Whether a request for the flags has ever failed" }),
});

const VerifiedKeyState = named("verifiedKeyStateSchema", {
  token: Type.String({ description: "The key without most of its secret" }),
  tokenType: Type.Union([Type.Literal("client"), Type.Literal("frontend")]),
  environment: Type.String(),
  projects: Type.Array(Type.String()),
  status: Type.Literal("Validated"),
});

const SourceStates = named("sourceStatesSchema", {
  tokenRefreshes: Type.Array(SourceState),
  tokenValidationStatus: Type.Array(VerifiedKeyState),
});

const DefinitionsByEnvironment = Type.Unsafe<object>({
  type: "object",
  additionalProperties: DefinitionsResponse,
  title: "definitionsByEnvironmentSchema",
});

const TAGS = ["Operations"];

export function backstageRoutes(options: BackstageOptions): readonly Route[] {
  const { sources, isStopping } = options.readiness;
  const isServing = (): boolean => isReady(sources) && !isStopping();
  return [
    // NOTE: must not fail while the upstream is down, because it is used as a liveness probe.
    {
      ...PROBE,
      path: "/internal-backstage/health",
      summary: "Reports that the process responds",
      responses: { 200: ProbeStatus },
      handle: () => jsonReply({ status: "OK" }),
    },
    {
      ...PROBE,
      path: "/internal-backstage/ready",
      summary: "Reports whether the proxy has flags",
      responses: { 200: ProbeStatus, 503: ProbeStatus },
      handle: () =>
        isServing()
          ? jsonReply({ status: "READY" })
          : jsonReply({ status: "NOT_READY" }, undefined, 503),
    },
    ...["/metrics", "/prometheus"].map((path) => ({
      ...metricsRoute(options.metrics),
      path: `/internal-backstage${path}`,
      responses: { 200: METRICS_RESPONSE },
      isAlwaysAvailable: true,
    })),
    ...stateRoutes(options),
  ];
}

/** Definitions and states contain names of unreleased flags, so they require a server token. */
function stateRoutes({
  access,
  authenticate,
}: Pick<BackstageOptions, "access" | "authenticate">): readonly Route[] {
  const shared = {
    method: "GET",
    tags: TAGS,
    security: [{ serverToken: [] }],
    audience: { ...FOR_OPERATORS, checksHost: false },
    authenticate,
  } as const;
  return [
    {
      ...shared,
      path: "/internal-backstage/features",
      summary: "Returns the definitions of the environment of the server token, by its name",
      responses: { 200: DefinitionsByEnvironment, ...errorResponses(401, 503) },
      handle: ({ grant: { flags } }) => {
        const { source, definitions } = flags;
        if (definitions === undefined) throw notReady();
        return jsonReply(
          { [source.name]: definitions },
          { "cache-control": "no-store", [AGE_HEADER]: writeAge(ageMsOf(source.flags)) },
        );
      },
    },
    {
      ...shared,
      path: "/internal-backstage/tokens",
      summary:
        "Returns the state of the upstream token for the environment of the server token, and the keys that the upstream has verified for it, all without their secrets",
      responses: { 200: SourceStates, ...errorResponses(401, 503) },
      handle: ({ grant: { flags } }) => {
        // A token that is restricted to some projects is not shown the keys of others.
        const keys = access.keys.verified.filter(({ grant }) =>
          flags.areAll ? grant.flags.source === flags.source : grant.flags === flags,
        );
        return jsonReply({
          tokenRefreshes: [toState(flags.source)],
          tokenValidationStatus: keys.map(toKeyState),
        });
      },
    },
  ];
}

function toState({ name, flags, lastFailure }: Source) {
  return {
    environment: name,
    flags: flags.snapshot?.flags.length ?? 0,
    revision: flags.snapshot?.revision ?? null,
    lastRefreshed: toTime(flags.lastUpdateAtMs),
    lastCheck: toTime(flags.lastFetchAtMs),
    hasFailed: lastFailure() !== undefined,
  };
}

function toKeyState({ verified: { kind, environment, projects = ["*"], shownAs } }: VerifiedGrant) {
  return {
    token: shownAs,
    tokenType: kind === "server" ? ("client" as const) : ("frontend" as const),
    environment,
    projects: [...projects],
    status: "Validated" as const,
  };
}
