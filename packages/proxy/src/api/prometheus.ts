import { Type } from "typebox";
import type { TypedApp } from "flags-server-kit/http";
import type { Metrics } from "../metrics.ts";
import { errorResponses } from "./schemas.ts";

/** Metrics in the text format of Prometheus. No key is needed. */
export function registerPrometheus(app: TypedApp, { registry, read }: Metrics): void {
  const schema = {
    summary: "Metrics of the proxy, for Prometheus",
    tags: ["Operations"],
    response: {
      200: { content: { "text/plain": { schema: Type.String() } }, description: "The metrics" },
      ...errorResponses(503),
    },
  };
  app.get("/internal-backstage/prometheus", { schema }, async (_request, reply) =>
    reply
      .type(registry.contentType)
      .header("cache-control", "no-store")
      .send(await read()),
  );
}
