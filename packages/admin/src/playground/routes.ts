import type { FastifyReply } from "fastify";
import type { TypedApp } from "flags-server-kit/http";
import { getEnvironment } from "../domain/environments/store.ts";
import { documented } from "../http/schemas.ts";
import type { Storage } from "../storage/storage.ts";
import { combineValues } from "./context-combinations.ts";
import { evaluateAll } from "./evaluate-all.ts";
import { loadPlayground, type PlaygroundEnvironment } from "./load-playground.ts";
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
      const environment = await load(storage, body.environment, body.features);
      const contexts = { count: 1, at: () => body.context };
      const evaluations = await evaluateAll([environment], contexts, body);
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
      const environments: PlaygroundEnvironment[] = [];
      for (const name of new Set(body.environments)) {
        // oxlint-disable-next-line no-await-in-loop -- each needs the connection
        environments.push(await load(storage, name, body.features));
      }
      const evaluations = await evaluateAll(environments, combineValues(body.context), body);
      return sendJson(reply, writeAdvancedPlayground(body, evaluations));
    },
  );
}

function load(
  storage: Storage,
  name: string,
  features: readonly string[] | undefined,
): Promise<PlaygroundEnvironment> {
  return storage.read(async (db) => {
    await getEnvironment(db, name);
    return loadPlayground(db, name, features);
  });
}

/** Sends JSON that has been written before. */
function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.type("application/json; charset=utf-8").send(json);
}
