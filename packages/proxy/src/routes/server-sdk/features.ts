import { type FeatureDefinitions } from "flags-sdk";
import { sendConditional } from "flags-service/http";
import type { TypedApp } from "flags-service/http";
import { Type } from "typebox";
import { grantOf } from "../../auth/authenticate.ts";
import { understandsSegments } from "../../definitions/client-spec.ts";
import { createDefinitionsReader } from "../../definitions/definitions-reader.ts";
import { parseDefinitionsQuery } from "../../definitions/definitions-query.ts";
import { writeDefinition } from "../../definitions/write-definition.ts";
import { HttpError, notReady } from "../../errors.ts";
import { errorAnswers, NotModified } from "../schemas.ts";
import { Definition, Definitions, DefinitionsQuery } from "./schemas.ts";
import { type DefinitionsOptions, SERVER_SDK } from "./server-sdk-options.ts";

type Options = Pick<DefinitionsOptions, "authenticate" | "vary">;

const CONTENT_TYPE = "application/json; charset=utf-8";
const INLINED =
  "To a request without `Unleash-Client-Spec: 4.2.0` or later, the constraints of segments " +
  "are sent as part of the strategies that name them";

/** Hands the definitions of all flags to server SDKs and to other proxies. */
export function registerFeatures(app: TypedApp, { authenticate, vary }: Options): void {
  const schema = {
    ...SERVER_SDK,
    summary: "The definitions of all flags, for server SDKs and other proxies",
    description: `${INLINED}, and there is no list of \`segments\`.`,
    querystring: DefinitionsQuery,
    response: { 200: Definitions, 304: NotModified, ...errorAnswers(400, 401, 503) },
  };
  const read = createDefinitionsReader();

  app.get("/client/features", { onRequest: [authenticate], schema }, (request, reply) => {
    const document = read(definitionsOf(grantOf(request)), {
      ...parseDefinitionsQuery(request.url),
      inlineSegments: !understandsSegments(request.headers["unleash-client-spec"]),
    });
    reply.headers({ "cache-control": "no-cache", vary: `${vary}, unleash-client-spec` });
    return sendConditional(request, reply, {
      entityTag: document.entityTag,
      contentType: CONTENT_TYPE,
      body: () => document.text,
    });
  });
}

/** Hands out the definition of one flag. */
export function registerFeature(app: TypedApp, { authenticate, vary }: Options): void {
  const schema = {
    ...SERVER_SDK,
    summary: "The definition of one flag",
    description: `${INLINED}.`,
    params: Type.Object({ name: Type.String({ description: "Name of the flag" }) }),
    response: { 200: Definition, 304: NotModified, ...errorAnswers(400, 401, 404, 503) },
  };

  app.get("/client/features/:name", { onRequest: [authenticate], schema }, (request, reply) => {
    const inlineSegments = !understandsSegments(request.headers["unleash-client-spec"]);
    const { name } = request.params;
    const document = writeDefinition(definitionsOf(grantOf(request)), { name, inlineSegments });
    if (document === undefined) throw unknownFlag(name);
    reply.headers({ "cache-control": "no-cache", vary: `${vary}, unleash-client-spec` });
    return sendConditional(request, reply, {
      entityTag: document.entityTag,
      contentType: CONTENT_TYPE,
      body: () => document.text,
    });
  });
}

function definitionsOf({
  source,
}: {
  readonly source: { readonly definitions: FeatureDefinitions | undefined };
}): FeatureDefinitions {
  if (source.definitions === undefined) throw notReady();
  return source.definitions;
}

function unknownFlag(name: string): HttpError {
  return new HttpError(
    404,
    `There is no flag called \`${name}\`: check its spelling, and which flags the proxy is to know`,
  );
}
