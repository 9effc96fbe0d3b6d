import { type Static, type TSchema, Type } from "typebox";
import { named } from "../http/named-schema.ts";
import { acceptContext, allowsAll, cacheKeyOf, type Grant } from "../access/grant.ts";
import { keyOfClient } from "../access/key-registry.ts";
import { prepareContext } from "../context/request-context.ts";
import { readContext } from "../context/sent-context.ts";
import { admit } from "../routing/authenticate.ts";
import type { Call } from "../routing/call.ts";
import {
  ENABLE_ALL_HINT,
  invalidStreamToken,
  notAllowed,
  notEnabled,
  notReady,
} from "../http/errors.ts";
import { type RouteOptions, streamKindOf } from "./protocol.ts";
import { jsonReply, type Reply } from "../http/reply.ts";
import { mountPathOf } from "../http/request.ts";
import type { Selection } from "../response/evaluate-flags.ts";
import { FOR_CLIENTS, type Route } from "../routing/route.ts";
import { errorResponses } from "./schemas.ts";
import type { ClientStreams } from "../streaming/client-streams.ts";
import {
  CHARACTER_BYTES,
  type Subscription,
  toStoredText,
  withSessionId,
} from "../streaming/subscription.ts";

interface StreamOptions extends Pick<
  RouteOptions,
  "config" | "protocol" | "allow" | "access" | "clientStreams" | "originOf"
> {
  readonly body: StreamBody;
}

/** The route of streams, below the paths of a protocol that has them. */
export const STREAM_ROUTE = "/stream";

const EVENT_STREAM = "text/event-stream";
const TAGS = ["Push"];

/** Fewer than in one request, because a stream repeats the evaluation for each change. */
const MAX_NAMED_TOGGLES = 100;

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

const StreamAddress = named(
  "streamAddressSchema",
  {
    url: Type.String({
      description: "The URL for an EventSource. It grants access like a key: keep it private",
    }),
    expiresAt: Type.String({
      format: "date-time",
      description: "The stream can be opened until this time; an open stream continues after it",
    }),
  },
  { description: "The URL of the stream" },
);

const StreamEvents = {
  description:
    "The stream: each event `toggles` contains a list of flags, and its id is their entity tag",
  content: { "text/event-stream": { schema: Type.String() } },
} as const;

/** Streams that send a client its toggles, and send them again whenever they change. */
export function streamRoutes(options: StreamOptions): readonly Route[] {
  const { clientStreams, access, config, allow, body } = options;
  const isOff = clientStreams === undefined;
  const shared = { path: STREAM_ROUTE, tags: TAGS, audience: FOR_CLIENTS };
  return [
    {
      ...shared,
      method: "POST",
      summary: "Issues a URL with which a browser can open a stream",
      description:
        "The URL contains the encrypted context, and is valid for a few minutes. It is for " +
        "`EventSource`, which can send neither a key nor a body. With `Accept: text/event-stream` the " +
        "response is the stream itself.",
      security: [{ clientKey: [] }],
      responses: {
        200: StreamEvents,
        201: StreamAddress,
        ...errorResponses(400, 401, 413, 415, 501, 503),
      },
      authenticate: isOff ? refuse : allow("client"),
      body: { schema: body },
      handle: async (call) => {
        if (isOff) return refuse();
        const subscription = await readSubscription(call, call.parse(body), options);
        return call.request.headers.accept?.includes(EVENT_STREAM) === true
          ? openStream(call, clientStreams, subscription)
          : issueUrl(call, clientStreams, { subscription, originOf: options.originOf });
      },
    },
    {
      ...shared,
      method: "GET",
      // A response to HEAD would be useless without the stream.
      hasHead: false,
      summary: "Streams the flags of a client, and sends them again whenever they change",
      description:
        "The first event contains the flags, unless `Last-Event-ID` names that event; another one " +
        "follows whenever the flags for this context change. Comments keep the stream alive.",
      query: Type.Object({ token: Type.String({ description: "The token in the issued URL" }) }),
      responses: { 200: StreamEvents, ...errorResponses(401, 501, 503) },
      // NOTE: an EventSource can send neither a key nor a body, so the token in the URL contains both.
      handle: async (call) => {
        if (isOff) return refuse();
        const { clientId, subscription } = clientStreams.tokens.open(tokenOf(call));
        await access.upstream?.confirm(keyOfClient(clientId));
        const grant = access.keys.findClient(clientId);
        if (grant === undefined) throw invalidStreamToken();
        admit(call, grant, access.uses);
        checkAll(grant, subscription, config);
        return openStream(call, clientStreams, subscription);
      },
    },
  ];
}

function refuse(): never {
  throw notEnabled(
    "This endpoint",
    "set `push.maxStreams` (FLAGS_PUSH_MAX_STREAMS) to more than 0",
  );
}

/** The token in the query; empty if there is none, or more than one. */
function tokenOf({ request: { url = "" } }: Call): string {
  const tokens = new URLSearchParams(url.slice(url.indexOf("?") + 1)).getAll("token");
  return tokens.length === 1 ? (tokens[0] ?? "") : "";
}

/** NOTE: enrichers run now, since they require the request. */
async function readSubscription(
  { grant, request }: Call,
  { context, toggles, all }: Static<StreamBody>,
  { config, protocol }: StreamOptions,
): Promise<Subscription> {
  checkAll(grant, { toggles, all }, config);
  const accepted = await acceptContext(grant, readContext(context), request);
  const { snapshot } = grant.flags;
  if (snapshot === undefined) throw notReady();

  const subject = { request, sent: withSessionId(accepted.sent), snapshot };
  return {
    context: await prepareContext(subject, protocol.contextRules),
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

function issueUrl(
  { grant, request }: Call,
  streams: ClientStreams,
  {
    subscription,
    originOf,
  }: { readonly subscription: Subscription } & Pick<StreamOptions, "originOf">,
): Reply {
  const clientId = cacheKeyOf(grant);
  streams.checkCapacity(grant.key, 0);
  const { token, expiresAtMs } = streams.tokens.issue({ clientId, subscription });
  const [path = ""] = (request.url ?? "").split("?", 1);
  return jsonReply(
    {
      url: `${originOf(request)}${mountPathOf(request)}${path}?token=${token}`,
      expiresAt: new Date(expiresAtMs).toISOString(),
    },
    { "cache-control": "no-store" },
    201,
  );
}

function openStream(
  { grant, request }: Call,
  streams: ClientStreams,
  subscription: Subscription,
): Reply {
  if (grant.flags.snapshot === undefined) throw notReady();
  const storedText = toStoredText(subscription);
  streams.checkCapacity(grant.key, CHARACTER_BYTES * storedText.length);
  const lastEventId = request.headers["last-event-id"]?.toString();
  const open = streams.opener({ grant, storedText, lastEventId });
  return { status: 200, headers: {}, stream: { open } };
}
