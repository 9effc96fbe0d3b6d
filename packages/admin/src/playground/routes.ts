import type { FastifyReply } from "fastify";
import type { TypedApp } from "flags-server-kit/http";
import { documented } from "../http/schemas.ts";
import type { Storage } from "../storage/storage.ts";
import { combineValues } from "./context-combinations.ts";
import { evaluateAll } from "./evaluate-all.ts";
import { AdvancedPlaygroundResponse, PlaygroundResponse } from "./response-schemas.ts";
import { AdvancedPlaygroundBody, PlaygroundBody } from "./schemas.ts";
import { writeAdvancedPlayground, writePlayground } from "./write-playground.ts";

const tag = "Playground";

/** Registers the evaluation of flags for contexts that a person chooses. */
export function registerPlayground(app: TypedApp, storage: Storage): void {
  app.post(
    "/playground",
    {
      schema: {
        ...documented({
          tag,
          summary: "Evaluates flags for a context, and shows the result of each strategy",
          returns: PlaygroundResponse,
          hasBody: true,
          alsoFailsWith: [404],
        }),
        body: PlaygroundBody,
      },
    },
    async ({ body }, reply) => {
      const contexts = { count: 1, at: () => body.context };
      const evaluations = await evaluateAll(storage, [body.environment], contexts, body);
      return sendJson(reply, writePlayground(body, evaluations));
    },
  );

  app.post(
    "/playground/advanced",
    {
      schema: {
        ...documented({
          tag,
          summary:
            "Evaluates flags for several environments and contexts; values separated by commas are combined",
          returns: AdvancedPlaygroundResponse,
          hasBody: true,
          alsoFailsWith: [404],
        }),
        body: AdvancedPlaygroundBody,
      },
    },
    async ({ body }, reply) => {
      const environments = [...new Set(body.environments)];
      const contexts = combineValues(body.context);
      const evaluations = await evaluateAll(storage, environments, contexts, body);
      return sendJson(reply, writeAdvancedPlayground(body, evaluations));
    },
  );
}

/** Sends JSON that has been written before. */
function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.type("application/json; charset=utf-8").send(json);
}
