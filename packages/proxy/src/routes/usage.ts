import type { onRequestHookHandler } from "fastify";
import type { Counter } from "prom-client";
import { Type } from "typebox";
import { grantOf } from "../auth/authenticate.ts";
import { toApplicationUsage } from "../metrics/usage.ts";
import type { TypedApp } from "flags-service/http";
import { errorAnswers, RegistrationBody, UsageBody } from "./schemas.ts";

interface UsageOptions {
  /** Lets client keys and server tokens pass. */
  readonly authenticate: onRequestHookHandler;
  readonly entries: Counter;
}

/** Takes in what SDKs report of themselves: what they counted, and that they exist. */
export function registerUsage(app: TypedApp, { authenticate, entries }: UsageOptions): void {
  const onRequest = [authenticate];

  app.post(
    "/client/metrics",
    { onRequest, schema: { ...describe("Takes in usage of toggles"), body: UsageBody } },
    (request, reply) => {
      const usage = toApplicationUsage(request.body, Date.now());
      const count = Object.keys(usage.features).length;
      if (count > 0) grantOf(request).source.reportUsage(usage);
      entries.inc(count);
      return reply.type("text/plain; charset=utf-8").send("OK");
    },
  );

  app.post(
    "/client/register",
    {
      onRequest,
      schema: { ...describe("Accepts the registration of an SDK"), body: RegistrationBody },
    },
    (_request, reply) => reply.type("text/plain; charset=utf-8").send("OK"),
  );
}

function describe(summary: string) {
  return {
    summary,
    tags: ["Usage"],
    security: [{ clientKey: [] }, { serverToken: [] }],
    response: {
      200: { content: { "text/plain": { schema: Type.String() } }, description: "Accepted" },
      ...errorAnswers(400, 401, 413, 415, 503),
    },
  };
}
