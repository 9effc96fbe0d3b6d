import type { onRequestHookHandler } from "fastify";
import type { TypedApp } from "flags-server-kit/http";
import { Type } from "typebox";
import { parseQueryContext } from "../../context/sent-context.ts";
import { allowNoBody } from "../../http/json-body.ts";
import { createEvaluate } from "../evaluate.ts";
import { registerFlagRoutes } from "../flag-routes.ts";
import type { Protocol, RouteOptions } from "../protocol.ts";
import { registerStreams } from "../streams.ts";
import { registerUsage } from "../usage.ts";
import { ContextQuery, errorResponses, NotModified } from "../schemas.ts";
import {
  FRONTEND_BODY,
  FRONTEND_STREAM_BODY,
  FrontendToggle,
  FrontendToggleList,
} from "./schemas.ts";

/** Registers the frontend API, as the upstream and Edge provide it to client SDKs. */
export function registerFrontendRoutes(app: TypedApp, options: RouteOptions): void {
  const { config, usageRules, protocol, allow, access, clientStreams } = options;
  const authenticate = allow("client");
  allowNoBody(app);
  registerFlagRoutes(app, {
    authenticate,
    protocol,
    body: FRONTEND_BODY,
    responseSchema: FrontendToggleList,
    tag: "Frontend API",
    enableAllEndpoint: config.enableAllEndpoint,
  });
  registerSingleToggle(app, authenticate, protocol);
  registerUsage(app, {
    authenticate: allow("client", "server"),
    ...usageRules,
  });
  registerStreams(app, {
    config,
    allow,
    protocol,
    access,
    clientStreams,
    body: FRONTEND_STREAM_BODY,
  });
}

function registerSingleToggle(
  app: TypedApp,
  authenticate: onRequestHookHandler,
  protocol: Protocol,
): void {
  const evaluate = createEvaluate(protocol);
  const onRequest = [authenticate];

  app.get("/features/:name", { onRequest, schema: describeGet() }, (request, reply) =>
    evaluate(request, reply, {
      sent: parseQueryContext(request.url, protocol.definition),
      selection: { single: request.params.name },
    }),
  );
  app.post("/features/:name", { onRequest, schema: describePost() }, (request, reply) =>
    evaluate(request, reply, {
      sent: FRONTEND_BODY.read(request.body).sent,
      selection: { single: request.params.name },
    }),
  );
}

const ToggleName = Type.Object({ name: Type.String({ description: "Name of the toggle" }) });

function describeGet() {
  return {
    ...describe("Evaluates one toggle, on or off, for a context in the query"),
    querystring: ContextQuery,
    response: { 200: FrontendToggle, 304: NotModified, ...errorResponses(400, 401, 404, 503) },
  };
}

function describePost() {
  return {
    ...describe("Evaluates one toggle, on or off, for a context in the body"),
    body: FRONTEND_BODY.schema,
    response: {
      200: FrontendToggle,
      304: NotModified,
      ...errorResponses(400, 401, 404, 413, 415, 503),
    },
  };
}

function describe(summary: string) {
  return { summary, tags: ["Frontend API"], security: [{ clientKey: [] }], params: ToggleName };
}
