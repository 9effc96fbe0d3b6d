import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { EventStream, releaseRequest, type TypedApp } from "flags-server-kit/http";
import { type Static, type TSchema, Type } from "typebox";
import { admit, grantOf } from "./authenticate.ts";
import { acceptContext, allowsAll, cacheKeyOf, type Grant } from "../access/grant.ts";
import { prepareContext } from "../context/request-context.ts";
import { readContext } from "../context/sent-context.ts";
import {
  ENABLE_ALL_HINT,
  invalidStreamToken,
  notAllowed,
  notEnabled,
  notReady,
} from "../errors.ts";
import { keyOfClient } from "../access/key-registry.ts";
import type { ClientStreams } from "../streaming/create-streams.ts";
import {
  StoredSubscription,
  type Subscription,
  toPlainContext,
  withSessionId,
} from "../streaming/subscription.ts";
import type { Selection } from "../response/evaluate-flags.ts";
import { type RouteOptions, streamKindOf } from "./protocol.ts";
import { errorResponses } from "./schemas.ts";
import { FlagStream } from "../streaming/flag-streams.ts";

interface StreamOptions extends Pick<
  RouteOptions,
  "config" | "protocol" | "allow" | "access" | "clientStreams"
> {
  readonly body: StreamBody;
}

/** The route of streams, below the paths of a protocol that has them. */
export const STREAM_ROUTE = "/stream";

const EVENT_STREAM = "text/event-stream";
const TAGS = ["Push"];

/** Fewer than in one request, because a stream repeats the evaluation for each change. */
const MAX_NAMED_TOGGLES = 100;

/** Creates the schema of a request for a stream, from that of its context. */
export function createStreamBody(context: TSchema, title: string) {
  return Type.Object(
    {
      toggles: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: MAX_NAMED_TOGGLES,
          description: "If present, only flags with these names are listed, on or off",
        }),
      ),
      context: Type.Unsafe<Readonly<Record<string, unknown>>>(context),
      all: Type.Optional(
        Type.Boolean({
          description: "Whether to list flags that are off; has no effect together with `toggles`",
        }),
      ),
    },
    { title },
  );
}

type StreamBody = ReturnType<typeof createStreamBody>;

/** The URL at which a stream can be opened without a key. */
const StreamAddress = Type.Object(
  {
    url: Type.String({
      description: "The URL for an EventSource. It grants access like a key: keep it private",
    }),
    expiresAt: Type.String({
      format: "date-time",
      description: "The stream can be opened until this time; an open stream continues after it",
    }),
  },
  { title: "streamAddressSchema", description: "The URL of the stream" },
);

/** The events of a stream: each has the toggles as data, and their entity tag as id. */
const StreamEvents = {
  description:
    "The stream: each event `toggles` contains a list of flags, and its id is their entity tag",
  content: { "text/event-stream": { schema: Type.String() } },
} as const;

/** Registers streams that send a client its toggles, and send them again whenever they change. */
export function registerStreams(app: TypedApp, options: StreamOptions): void {
  const { clientStreams } = options;
  const isOff = options.config.push.maxStreams === 0;
  const onRequest = isOff ? [rejectDisabled] : [options.allow("client")];
  app.post(
    STREAM_ROUTE,
    { onRequest, schema: describePost(options.body) },
    async (request, reply) => {
      const subscription = await readSubscription(request, request.body, options);
      const grant = grantOf(request);
      return request.headers.accept?.includes(EVENT_STREAM) === true
        ? openStream(request, reply, clientStreams, grant, subscription)
        : sendStreamUrl(request, reply, clientStreams, subscription);
    },
  );
  registerGet(app, options);
}

/** NOTE: an EventSource can send neither a key nor a body, so the token in the URL contains both. */
function registerGet(app: TypedApp, { config, access, clientStreams }: StreamOptions): void {
  const onRequest = config.push.maxStreams === 0 ? [rejectDisabled] : [];
  // A response to HEAD would be useless without the stream.
  const route = { onRequest, schema: GET_SCHEMA, exposeHeadRoute: false };
  app.get(STREAM_ROUTE, route, async (request, reply) => {
    const { token } = request.query;
    const { clientId, subscription } = clientStreams.tokens.open(
      typeof token === "string" ? token : "",
    );
    await access.upstream?.confirm(keyOfClient(clientId));
    const grant = access.keys.findClient(clientId);
    if (grant === undefined) throw invalidStreamToken();
    const error = admit(request, reply, grant, access.uses);
    if (error !== undefined) throw error;
    checkAll(grant, subscription, config);
    return openStream(request, reply, clientStreams, grant, subscription);
  });
}

/** Reads the subscription. Enrichers run now, since they require the request. */
async function readSubscription(
  request: FastifyRequest,
  { context, toggles, all }: Static<StreamBody>,
  { config, protocol }: StreamOptions,
): Promise<Subscription> {
  const grant = grantOf(request);
  checkAll(grant, { toggles, all }, config);
  const accepted = await acceptContext(grant, readContext(context), request.raw);
  const { snapshot } = grant.flags;
  if (snapshot === undefined) throw notReady();

  const subject = { request: request.raw, sent: withSessionId(accepted.sent), snapshot };
  return {
    context: toPlainContext(await prepareContext(subject, protocol.contextRules)),
    kind: streamKindOf(protocol.definition),
    toggles,
    all,
    expiresAtMs: accepted.expiresAtMs,
  };
}

function checkAll(
  grant: Grant,
  { toggles, all }: Selection,
  { enableAllEndpoint }: StreamOptions["config"],
): void {
  if (all !== true || toggles !== undefined || allowsAll(grant, enableAllEndpoint)) return;
  if (enableAllEndpoint) throw notAllowed("stream flags that are off", "allFlags");
  throw notEnabled("Streaming all flags (`all`)", ENABLE_ALL_HINT);
}

const rejectDisabled: onRequestHookHandler = (_request, _reply, done) => {
  const hint = "set `push.maxStreams` (FLAGS_PUSH_MAX_STREAMS) to more than 0";
  done(notEnabled("This endpoint", hint));
};

function sendStreamUrl(
  request: FastifyRequest,
  reply: FastifyReply,
  { streams, tokens }: ClientStreams,
  subscription: Subscription,
): FastifyReply {
  const grant = grantOf(request);
  const clientId = cacheKeyOf(grant);
  streams.checkCapacity(grant.key, 0);
  const { token, expiresAtMs } = tokens.issue({ clientId, subscription });
  const [path] = request.url.split("?", 1);
  return reply
    .code(201)
    .header("cache-control", "no-store")
    .send({
      url: `${request.protocol}://${request.host}${path}?token=${token}`,
      expiresAt: new Date(expiresAtMs).toISOString(),
    });
}

function openStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { streams }: ClientStreams,
  grant: Grant,
  subscription: Subscription,
): FastifyReply {
  const { snapshot } = grant.flags;
  if (snapshot === undefined) throw notReady();
  const stored = new StoredSubscription(subscription, snapshot.contextDependencies);
  streams.checkCapacity(grant.key, stored.bytes);
  const { raw } = reply;
  if (raw.destroyed) return reply.hijack();
  const lastEventId = request.headers["last-event-id"]?.toString();
  releaseRequest(request);
  const events = new EventStream(raw, reply.getHeaders());
  streams.add(new FlagStream({ grant, subscription: stored, events, lastEventId }));
  return reply.hijack();
}

function describePost(body: StreamBody) {
  return {
    summary: "Issues a URL with which a browser can open a stream",
    description:
      "The URL contains the encrypted context, and is valid for a few minutes. It is for " +
      "`EventSource`, which can send neither a key nor a body. With `Accept: text/event-stream` the " +
      "response is the stream itself.",
    tags: TAGS,
    security: [{ clientKey: [] }],
    body,
    response: {
      200: StreamEvents,
      201: StreamAddress,
      ...errorResponses(400, 401, 413, 415, 501, 503),
    },
  };
}

const GET_SCHEMA = {
  summary: "Streams the flags of a client, and sends them again whenever they change",
  description:
    "The first event contains the flags, unless `Last-Event-ID` names that event; another one " +
    "follows whenever the flags for this context change. Comments keep the stream alive.",
  tags: TAGS,
  querystring: Type.Object({ token: Type.String({ description: "The token in the issued URL" }) }),
  response: { 200: StreamEvents, ...errorResponses(401, 501, 503) },
};
