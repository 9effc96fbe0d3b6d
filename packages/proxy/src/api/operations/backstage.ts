import type { onRequestHookHandler } from "fastify";
import { AGE_HEADER, writeAge } from "flags-sdk/internal";
import type { TypedApp } from "flags-server-kit/http";
import { Type } from "typebox";
import type { AccessControl } from "../../access/access-control.ts";
import { grantOf } from "../authenticate.ts";
import type { VerifiedGrant } from "../../access/key-registry.ts";
import { ageMsOf } from "../../age.ts";
import { notReady } from "../../errors.ts";
import {
  ALWAYS_AVAILABLE,
  ALWAYS_AVAILABLE_TO_ALL,
  isReady,
  type ReadinessRules,
} from "../../http/readiness.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import type { Source } from "../../sources.ts";
import { DefinitionsResponse } from "../server-sdk/schemas.ts";
import { sendMetrics } from "./monitoring.ts";
import { errorResponses } from "../schemas.ts";
import { toTime } from "./status.ts";

interface BackstageOptions {
  readonly readiness: ReadinessRules;
  readonly metrics: Metrics;
  readonly access: Pick<AccessControl, "keys">;
  /** Accepts only server tokens. */
  readonly authenticate: onRequestHookHandler;
}

const ProbeStatus = Type.Object({ status: Type.String() }, { title: "probeStatusSchema" });

/** The state of the source that a server token gives access to. */
const SourceState = Type.Object(
  {
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
  },
  { title: "sourceStateSchema" },
);

/** A key that the upstream has verified. */
const VerifiedKeyState = Type.Object(
  {
    token: Type.String({ description: "The key without most of its secret" }),
    tokenType: Type.Union([Type.Literal("client"), Type.Literal("frontend")]),
    environment: Type.String(),
    projects: Type.Array(Type.String()),
    status: Type.Literal("Validated"),
  },
  { title: "verifiedKeyStateSchema" },
);

const SourceStates = Type.Object(
  {
    tokenRefreshes: Type.Array(SourceState),
    tokenValidationStatus: Type.Array(VerifiedKeyState),
  },
  { title: "sourceStatesSchema" },
);

/** Definitions by environment. */
const DefinitionsByEnvironment = Type.Record(Type.String(), DefinitionsResponse, {
  title: "definitionsByEnvironmentSchema",
});

const TAGS = { tags: ["Operations"] };

/** Registers the operational endpoints of Unleash Edge, under `/internal-backstage`. */
export function registerBackstage(app: TypedApp, options: BackstageOptions): void {
  registerEdgeProbes(app, options.readiness);
  registerEdgeMetrics(app, options.metrics);
  registerState(app, options);
}

/** NOTE: `health` must not fail while the upstream is down, because it is used as a liveness probe. */
function registerEdgeProbes(app: TypedApp, { sources, isStopping }: ReadinessRules): void {
  app.get(
    "/health",
    {
      ...ALWAYS_AVAILABLE_TO_ALL,
      schema: {
        ...TAGS,
        summary: "Reports that the process responds",
        response: { 200: ProbeStatus },
      },
    },
    (_request, reply) => reply.header("cache-control", "no-store").send({ status: "OK" }),
  );
  app.get(
    "/ready",
    {
      ...ALWAYS_AVAILABLE_TO_ALL,
      schema: {
        ...TAGS,
        summary: "Reports whether the proxy has flags",
        response: { 200: ProbeStatus, 503: ProbeStatus },
      },
    },
    (_request, reply) => {
      reply.header("cache-control", "no-store");
      return isReady(sources) && !isStopping()
        ? reply.send({ status: "READY" })
        : reply.code(503).send({ status: "NOT_READY" });
    },
  );
}

function registerEdgeMetrics(app: TypedApp, metrics: Metrics): void {
  for (const path of ["/metrics", "/prometheus"]) {
    const schema = {
      ...TAGS,
      summary: "Metrics of the proxy, for Prometheus",
      response: {
        200: { content: { "text/plain": { schema: Type.String() } }, description: "The metrics" },
      },
    };
    app.get(path, { ...ALWAYS_AVAILABLE, schema }, (_request, reply) =>
      sendMetrics(reply, metrics),
    );
  }
}

/** Definitions and states contain names of unreleased flags, so they require a server token. */
function registerState(app: TypedApp, { access, authenticate }: BackstageOptions): void {
  const security = [{ serverToken: [] }];
  app.get(
    "/features",
    {
      config: { checksHost: false },
      onRequest: [authenticate],
      schema: {
        ...TAGS,
        security,
        summary: "Returns the definitions of the environment of the server token, by its name",
        response: { 200: DefinitionsByEnvironment, ...errorResponses(401, 503) },
      },
    },
    (request, reply) => {
      const { source, definitions } = grantOf(request).flags;
      if (definitions === undefined) throw notReady();
      return reply
        .headers({ "cache-control": "no-store", [AGE_HEADER]: writeAge(ageMsOf(source.flags)) })
        .send({ [source.name]: definitions });
    },
  );
  app.get(
    "/tokens",
    {
      config: { checksHost: false },
      onRequest: [authenticate],
      schema: {
        ...TAGS,
        security,
        summary:
          "Returns the state of the upstream token for the environment of the server token, and the keys that the upstream has verified for it, all without their secrets",
        response: {
          200: SourceStates,
          ...errorResponses(401, 503),
        },
      },
    },
    (request, reply) => {
      const { flags } = grantOf(request);
      // A token that is restricted to some projects is not shown the keys of others.
      const keys = access.keys.verified.filter(({ grant }) =>
        flags.areAll ? grant.flags.source === flags.source : grant.flags === flags,
      );
      return reply.header("cache-control", "no-store").send({
        tokenRefreshes: [toState(flags.source)],
        tokenValidationStatus: keys.map(toKeyState),
      });
    },
  );
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
