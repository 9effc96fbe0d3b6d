import type { Static, TSchema } from "typebox";
import { inHeader, type KeyExtractor } from "../access/key-extractor.ts";
import type { AccessControl } from "../access/access-control.ts";
import type { KeyKind } from "../access/grant.ts";
import type { ClientConfig, CorsConfig } from "../../config/config.ts";
import type { ContextRules } from "../context/request-context.ts";
import type { SentContext } from "../context/sent-context.ts";
import { variesOnOrigin } from "../routing/cors.ts";
import type { FlagProtocol, FlagResponder } from "./flag-responder.ts";
import type { ErrorFormat } from "../routing/handler.ts";
import type { SecuritySchemes } from "../routing/openapi.ts";
import { createRenderer, type FlagFormat } from "../response/rendering.ts";
import type { ResponseBody } from "../http/response-body.ts";
import type { ProxyRequest, RequestOrigin } from "../http/request.ts";
import type { Route } from "../routing/route.ts";
import type { ClientStreams } from "../streaming/client-streams.ts";
import type { UsageRules } from "../usage/accept-usage.ts";

export interface FlagRequest {
  readonly sent: SentContext;
  readonly toggles?: readonly string[] | undefined;
}

/** How the body of a request for flags is read. */
export interface FlagRequestBody {
  readonly schema: TSchema;
  readonly isOptional?: boolean;
  /** @param body has passed validation */
  read(body: unknown): FlagRequest;
}

export function createRequestBody<Schema extends TSchema>(
  schema: Schema,
  read: (body: Static<Schema>) => FlagRequest,
): FlagRequestBody {
  return { schema, read: (body) => read(body as Static<Schema>) };
}

interface StreamEvents {
  write(body: ResponseBody): string;
  /** Distinguishes them from the events of other protocols, in open streams and in their addresses. */
  readonly kind: string;
}

/** A client protocol: everything in which it differs from the others. */
export interface ProtocolDefinition {
  readonly paths: readonly string[];
  /** Value of `Cache-Control` for responses with flags that depend only on URL, body and key. */
  readonly cacheControl: string;
  createFormat(config: ClientConfig): FlagFormat;
  /** Where requests contain their key. @default in the configured header */
  createKeyExtractor?(config: ClientConfig): KeyExtractor;
  /** Whether parts of a context that cannot be read are ignored. @default false: they are a 400 */
  readonly ignoresInvalidValues?: boolean;
  /** Whether a missing session id is the user id. @default false: it is a random one */
  readonly sessionIsUser?: boolean;
  /** How errors are written; its path is below the base path. @default as an `HttpError` */
  readonly errors?: ErrorFormat;
  readonly securitySchemes?: SecuritySchemes;
  /** What its streams send when flags change; undefined if it has no streams. */
  readonly streamEvents?: StreamEvents;
  createRoutes(options: RouteOptions): readonly Route[];
}

export interface Protocol extends FlagProtocol {
  readonly definition: ProtocolDefinition;
  readonly keyExtractor: KeyExtractor;
}

export interface RouteOptions {
  readonly config: ClientConfig;
  readonly usageRules: UsageRules;
  readonly access: AccessControl;
  /** Undefined: streams are not enabled, or the runtime has none. */
  readonly clientStreams: ClientStreams | undefined;
  readonly originOf: RequestOrigin;
  readonly protocol: Protocol;
  readonly respond: FlagResponder;
  readonly allow: (...kinds: readonly KeyKind[]) => NonNullable<Route["authenticate"]>;
}

export function streamKindOf({ streamEvents }: ProtocolDefinition): string {
  if (streamEvents === undefined) throw new TypeError("The protocol has no `streamEvents`");
  return streamEvents.kind;
}

interface ProtocolDependencies extends Pick<Protocol, "reporter"> {
  readonly callerAddress: ContextRules["callerAddress"];
  readonly isAllowed: ((request: ProxyRequest) => boolean) | undefined;
}

export function createProtocol(
  definition: ProtocolDefinition,
  config: ClientConfig,
  { reporter, callerAddress, isAllowed }: ProtocolDependencies,
): Protocol {
  const { appName, environment, contextEnrichers: enrichers } = config;
  const { ignoresInvalidValues = false, sessionIsUser = false, cacheControl } = definition;
  const keyExtractor = definition.createKeyExtractor?.(config) ?? configuredHeader(config);
  const anyOrigin: CorsConfig = { ...config.cors, origin: true };
  return {
    definition,
    ...createRenderer(definition.createFormat(config)),
    contextRules: {
      defaults: { appName, environment, ignoresInvalidValues, sessionIsUser },
      callerAddress,
      enrichers,
    },
    keyExtractor,
    cacheControl,
    privateCacheControl: `private, ${cacheControl.replace("public, ", "")}`,
    vary: varyOn(keyExtractor, config.cors),
    originVary: varyOn(keyExtractor, anyOrigin),
    // Enrichers can read every header, and address lists reject some callers.
    isAlwaysPrivate: enrichers.length > 0 || isAllowed !== undefined,
    showsAge: config.ageHeader,
    reporter,
  };
}

export function configuredHeader({
  clientKeysHeaderName,
}: Pick<ClientConfig, "clientKeysHeaderName">): KeyExtractor {
  return inHeader(clientKeysHeaderName);
}

/** The value of `Vary`. @param cors undefined: the response has no CORS headers */
export function varyOn({ headers }: KeyExtractor, cors?: CorsConfig): string {
  const origin = cors !== undefined && variesOnOrigin(cors) ? ["origin"] : [];
  return [...headers, ...origin, "accept-encoding"].join(", ");
}
