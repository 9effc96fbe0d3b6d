import type { FlagFall } from "flags-sdk";
import { createRedact } from "flags-server-kit/neutral";
import { type Static, Type } from "typebox";
import { named } from "../http/named-schema.ts";
import type { AccessControl } from "../access/access-control.ts";
import type { ProxyConfig } from "../../config/config.ts";
import { ageMsOf, isFresh } from "../../sources/age.ts";
import type { Source } from "../../sources/sources.ts";
import { findReadinessError, type ReadinessRules } from "./readiness.ts";
import { jsonReply } from "../http/reply.ts";
import { FOR_OPERATORS, type Route } from "../routing/route.ts";
import { errorResponses } from "../routes/schemas.ts";

const Time = (description: string) =>
  Type.Union([Type.String({ format: "date-time" }), Type.Null()], { description });

const SourceStatus = named("sourceStatusSchema", {
  name: Type.String({ description: "As in logs and metrics" }),
  origin: Type.Union([Type.String(), Type.Null()], {
    description: "Where the flags come from: upstream, bootstrap, store, shared or file",
  }),
  live: Type.Boolean({ description: "Whether changes arrive as they happen" }),
  ageSeconds: Type.Union([Type.Number(), Type.Null()], {
    description: "Time since the flags were last confirmed; null if they never were",
  }),
  stale: Type.Boolean({ description: "Whether they are older than FLAGS_MAX_STALENESS" }),
  flags: Type.Integer(),
  fall: Type.Union(
    [
      Type.Object({
        before: Type.Integer(),
        after: Type.Integer(),
        heldBack: Type.Boolean({
          description: "Whether the previous flags are kept until the upstream has confirmed it",
        }),
        time: Type.String({ format: "date-time" }),
      }),
      Type.Null(),
    ],
    {
      description: "A fall of the number of flags to none or below half, until it has recovered",
    },
  ),
  segments: Type.Integer(),
  revision: Type.Union([Type.String(), Type.Null()]),
  lastUpdate: Time("When new flags were received"),
  lastCheck: Time("When the upstream last responded, or the file was last checked"),
  lastError: Type.Union([
    Type.Object({ message: Type.String(), time: Type.String({ format: "date-time" }) }),
    Type.Null(),
  ]),
});

const KeysStatus = named("keysStatusSchema", {
  clientKeys: Type.Integer({ description: "Client keys in settings" }),
  serverTokens: Type.Integer({ description: "Server tokens in settings" }),
  accessFile: Type.Union([
    Type.Object({
      valid: Type.Boolean({ description: "Whether it was valid when it was last read" }),
      keys: Type.Integer(),
      loaded: Type.String({ format: "date-time" }),
    }),
    Type.Null(),
  ]),
  verifiedKeys: Type.Union([Type.Integer(), Type.Null()], {
    description: "Keys that the upstream has verified; null without FLAGS_UPSTREAM_KEYS",
  }),
});

const Status = named("statusSchema", {
  version: Type.String(),
  ready: Type.Boolean({ description: "Whether GET /ready returns 200" }),
  sources: Type.Array(SourceStatus),
  keys: Type.Optional(KeysStatus),
});

interface StatusOptions {
  readonly config: ProxyConfig;
  readonly version: string;
  readonly sources: readonly Source[];
  readonly readiness: ReadinessRules;
  readonly access: AccessControl;
  /**
   * Accepts only server tokens; the status then contains only the source of the token. Undefined: the port is
   * private, and the status contains everything.
   */
  readonly authenticate?: Route["authenticate"];
}

export function statusRoute(options: StatusOptions): Route {
  const { config, version, sources, readiness, access, authenticate } = options;
  const describe = createSourceDescription(config);
  return {
    method: "GET",
    path: "/status",
    summary: "Returns the state of the sources and of the keys",
    tags: ["Operations"],
    ...(authenticate && { authenticate, security: [{ serverToken: [] }] }),
    responses: { 200: Status, ...(authenticate && errorResponses(401)) },
    // A token protects against pages of other sites, too.
    audience: { ...FOR_OPERATORS, checksHost: authenticate === undefined },
    isAlwaysAvailable: true,
    handle: (call) => {
      const own = authenticate && call.grant.flags.source;
      const status: Static<typeof Status> = {
        version,
        ready: findReadinessError(readiness) === undefined,
        sources: (own === undefined ? sources : [own]).map(describe),
        ...(own === undefined && { keys: describeKeys(config, access) }),
      };
      return jsonReply(status);
    },
  };
}

function createSourceDescription(config: ProxyConfig) {
  const redact = createRedact(secretsOf(config));
  return ({ name, flags, lastFailure }: Source): Static<typeof SourceStatus> => {
    const ageMs = ageMsOf(flags);
    const failure = lastFailure();
    return {
      name,
      origin: flags.origin ?? null,
      live: flags.isLive ?? false,
      ageSeconds: ageMs === undefined ? null : Math.round(ageMs) / 1000,
      stale: !isFresh(ageMs, config.maxStalenessMs),
      flags: flags.snapshot?.flags.length ?? 0,
      fall: describeFall(flags.fall),
      segments: flags.definitions?.segments.length ?? 0,
      revision: flags.snapshot?.revision ?? null,
      lastUpdate: toTime(flags.lastUpdateAtMs),
      lastCheck: toTime(flags.lastFetchAtMs),
      lastError: failure
        ? {
            message: String(redact(failure.message)),
            time: new Date(failure.atMs).toISOString(),
          }
        : null,
    };
  };
}

function describeFall(fall: FlagFall | undefined): Static<typeof SourceStatus>["fall"] {
  if (fall === undefined) return null;
  const { before, after, isHeldBack: heldBack, atMs } = fall;
  return { before, after, heldBack, time: new Date(atMs).toISOString() };
}

function describeKeys(
  { clientKeys, serverTokens }: ProxyConfig,
  { fileState, fileGrants, keys, upstream }: AccessControl,
): Static<typeof KeysStatus> {
  return {
    clientKeys: clientKeys.length,
    serverTokens: serverTokens.length,
    accessFile: fileState
      ? {
          valid: fileState.isValid,
          keys: fileGrants.length,
          loaded: new Date(fileState.loadedAtMs).toISOString(),
        }
      : null,
    verifiedKeys: upstream === undefined ? null : keys.verified.length,
  };
}

function secretsOf(config: ProxyConfig): readonly string[] {
  const { upstreamTokens, clientKeys, serverTokens, bootstrap, network } = config;
  const headers = [network.upstream.headers, bootstrap?.headers ?? {}];
  return [...upstreamTokens, ...clientKeys, ...serverTokens, ...headers.flatMap(Object.values)];
}

export function toTime(epochMs: number | undefined): string | null {
  return epochMs === undefined ? null : new Date(epochMs).toISOString();
}
