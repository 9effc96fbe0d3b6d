import { sendConditional } from "flags-server-kit/http";
import { Type } from "typebox";
import type { TypedApp } from "flags-server-kit/http";
import { errorResponses } from "./schemas.ts";

const HEALTHY = {
  entityTag: 'W/"2-ok"',
  contentType: "text/html; charset=utf-8",
  body: () => "ok",
} as const;

/** Says that the proxy can answer; before it can, the readiness gate says that it cannot. */
export function registerHealth(app: TypedApp): void {
  const schema = {
    summary: "Tells whether the proxy can answer",
    tags: ["Operations"],
    response: {
      200: { content: { "text/html": { schema: Type.Literal("ok") } }, description: "It can" },
      ...errorResponses(503),
    },
  };
  app.get("/health", { schema }, (request, reply) => sendConditional(request, reply, HEALTHY));
}
