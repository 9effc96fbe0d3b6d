import type { TypedApp } from "flags-server-kit/http";
import { type Static, Type } from "typebox";
import { grantOf } from "../../authenticate.ts";
import { allowsAll, cacheKeyOf } from "../../../access/grant.ts";
import {
  isSingleValue,
  readContext,
  type SentContext,
  SentContextBuilder,
} from "../../../context/sent-context.ts";
import { ResponseBody, toBinaryString, toEntityTag } from "../../../response/response-body.ts";
import type { StreamTokens } from "../../../streaming/stream-tokens.ts";
import { toPlainContext } from "../../../streaming/subscription.ts";
import { createFlagHandler, type EvaluatedContext } from "../../flag-handler.ts";
import { type RouteOptions, streamKindOf } from "../../protocol.ts";
import { PROXY_PATH } from "../proxy.ts";
import { NotModified } from "../../schemas.ts";
import { STREAM_ROUTE } from "../../stream-routes.ts";
import {
  OfrepBody,
  type OfrepContext,
  ofrepErrors,
  OfrepEvaluation,
  OfrepEvaluations,
} from "./schemas.ts";

/** Registers OFREP: all flags in one response, or a single one. */
export function registerOfrepRoutes(app: TypedApp, options: RouteOptions): void {
  registerAllFlags(app, options);
  registerSingleFlag(app, options);
}

function registerAllFlags(
  app: TypedApp,
  { config, clientStreams, protocol, allow }: RouteOptions,
): void {
  const sendFlags = createFlagHandler(protocol);
  const onRequest = [allow("client")];
  const hasStreams = config.ofrepEventStreams && config.push.maxStreams > 0;
  const path = `${config.basePath}${PROXY_PATH}${STREAM_ROUTE}`;
  const kind = streamKindOf(protocol.definition);
  const schema = describe(
    "Evaluates the flags that are on, or all of them with `enableAllEndpoint`",
  );
  const response = { 200: OfrepEvaluations, 304: NotModified, ...ofrepErrors(...LIST_ERRORS) };

  app.post("/evaluate/flags", { onRequest, schema: { ...schema, response } }, (request, reply) => {
    const grant = grantOf(request);
    const clientId = cacheKeyOf(grant);
    // Otherwise, clients must not see the names of flags that are off.
    const all = allowsAll(grant, config.enableAllEndpoint);
    const extend = (body: ResponseBody, evaluated: EvaluatedContext): ResponseBody => {
      const token = issueToken(clientStreams.tokens, { clientId, kind, all, ...evaluated });
      return token === undefined ? body : withEventStream(body, `${path}?token=${token}`);
    };
    return sendFlags(request, reply, {
      sent: readOfrepContext(request.body.context ?? {}),
      selection: { all },
      extend: hasStreams ? extend : undefined,
    });
  });
}

interface StreamRequest extends EvaluatedContext {
  readonly clientId: string;
  readonly kind: string;
  readonly all: boolean;
}

/** Issues the token for a stream of these flags; undefined if it would be too long for a URL. */
function issueToken(
  tokens: StreamTokens,
  { clientId, context, kind, all, expiresAtMs }: StreamRequest,
): string | undefined {
  const subscription = { context: toPlainContext(context), kind, all, expiresAtMs };
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

const FlagKey = Type.Object({ key: Type.String({ description: "Name of the flag" }) });
const RestOfPath = Type.Object({ "*": Type.String() });

function registerSingleFlag(app: TypedApp, { protocol, allow }: RouteOptions): void {
  const sendFlags = createFlagHandler(protocol);
  const onRequest = [allow("client")];
  const response = { 200: OfrepEvaluation, 304: NotModified, ...ofrepErrors(...SINGLE_ERRORS) };
  const schema = { ...describe("Evaluates one flag, on or off"), response };

  const described = { onRequest, schema: { ...schema, params: FlagKey } };
  app.post("/evaluate/flags/:key", described, (request, reply) =>
    sendFlags(request, reply, {
      sent: readOfrepContext(request.body.context ?? {}),
      selection: { single: request.params.key },
    }),
  );
  // Some providers do not encode the slashes of a key.
  const hidden = { onRequest, schema: { ...schema, params: RestOfPath, hide: true } };
  app.post("/evaluate/flags/*", hidden, (request, reply) =>
    sendFlags(request, reply, {
      sent: readOfrepContext(request.body.context ?? {}),
      selection: { single: request.params["*"] },
    }),
  );
}

/**
 * Reads an OpenFeature context, whose own fields can have any value. Objects, lists and null are ignored:
 * flags cannot use them, but other consumers of the same context may. The schema has rejected them as
 * the targeting key and as standard fields, such as `sessionId`.
 */
function readOfrepContext(body: Static<typeof OfrepContext>): SentContext {
  const { targetingKey, ...sent } = body;
  const context = new SentContextBuilder();
  // The targeting key is the user id, as in OpenFeature providers for Unleash. It comes first, and so
  // takes precedence over a field `userId`.
  if (isSingleValue(targetingKey) && targetingKey !== "") {
    context.addField("userId", String(targetingKey));
  }
  return readContext(sent, context);
}

const LIST_ERRORS = [400, 401, 403, 413, 415, 429, 503] as const;
const SINGLE_ERRORS = [400, 401, 403, 404, 413, 415, 429, 503] as const;

function describe(summary: string) {
  return {
    summary,
    tags: ["OFREP"],
    security: [{ bearer: [] }, { apiKey: [] }, { clientKey: [] }],
    body: OfrepBody,
  };
}
