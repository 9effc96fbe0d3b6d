import type { FastifyReply } from "fastify";
import type { TypedApp } from "../http/typed-app.ts";
import { ApiError } from "../errors.ts";
import { operation } from "../access/operation.ts";
import { callerOf } from "../access/request-identity.ts";
import { groupBy } from "../storage/database.ts";
import type { Storage } from "../storage/storage.ts";
import { combineValues } from "./context-combinations.ts";
import { evaluateAll, type Evaluation } from "./evaluate-all.ts";
import { AdvancedPlaygroundResponse, PlaygroundResponse } from "./response-schemas.ts";
import { AdvancedPlaygroundBody, PlaygroundBody } from "./schemas.ts";

const tag = "Playground";

/** Registers the evaluation of flags for contexts that a person chooses. */
export function registerPlayground(app: TypedApp, storage: Storage): void {
  const limited = createLimit();
  app.post(
    "/playground",
    operation({
      id: "getPlayground",
      role: "viewer",
      tag,
      summary: "Evaluates flags for a context, and shows the result of each strategy",
      returns: PlaygroundResponse,
      alsoFailsWith: [404],
      body: PlaygroundBody,
    }),
    async (request, reply) => {
      const { body } = request;
      const flags = { ...body, access: callerOf(request).projects };
      const contexts = { count: 1, at: () => body.context };
      const json = await limited(async () =>
        writePlayground(body, await evaluateAll(storage, [body.environment], contexts, flags)),
      );
      return sendJson(reply, json);
    },
  );

  app.post(
    "/playground/advanced",
    operation({
      id: "getAdvancedPlayground",
      role: "viewer",
      tag,
      summary:
        "Evaluates flags for several environments and contexts; values separated by commas are combined",
      returns: AdvancedPlaygroundResponse,
      alsoFailsWith: [404],
      body: AdvancedPlaygroundBody,
    }),
    async (request, reply) => {
      const { body } = request;
      const flags = { ...body, access: callerOf(request).projects };
      const environments = [...new Set(body.environments)];
      const contexts = combineValues(body.context);
      const json = await limited(async () =>
        writeAdvancedPlayground(body, await evaluateAll(storage, environments, contexts, flags)),
      );
      return sendJson(reply, json);
    },
  );
}

/** Results can be large: more evaluations at a time could exhaust the memory. */
const MAX_EVALUATIONS_AT_A_TIME = 4;

/** Creates a function that does work, or throws an `OverloadError` while too much is being done. */
function createLimit() {
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running === MAX_EVALUATIONS_AT_A_TIME) throw tooManyEvaluations();
    running++;
    try {
      return await work();
    } finally {
      running--;
    }
  };
}

function tooManyEvaluations(): ApiError {
  return new ApiError(
    "OverloadError",
    "Too many evaluations are running in the playground: try again in a second",
    { headers: { "retry-after": "1" } },
  );
}

/** Sends JSON that has been written before. */
function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.type("application/json; charset=utf-8").send(json);
}

/**
 * Writes the response of the playground as JSON.
 *
 * @param input body of the request
 */
function writePlayground(input: unknown, evaluations: readonly Evaluation[]): string {
  return writeResponse(
    input,
    evaluations.map(({ result }) => result),
  );
}

/** Writes the response of the advanced playground as JSON: the results of each flag by environment. */
function writeAdvancedPlayground(input: unknown, evaluations: readonly Evaluation[]): string {
  const features = [...groupBy(evaluations, ({ name }) => name)].map(([name, ofFeature]) => {
    const environments = [...groupBy(ofFeature, ({ environment }) => environment)].map(
      ([environment, results]) =>
        `${JSON.stringify(environment)}:[${results.map(writeResult).join()}]`,
    );
    const head = JSON.stringify({ name, projectId: ofFeature[0]?.project });
    return extend(head, `"environments":{${environments.join()}}`);
  });
  return writeResponse(input, features);
}

function writeResult({ result, environment, context }: Evaluation): string {
  return extend(result, `"environment":${JSON.stringify(environment)},"context":${context}`);
}

/** Adds members to the JSON of an object that is not empty. */
function extend(object: string, members: string): string {
  return `${object.slice(0, -1)},${members}}`;
}

function writeResponse(input: unknown, features: readonly string[]): string {
  return `{"input":${JSON.stringify(input)},"features":[${features.join()}]}`;
}
