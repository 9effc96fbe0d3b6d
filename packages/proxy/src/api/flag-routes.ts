import type { onRequestHookHandler } from "fastify";
import type { TypedApp } from "flags-server-kit/http";
import type { TSchema } from "typebox";
import { grantOf } from "./authenticate.ts";
import { allowsAll } from "../access/grant.ts";
import { ENABLE_ALL_HINT, notAllowed, notEnabled } from "../errors.ts";
import { parseQueryContext } from "../context/sent-context.ts";
import type { Selection } from "../response/evaluate-flags.ts";
import { createFlagHandler } from "./flag-handler.ts";
import type { RequestBody, Protocol } from "./protocol.ts";
import { ContextQuery, errorResponses, type ErrorStatus, NotModified } from "./schemas.ts";

/** The parts of the routes that differ between protocols. */
interface FlagRoutesOptions {
  readonly authenticate: onRequestHookHandler;
  readonly protocol: Protocol;
  readonly body: RequestBody;
  /** Schema of a list of flags. */
  readonly responseSchema: TSchema;
  /** Heading of the routes in the OpenAPI document. */
  readonly tag: string;
  readonly enableAllEndpoint: boolean;
}

/** Registers the lists of flags, for GET and POST: those that are on at the root, all at `/all`. */
export function registerFlagRoutes(app: TypedApp, options: FlagRoutesOptions): void {
  const { authenticate, enableAllEndpoint } = options;
  registerList(app, options, {
    path: "",
    subject: "the flags that are on",
    errors: [400, 401, 503],
    onRequest: [authenticate],
    selection: {},
  });
  registerList(app, options, {
    path: "/all",
    subject: "all flags, on and off",
    errors: [400, 401, 501, 503],
    onRequest: [authenticate, createAllCheck(enableAllEndpoint)],
    selection: { all: true },
  });
}

/** Creates a hook that rejects requests for all flags unless the setting or the key allows them. */
function createAllCheck(isEnabled: boolean): onRequestHookHandler {
  return (request, _reply, done) => {
    const grant = grantOf(request);
    if (allowsAll(grant, isEnabled)) done();
    else if (isEnabled) done(notAllowed("list flags that are off", "allFlags"));
    else done(notEnabled("This endpoint", ENABLE_ALL_HINT));
  };
}

interface List {
  readonly path: string;
  /** The content of the list, for descriptions. */
  readonly subject: string;
  /** Error statuses of both methods. */
  readonly errors: readonly ErrorStatus[];
  readonly onRequest: onRequestHookHandler[];
  readonly selection: Selection;
}

function registerList(app: TypedApp, options: FlagRoutesOptions, list: List): void {
  const { protocol, body } = options;
  const { path, onRequest, selection } = list;
  const sendFlags = createFlagHandler(protocol);

  app.get(path, { onRequest, schema: describeGet(options, list) }, (request, reply) =>
    sendFlags(request, reply, {
      sent: parseQueryContext(request.url, protocol.definition),
      selection,
    }),
  );
  app.post(path, { onRequest, schema: describePost(options, list) }, (request, reply) => {
    const { sent, toggles } = body.read(request.body);
    return sendFlags(request, reply, { sent, selection: { ...selection, toggles } });
  });
}

function describeGet({ responseSchema, tag }: FlagRoutesOptions, { subject, errors }: List) {
  return {
    ...describe(`Evaluates ${subject}, for a context in the query`, tag),
    querystring: ContextQuery,
    response: { 200: responseSchema, 304: NotModified, ...errorResponses(...errors) },
  };
}

function describePost({ responseSchema, body, tag }: FlagRoutesOptions, { subject, errors }: List) {
  return {
    ...describe(`Evaluates ${subject}, or the named ones, for a context in the body`, tag),
    body: body.schema,
    response: { 200: responseSchema, 304: NotModified, ...errorResponses(...errors, 413, 415) },
  };
}

function describe(summary: string, tag: string) {
  return { summary, tags: [tag], security: [{ clientKey: [] }] };
}
