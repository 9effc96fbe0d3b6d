import type { onRequestHookHandler } from "fastify";
import { createAccessCheck, type TypedApp } from "flags-server-kit/http";
import type { Static, TSchema } from "typebox";
import { inHeader, type KeyExtractor } from "../access/key-extractor.ts";
import type { AccessControl } from "../access/access-control.ts";
import type { EvaluationReporter } from "./evaluation-reporter.ts";
import type { KeyKind } from "../access/grant.ts";
import { SIGNATURE_HEADER } from "../access/signed-context/verify-context.ts";
import type { CorsConfig, ProxyConfig } from "../config/config.ts";
import { createCallerAddress } from "../context/caller-address.ts";
import type { ContextRules } from "../context/request-context.ts";
import type { SentContext } from "../context/sent-context.ts";
import { variesOnOrigin } from "../http/cors.ts";
import type { ErrorFormat } from "../http/error-handler.ts";
import type { SecuritySchemes } from "../http/openapi.ts";
import type { ProtocolHeaders, ResponsePreparer } from "../response/prepare-response.ts";
import { createRenderer, type FlagFormat, type Renderer } from "../response/rendering.ts";
import type { ClientStreams } from "../streaming/create-streams.ts";
import type { EventFormat } from "../streaming/flag-events.ts";
import type { UsageRules } from "../usage/accept-usage.ts";

/** A request for flags, as its body or query describes it. */
export interface FlagRequest {
  readonly sent: SentContext;
  /** Names of the only flags to list; undefined for all. */
  readonly toggles?: readonly string[] | undefined;
}

/** The body of a request for flags: its schema, and how to read a body that matches it. */
export interface RequestBody {
  readonly schema: TSchema;
  /** @param body has passed validation */
  read(body: unknown): FlagRequest;
}

/** Combines a schema with the function that reads matching bodies. */
export function createRequestBody<Schema extends TSchema>(
  schema: Schema,
  read: (body: Static<Schema>) => FlagRequest,
): RequestBody {
  return { schema, read: (body) => read(body as Static<Schema>) };
}

/** The events of streams. */
interface StreamEvents extends Pick<EventFormat, "write"> {
  /** Distinguishes them from the events of other protocols, in open streams and in their addresses. */
  readonly kind: string;
}

/** A client protocol: everything in which it differs from the others. */
export interface ProtocolDefinition {
  /** The paths at which it is served, below the base path. */
  readonly paths: readonly string[];
  /** Value of `Cache-Control` for responses with flags that depend only on URL, body and key. */
  readonly cacheControl: string;
  /** How flags are serialized. */
  createFormat(config: ProxyConfig): FlagFormat;
  /** Where requests contain their key. @default in the configured header */
  createKeyExtractor?(config: ProxyConfig): KeyExtractor;
  /** Whether parts of a context that cannot be read are ignored. @default false: they are a 400 */
  readonly ignoresInvalidValues?: boolean;
  /** Whether a missing session id is the user id. @default false: it is a random one */
  readonly sessionIsUser?: boolean;
  /**
   * If set, the fast path handles common requests to the paths themselves: GET, and POST with this body. The routes
   * must then respond to both with the list of flags. @default the framework handles all requests
   */
  readonly fastPath?: { readonly body: RequestBody };
  /** How errors are written; its path is below the base path. @default as an `HttpError` */
  readonly errors?: ErrorFormat;
  /** Security schemes of its routes in the OpenAPI document. @default none */
  readonly securitySchemes?: SecuritySchemes;
  /** What its streams send when flags change; undefined if it has no streams. */
  readonly streamEvents?: StreamEvents;
  /** Registers its routes. Called once for each path, which is their prefix. */
  register(app: TypedApp, options: RouteOptions): void;
}

/** A protocol as configured: everything that the evaluation of a request depends on. */
export interface Protocol extends Renderer, ProtocolHeaders {
  readonly definition: ProtocolDefinition;
  readonly contextRules: ContextRules;
  readonly keyExtractor: KeyExtractor;
  readonly preparer: Pick<ResponsePreparer, "prepare">;
  /** Undefined: evaluations are not reported. */
  readonly reporter: EvaluationReporter | undefined;
}

/** The dependencies of the routes of one protocol. */
export interface RouteOptions {
  readonly config: ProxyConfig;
  readonly usageRules: UsageRules;
  readonly access: AccessControl;
  readonly clientStreams: ClientStreams;
  readonly protocol: Protocol;
  /** Creates a hook that accepts requests with a key of these kinds. */
  readonly allow: (...kinds: readonly KeyKind[]) => onRequestHookHandler;
}

/**
 * Returns the kind of events that streams of a protocol send.
 *
 * @throws {TypeError} if it has no streams
 */
export function streamKindOf({ streamEvents }: ProtocolDefinition): string {
  if (streamEvents === undefined) throw new TypeError("The protocol has no `streamEvents`");
  return streamEvents.kind;
}

/** Applies the configuration to a protocol. */
export function createProtocol(
  definition: ProtocolDefinition,
  config: ProxyConfig,
  { preparer, reporter }: Pick<Protocol, "preparer" | "reporter">,
): Protocol {
  const { appName, environment, contextEnrichers: enrichers, network } = config;
  const { ignoresInvalidValues = false, sessionIsUser = false, cacheControl } = definition;
  const keyExtractor = definition.createKeyExtractor?.(config) ?? configuredHeader(config);
  const anyOrigin: CorsConfig = { ...config.cors, origin: true };
  return {
    definition,
    ...createRenderer(definition.createFormat(config)),
    contextRules: {
      defaults: { appName, environment, ignoresInvalidValues, sessionIsUser },
      callerAddress: createCallerAddress(config.trustProxy),
      enrichers,
    },
    keyExtractor,
    cacheControl,
    privateCacheControl: `private, ${cacheControl.replace("public, ", "")}`,
    vary: varyOn(keyExtractor, config.cors),
    originVary: varyOn(keyExtractor, anyOrigin),
    signedVary: `${SIGNATURE_HEADER}, ${varyOn(keyExtractor, anyOrigin)}`,
    // Enrichers can read every header, and address lists reject some callers.
    isAlwaysPrivate: enrichers.length > 0 || createAccessCheck(network) !== undefined,
    showsAge: config.ageHeader,
    preparer,
    reporter,
  };
}

/** The header that contains the key of a request, as configured. */
export function configuredHeader({
  clientKeysHeaderName,
}: Pick<ProxyConfig, "clientKeysHeaderName">): KeyExtractor {
  return inHeader(clientKeysHeaderName);
}

/**
 * The request headers that a response depends on, as the value of `Vary`.
 *
 * @param cors undefined: the response has no CORS headers
 */
export function varyOn({ headers }: KeyExtractor, cors?: CorsConfig): string {
  const origin = cors !== undefined && variesOnOrigin(cors) ? ["origin"] : [];
  return [...headers, ...origin, "accept-encoding"].join(", ");
}
