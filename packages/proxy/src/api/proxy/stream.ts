import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { EventStream, type TypedApp } from "flags-server-kit/http";
import { type Static, Type } from "typebox";
import { grantOf } from "../../access/authenticate.ts";
import type { Grant, KeyRegistry } from "../../access/key-registry.ts";
import { requestContext } from "../../evaluation/request-context.ts";
import { readContext } from "../../evaluation/sent-context.ts";
import { HttpError, notReady, notEnabled, ENABLE_ALL_HINT } from "../../errors.ts";
import type { Push } from "../../streaming/create-streaming.ts";
import type { ToggleKind } from "../../streaming/message-forms.ts";
import { PushStream } from "../../streaming/flag-stream.ts";
import {
  StoredSubscription,
  type Subscription,
  toPlainContext,
  withSessionId,
} from "../../streaming/subscription.ts";
import type { Selection } from "../../response/evaluate-flags.ts";
import type { RouteOptions } from "../protocol.ts";
import { errorResponses } from "../schemas.ts";
import { StreamAddress, StreamBody, StreamEvents } from "./schemas.ts";

interface PushOptions extends Pick<RouteOptions, "config" | "protocol" | "allow"> {
  readonly ring: KeyRegistry;
  readonly push: Push;
  readonly kind: ToggleKind;
}

const EVENT_STREAM = "text/event-stream";
const tags = ["Push"];

/** Streams that send a client its toggles, and send them again whenever they change. */
export function registerPush(app: TypedApp, options: PushOptions): void {
  const { push } = options;
  const isOff = options.config.push.maxStreams === 0;
  const onRequest = isOff ? [refuse] : [options.allow("client")];
  app.post("/stream", { onRequest, schema: POST_SCHEMA }, async (request, reply) => {
    const subscription = await readSubscription(request, request.body, options);
    const grant = grantOf(request);
    // NOTE: Fastify keeps a request for as long as its response is open.
    request.body = { context: {} };
    return request.headers.accept?.includes(EVENT_STREAM) === true
      ? openStream(request, reply, push, grant, subscription)
      : sendAddress(request, reply, push, subscription);
  });
  registerGet(app, options);
}

/** NOTE: an EventSource can send neither a key nor a body, so the address has to contain both. */
function registerGet(app: TypedApp, { config, ring, push }: PushOptions): void {
  const onRequest = config.push.maxStreams === 0 ? [refuse] : [];
  // The headers of a stream alone would be of no use.
  const route = { onRequest, schema: GET_SCHEMA, exposeHeadRoute: false };
  app.get("/stream", route, async (request, reply) => {
    const { token } = request.query;
    const { clientKey, subscription } = push.tokens.open(typeof token === "string" ? token : "");
    checkAll(subscription, config);
    const grant = ring.find(clientKey, ["client"]);
    if (grant === undefined) throw new TypeError("A token was opened for an unknown client key");
    return openStream(request, reply, push, grant, subscription);
  });
}

/** Reads what to evaluate; enrichers run now, since later there is no request to read from. */
async function readSubscription(
  request: FastifyRequest,
  { context, toggles, all }: Static<typeof StreamBody>,
  { config, protocol, kind }: PushOptions,
): Promise<Subscription> {
  checkAll({ toggles, all }, config);
  const { snapshot } = grantOf(request).source;
  if (snapshot === undefined) throw notReady();

  const sent = withSessionId(readContext(context));
  const subject = { request: request.raw, sent, snapshot };
  return {
    context: toPlainContext(await requestContext(subject, protocol.contextRules)),
    kind,
    toggles,
    all,
  };
}

function checkAll(
  { toggles, all }: Selection,
  { allEndpointEnabled }: PushOptions["config"],
): void {
  if (all === true && toggles === undefined && !allEndpointEnabled) {
    throw notEnabled("What `all` asks for", ENABLE_ALL_HINT);
  }
}

const refuse: onRequestHookHandler = (_request, _reply, done) => {
  const advice = "set `push.maxStreams` (FLAGS_PUSH_MAX_STREAMS) to more than 0";
  done(notEnabled("This endpoint", advice));
};

function sendAddress(
  request: FastifyRequest,
  reply: FastifyReply,
  { hub, tokens }: Push,
  subscription: Subscription,
): FastifyReply {
  const clientKey = grantOf(request).key;
  hub.checkCapacity(clientKey, 0);
  const { token, expiresAtMs } = tokens.issue({ clientKey, subscription });
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
  { hub }: Push,
  grant: Grant,
  subscription: Subscription,
): FastifyReply {
  const { snapshot } = grant.source;
  if (snapshot === undefined) throw notReady();
  const stored = new StoredSubscription(subscription, snapshot.contextDependencies);
  hub.checkCapacity(grant.key, stored.bytes);
  const { raw } = reply;
  if (raw.destroyed) return reply.hijack();
  const lastEventId = request.headers["last-event-id"];
  if (Array.isArray(lastEventId)) throw new HttpError(400, "Send `Last-Event-ID` once");
  const events = new EventStream(raw, reply.getHeaders());
  hub.add(new PushStream({ grant, subscription: stored, events, lastEventId }));
  return reply.hijack();
}

const POST_SCHEMA = {
  summary: "Issues an address at which a browser can open a stream",
  description:
    "The address contains the encrypted context, and can be opened for a few minutes. It is for " +
    "`EventSource`, which can send neither a key nor a body. With `Accept: text/event-stream` the " +
    "response is the stream itself.",
  tags,
  security: [{ clientKey: [] }],
  body: StreamBody,
  response: {
    200: StreamEvents,
    201: StreamAddress,
    ...errorResponses(400, 401, 413, 415, 501, 503),
  },
};

const GET_SCHEMA = {
  summary: "Streams the toggles of a client, and sends them again whenever they change",
  description:
    "The first event contains the toggles, unless `Last-Event-ID` names that event; another one " +
    "follows whenever the toggles for this context change. Comments keep the stream alive.",
  tags,
  querystring: Type.Object({ token: Type.String({ description: "The token of the address" }) }),
  response: { 200: StreamEvents, ...errorResponses(401, 501, 503) },
};
