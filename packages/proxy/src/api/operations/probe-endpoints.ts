import type { TypedApp } from "flags-server-kit/http";
import { Type } from "typebox";
import { ALWAYS_AVAILABLE, findReadinessError, type ReadinessRules } from "../../http/readiness.ts";
import { errorResponses } from "../schemas.ts";

const Ok = Type.Object({ status: Type.Literal("ok") }, { title: "probeSchema" });

const OK = { status: "ok" } as const;

const TAGS = { tags: ["Operations"] };

/** Registers `GET /live` and `GET /ready`. Neither needs a key. */
export function registerProbes(app: TypedApp, rules: ReadinessRules): void {
  const liveSchema = {
    ...TAGS,
    summary: "Reports that the process responds, regardless of its flags",
    response: { 200: Ok },
  };
  app.get("/live", { ...ALWAYS_AVAILABLE, schema: liveSchema }, (_request, reply) =>
    reply.header("cache-control", "no-store").send(OK),
  );

  const readySchema = {
    ...TAGS,
    summary:
      "Reports whether the proxy should receive requests: whether it has flags that are not too old",
    response: { 200: Ok, ...errorResponses(503) },
  };
  app.get("/ready", { ...ALWAYS_AVAILABLE, schema: readySchema }, (_request, reply) => {
    reply.header("cache-control", "no-store");
    const problem = findReadinessError(rules);
    if (problem !== undefined) throw problem;
    return reply.send(OK);
  });
}
