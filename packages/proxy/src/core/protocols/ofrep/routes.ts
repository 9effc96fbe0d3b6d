import { type Static, Type } from "typebox";
import { allowsAll, cacheKeyOf } from "../../access/grant.ts";
import { isSingleValue, readContext, type SentContext } from "../../context/sent-context.ts";
import type { Call } from "../../routing/call.ts";
import type { EvaluatedContext } from "../../routes/flag-responder.ts";
import { type RouteOptions, streamKindOf } from "../../routes/protocol.ts";
import { mountPathOf } from "../../http/request.ts";
import { toEntityTag } from "flags-sdk/neutral";
import { ResponseBody, toBinaryString } from "../../http/response-body.ts";
import { FOR_CLIENTS, type Route } from "../../routing/route.ts";
import { NotModified } from "../../routes/schemas.ts";
import { STREAM_ROUTE } from "../../routes/stream-routes.ts";
import type { StreamTokens } from "../../streaming/stream-tokens.ts";
import { PROXY_PATH } from "../proxy.ts";
import {
  OfrepBody,
  type OfrepContext,
  ofrepErrors,
  OfrepEvaluation,
  OfrepEvaluations,
} from "./schemas.ts";

const FlagKey = Type.Object({ key: Type.String({ description: "Name of the flag" }) });

const LIST_ERRORS = [400, 401, 403, 413, 415, 429, 503] as const;
const SINGLE_ERRORS = [400, 401, 403, 404, 413, 415, 429, 503] as const;

export function ofrepRoutes(options: RouteOptions): readonly Route[] {
  const { allow, config, respond } = options;
  const shared = {
    method: "POST",
    tags: ["OFREP"],
    security: [{ bearer: [] }, { apiKey: [] }, { clientKey: [] }],
    audience: FOR_CLIENTS,
    authenticate: allow("client"),
    body: { schema: OfrepBody },
  } as const;
  const single = {
    ...shared,
    summary: "Evaluates one flag, on or off",
    responses: { 200: OfrepEvaluation, 304: NotModified, ...ofrepErrors(...SINGLE_ERRORS) },
  };
  const extendFor = createExtension(options);
  return [
    {
      ...shared,
      path: "/evaluate/flags",
      summary: "Evaluates the flags that are on, or all of them with `enableAllEndpoint`",
      responses: { 200: OfrepEvaluations, 304: NotModified, ...ofrepErrors(...LIST_ERRORS) },
      handle: (call) =>
        respond(call, () => ({
          sent: readBody(call),
          // Otherwise, clients must not see the names of flags that are off.
          selection: { all: allowsAll(call.grant, config.enableAllEndpoint) },
          extend: extendFor?.(call),
        })),
    },
    {
      ...single,
      path: "/evaluate/flags/:key",
      params: FlagKey,
      handle: (call) =>
        respond(call, () => ({
          sent: readBody(call),
          selection: { single: call.param("key") },
        })),
    },
    // Some providers do not encode the slashes of a key.
    {
      ...single,
      path: "/evaluate/flags/*",
      isHidden: true,
      handle: (call) =>
        respond(call, () => ({ sent: readBody(call), selection: { single: call.param("*") } })),
    },
  ];
}

/** Returns the function that adds the URL of a stream to the flags. Undefined: clients should not open streams. */
function createExtension({ config, clientStreams, protocol }: RouteOptions) {
  if (!config.ofrepEventStreams || clientStreams === undefined) return undefined;
  const { tokens } = clientStreams;
  const path = `${config.basePath}${PROXY_PATH}${STREAM_ROUTE}`;
  const kind = streamKindOf(protocol.definition);
  return ({ grant, request }: Call) =>
    (body: ResponseBody, evaluated: EvaluatedContext): ResponseBody => {
      const all = allowsAll(grant, config.enableAllEndpoint);
      const clientId = cacheKeyOf(grant);
      const token = issueToken(tokens, { clientId, kind, all, ...evaluated });
      return token === undefined
        ? body
        : withEventStream(body, `${mountPathOf(request)}${path}?token=${token}`);
    };
}

interface StreamRequest extends EvaluatedContext {
  readonly clientId: string;
  readonly kind: string;
  readonly all: boolean;
}

function issueToken(
  tokens: StreamTokens,
  { clientId, context, kind, all, expiresAtMs }: StreamRequest,
): string | undefined {
  const subscription = { context, kind, all, expiresAtMs };
  return tokens.issueStable({ clientId, subscription });
}

/**
 * Adds the URL of a stream to the flags. The entity tag covers both: URLs expire, and a client that gets a 304
 * continues to use the one it has. Clients resolve a URL without an origin against the URL of the request.
 */
function withEventStream(flags: ResponseBody, requestUri: string): ResponseBody {
  const eventStreams = JSON.stringify([{ type: "sse", endpoint: { requestUri } }]);
  const withoutBrace = flags.toBuffer().toString("latin1").slice(0, -1);
  const text = `${withoutBrace}${toBinaryString(`,"eventStreams":${eventStreams}}`)}`;
  return new ResponseBody(text, toEntityTag(`${flags.entityTag}\n${requestUri}`));
}

/**
 * Reads an OpenFeature context, whose own fields can have any value. Objects, lists and null are ignored:
 * flags cannot use them, but other consumers of the same context may.
 */
function readBody(call: Call): SentContext {
  const { context: received } = call.parse(OfrepBody);
  const { targetingKey, ...sent }: Partial<Static<typeof OfrepContext>> = received ?? {};
  if (!isSingleValue(targetingKey) || targetingKey === "") return readContext(sent);
  // The targeting key is the user id, as in OpenFeature providers for Unleash.
  return readContext({ ...sent, userId: targetingKey });
}
