import type { FeatureDefinitions } from "flags-sdk";
import { sendConditional } from "flags-server-kit/http";
import type { TypedApp } from "flags-server-kit/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { grantOf } from "../../access/authenticate.ts";
import { understandsSegments } from "./client-spec.ts";
import { parseDefinitionsQuery } from "./definitions-query.ts";
import { writeDefinition, type WrittenDocument } from "./write-definition.ts";
import { HttpError, notReady } from "../../errors.ts";
import { errorResponses, NotModified } from "../schemas.ts";
import { Definition, Definitions, DefinitionsQuery } from "./schemas.ts";
import { type DefinitionsOptions, SERVER_SDK } from "./server-sdk-options.ts";

const INLINED =
  "To a request without `Unleash-Client-Spec: 4.2.0` or later, the constraints of segments " +
  "are sent as part of the strategies that name them";

/** Hands the definitions of all flags to server SDKs and to other proxies. */
export function registerFeatures(app: TypedApp, options: DefinitionsOptions): void {
  const schema = {
    ...SERVER_SDK,
    summary: "The definitions of all flags, for server SDKs and other proxies",
    description: `${INLINED}, and there is no list of \`segments\`.`,
    querystring: DefinitionsQuery,
    response: { 200: Definitions, 304: NotModified, ...errorResponses(400, 401, 503) },
  };
  const onRequest = [options.authenticate];

  app.get("/client/features", { onRequest, schema }, (request, reply) => {
    const document = options.read(definitionsFor(request), {
      ...parseDefinitionsQuery(request.url),
      inlineSegments: !understandsSegments(request.headers["unleash-client-spec"]),
    });
    return send(request, varyOnSpec(reply, options), document);
  });
}

/** Hands out the definition of one flag. */
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
    const inlineSegments = !understandsSegments(request.headers["unleash-client-spec"]);
    const { name } = request.params;
    const document = writeDefinition(definitionsFor(request), { name, inlineSegments });
    if (document === undefined) throw unknownFlag(name);
    return send(request, varyOnSpec(reply, options), document);
  });
}

function definitionsFor(request: FastifyRequest): FeatureDefinitions {
  const { definitions } = grantOf(request).source;
  if (definitions === undefined) throw notReady();
  return definitions;
}

function varyOnSpec(reply: FastifyReply, { vary }: DefinitionsOptions): FastifyReply {
  return reply.header("vary", `${vary}, unleash-client-spec`);
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

function unknownFlag(name: string): HttpError {
  return new HttpError(
    404,
    `There is no flag called \`${name}\`: check its spelling, and which flags the proxy is to know`,
  );
}
