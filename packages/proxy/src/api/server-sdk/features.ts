import type { FastifyReply, FastifyRequest } from "fastify";
import { mustInlineSegments } from "flags-engine";
import type { FeatureDefinitions } from "flags-sdk";
import { AGE_HEADER, writeAge } from "flags-sdk/internal";
import { sendConditional, type TypedApp } from "flags-server-kit/http";
import { Type } from "typebox";
import { grantOf } from "../authenticate.ts";
import { ageMsOf } from "../../age.ts";
import { notReady, unknownFlag } from "../../errors.ts";
import { errorResponses, NotModified } from "../schemas.ts";
import type { DefinitionsOptions } from "./definitions.ts";
import { writeDefinition, type WrittenDocument } from "./definitions-document.ts";
import {
  Definition,
  DefinitionsResponse,
  DefinitionsQuery,
  parseDefinitionsQuery,
  SERVER_SDK,
} from "./schemas.ts";

const INLINED =
  "Without `Unleash-Client-Spec: 4.2.0` or later in the request, the constraints of segments are " +
  "part of the strategies that refer to them";

/** Registers the endpoint that sends the definitions of all flags. */
export function registerFeatures(app: TypedApp, options: DefinitionsOptions): void {
  const schema = {
    ...SERVER_SDK,
    summary: "The definitions of all flags, for server SDKs and other proxies",
    description: `${INLINED}, and there is no list of \`segments\`.`,
    querystring: DefinitionsQuery,
    response: { 200: DefinitionsResponse, 304: NotModified, ...errorResponses(400, 401, 503) },
  };
  const onRequest = [options.authenticate];

  app.get("/client/features", { onRequest, schema }, (request, reply) => {
    const document = options.read(definitionsFor(request), {
      ...parseDefinitionsQuery(request.url),
      inlineSegments: mustInlineSegments(request.headers["unleash-client-spec"]),
    });
    return send(request, setHeaders(request, reply, options), document);
  });
}

/** Registers the endpoint that sends the definition of one flag. */
export function registerFeature(app: TypedApp, options: DefinitionsOptions): void {
  const schema = {
    ...SERVER_SDK,
    summary: "The definition of one flag",
    description: `${INLINED}.`,
    params: Type.Object({ name: Type.String({ description: "Name of the flag" }) }),
    response: { 200: Definition, 304: NotModified, ...errorResponses(400, 401, 404, 503) },
  };
  const onRequest = [options.authenticate];

  app.get("/client/features/:name", { onRequest, schema }, (request, reply) => {
    const inlineSegments = mustInlineSegments(request.headers["unleash-client-spec"]);
    const { name } = request.params;
    const document = writeDefinition(definitionsFor(request), { name, inlineSegments });
    if (document === undefined) throw unknownFlag(name);
    return send(request, setHeaders(request, reply, options), document);
  });
}

function definitionsFor(request: FastifyRequest): FeatureDefinitions {
  const { definitions } = grantOf(request).flags;
  if (definitions === undefined) throw notReady();
  return definitions;
}

function setHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  { vary }: DefinitionsOptions,
): FastifyReply {
  const age = writeAge(ageMsOf(grantOf(request).flags.source.flags));
  return reply.headers({ vary: `${vary}, unleash-client-spec`, [AGE_HEADER]: age });
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { entityTag, text }: WrittenDocument,
): FastifyReply {
  const contentType = "application/json; charset=utf-8";
  reply.header("cache-control", "no-cache");
  return sendConditional(request, reply, { entityTag, contentType, body: () => text });
}
