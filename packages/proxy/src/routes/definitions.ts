import type { onRequestHookHandler } from "fastify";
import { Type } from "typebox";
import { grantOf } from "../auth/authenticate.ts";
import { createDefinitionsReader } from "../definitions/definitions-reader.ts";
import { parseDefinitionsQuery } from "../definitions/definitions-query.ts";
import { understandsSegments } from "../definitions/client-spec.ts";
import { notReady } from "../errors.ts";
import { sendConditional } from "flags-service/http";
import type { TypedApp } from "flags-service/http";
import { errorAnswers, NotModified } from "./schemas.ts";

interface DefinitionsOptions {
  /** Lets server tokens pass, and nothing else. */
  readonly authenticate: onRequestHookHandler;
  readonly vary: string;
}

const Definitions = Type.Object(
  {
    version: Type.Integer(),
    features: Type.Array(Type.Object({ name: Type.String() }, { additionalProperties: true })),
    segments: Type.Optional(Type.Array(Type.Object({}, { additionalProperties: true }))),
  },
  { description: "The flags as the upstream defines them" },
);

const oneOrMany = Type.Unsafe<string | string[]>({
  type: "array",
  items: { type: "string" },
  description: "Projects whose flags are wanted; `*`, or none, stands for all",
});

const DefinitionsQuery = Type.Object({
  project: Type.Optional(oneOrMany),
  namePrefix: Type.Optional(Type.String({ description: "How the names of the flags begin" })),
});

/** Hands the definitions themselves to server SDKs and to other proxies. */
export function registerDefinitions(
  app: TypedApp,
  { authenticate, vary }: DefinitionsOptions,
): void {
  const schema = {
    summary: "The definitions of all flags, for server SDKs and other proxies",
    description:
      "To a request without `Unleash-Client-Spec: 4.2.0` or later, the constraints of segments " +
      "are sent as part of the strategies that name them, and there is no list of `segments`.",
    tags: ["Server SDKs"],
    security: [{ serverToken: [] }],
    querystring: DefinitionsQuery,
    response: { 200: Definitions, 304: NotModified, ...errorAnswers(400, 401, 503) },
  };
  const read = createDefinitionsReader();
  const varyHere = `${vary}, unleash-client-spec`;

  app.get("/client/features", { onRequest: [authenticate], schema }, (request, reply) => {
    const { definitions } = grantOf(request).source;
    if (definitions === undefined) throw notReady();

    const document = read(definitions, {
      ...parseDefinitionsQuery(request.url),
      inlineSegments: !understandsSegments(request.headers["unleash-client-spec"]),
    });
    reply.header("cache-control", "no-cache").header("vary", varyHere);
    return sendConditional(request, reply, {
      entityTag: document.entityTag,
      contentType: "application/json; charset=utf-8",
      body: () => document.text,
    });
  });
}
