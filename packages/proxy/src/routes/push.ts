import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { EventStream, type TypedApp } from "flags-service/http";
import { type Static, Type } from "typebox";
import { grantOf } from "../auth/authenticate.ts";
import type { Grant, KeyRing } from "../auth/key-ring.ts";
import { readContext } from "../context/read-context.ts";
import { requestContext } from "../context/request-context.ts";
import { HttpError, notReady, notSwitchedOn, SWITCH_ALL_ON } from "../errors.ts";
import type { Push } from "../push/create-push.ts";
import type { ToggleKind } from "../push/message-forms.ts";
import { PushStream } from "../push/push-stream.ts";
import {
  toPlainContext,
  withSessionId,
  type StreamQuestion,
  type ToggleChoice,
} from "../push/stream-question.ts";
import type { DialectOptions } from "./dialect-options.ts";
import { errorAnswers, StreamAddress, StreamBody, StreamEvents } from "./schemas.ts";

interface PushOptions extends Omit<DialectOptions, "metrics"> {
  readonly ring: KeyRing;
  readonly push: Push;
  readonly kind: ToggleKind;
}

const EVENT_STREAM = "text/event-stream";
const tags = ["Push"];

/** Streams on which clients are told of their answer, and of every other that takes its place. */
export function registerPush(app: TypedApp, options: PushOptions): void {
  const isOff = options.config.push.maxStreams === 0;
  const onRequest = isOff ? [refuse] : [options.allow("client")];
  app.post("/stream", { onRequest, schema: POST_SCHEMA }, async (request, reply) => {
    const question = await askedBy(request, request.body, options);
    options.push.hub.checkRoom();
    return request.headers.accept?.includes(EVENT_STREAM) === true
      ? openStream(request, reply, { question, grant: grantOf(request), push: options.push })
      : sendAddress(request, reply, { question, push: options.push });
  });
  registerGet(app, options);
}

/** NOTE: an EventSource can send neither a key nor a body, so the address has to hold it all. */
function registerGet(app: TypedApp, { config, ring, push }: PushOptions): void {
  const onRequest = config.push.maxStreams === 0 ? [refuse] : [];
  // There is no point in the headers of a stream alone.
  const route = { onRequest, schema: GET_SCHEMA, exposeHeadRoute: false };
  app.get("/stream", route, async (request, reply) => {
    const { token } = request.query;
    const { clientKey, question } = push.tokens.open(typeof token === "string" ? token : "");
    checkAll(question, config);
    const grant = ring.find(clientKey, ["client"]);
    if (grant === undefined) throw new TypeError("A token was opened for a key that is none");
    push.hub.checkRoom();
    return openStream(request, reply, { question, grant, push });
  });
}

/** What a client wants to be told of: enrichers and all, so that it holds without this request. */
async function askedBy(
  request: FastifyRequest,
  { context, toggles, all }: Static<typeof StreamBody>,
  { config, rules, kind }: PushOptions,
): Promise<StreamQuestion> {
  checkAll({ toggles, all }, config);
  const { snapshot } = grantOf(request).source;
  if (snapshot === undefined) throw notReady();

  const sent = withSessionId(readContext(context));
  const subject = { request: request.raw, sent, snapshot };
  return {
    context: toPlainContext(await requestContext(subject, rules.contextRules)),
    kind,
    toggles,
    all,
  };
}

function checkAll(
  { toggles, all }: ToggleChoice,
  { allEndpointEnabled }: PushOptions["config"],
): void {
  if (all === true && toggles === undefined && !allEndpointEnabled) {
    throw notSwitchedOn("What `all` asks for", SWITCH_ALL_ON);
  }
}

const refuse: onRequestHookHandler = (_request, _reply, done) => {
  const advice = "set `push.maxStreams` (FLAGS_PUSH_MAX_STREAMS) to more than 0";
  done(notSwitchedOn("This endpoint", advice));
};

interface StreamParts {
  readonly question: StreamQuestion;
  readonly push: Push;
}

function sendAddress(
  request: FastifyRequest,
  reply: FastifyReply,
  { question, push }: StreamParts,
): FastifyReply {
  const clientKey = grantOf(request).key;
  const { token, expiresAtMs } = push.tokens.issue({ clientKey, question });
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
  { question, push, grant }: StreamParts & { readonly grant: Grant },
): FastifyReply {
  const { raw } = reply;
  if (raw.destroyed) return reply.hijack();
  const lastEventId = request.headers["last-event-id"];
  if (Array.isArray(lastEventId)) throw new HttpError(400, "Send `Last-Event-ID` once");
  const events = new EventStream(raw, reply.getHeaders());
  push.hub.add(new PushStream({ source: grant.source, question, events, lastEventId }));
  return reply.hijack();
}

const POST_SCHEMA = {
  summary: "Makes an address under which a browser can listen for changes",
  description:
    "The address holds the context, encrypted, and can be opened for a few minutes. It is for " +
    "`EventSource`, which can send neither a key nor a body. With `Accept: text/event-stream` the " +
    "answer is the stream itself.",
  tags,
  security: [{ clientKey: [] }],
  body: StreamBody,
  response: {
    200: StreamEvents,
    201: StreamAddress,
    ...errorAnswers(400, 401, 413, 415, 501, 503),
  },
};

const GET_SCHEMA = {
  summary: "Tells a client of its toggles, and of changes as they happen",
  description:
    "The first event brings the answer, unless `Last-Event-ID` names it; a further one comes " +
    "whenever the answer for this context is another. Comments in between keep the stream alive.",
  tags,
  querystring: Type.Object({ token: Type.String({ description: "From the address" }) }),
  response: { 200: StreamEvents, ...errorAnswers(401, 501, 503) },
};
