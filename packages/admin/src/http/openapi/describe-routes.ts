import type { FastifyInstance, FastifySchema } from "fastify";
import { Type } from "typebox";
import { errorResponses } from "../schemas.ts";
import type { SecurityScheme } from "./openapi.ts";

const SomeAnswer = Type.Unknown({ description: "Done" });

/**
 * Completes the descriptions of the routes of a scope by what all of them have in common. Comes
 * before the routes.
 */
export function describeRoutes(scope: FastifyInstance, scheme: SecurityScheme): void {
  scope.addHook("onRoute", (route) => {
    route.schema = completeSchema(route.schema ?? {}, scheme);
  });
}

function completeSchema(schema: FastifySchema, scheme: SecurityScheme): FastifySchema {
  const answers = (schema.response ?? {}) as Readonly<Record<string, unknown>>;
  const hasSuccess = Object.keys(answers).some((status) => /^[23]/.test(status));
  return {
    ...schema,
    security: [{ [scheme]: [] }],
    response: {
      ...(!hasSuccess && { "2xx": SomeAnswer }),
      // Any request can contain what cannot be parsed or stored, or an unknown token.
      ...errorResponses(400, 429),
      ...answers,
    },
  };
}
