import { setImmediate } from "node:timers/promises";
import type { TypedApp } from "flags-server-kit/http";
import { getEnvironment } from "../domain/environments/store.ts";
import { badData } from "../errors.ts";
import { documented } from "../http/schemas.ts";
import type { Storage } from "../storage/storage.ts";
import { combineValues } from "./context-combinations.ts";
import { evaluateFeature } from "./evaluate.ts";
import {
  loadPlayground,
  type PlaygroundEnvironment,
  type PlaygroundFeature,
} from "./load-playground.ts";
import {
  AdvancedPlaygroundBody,
  type Context,
  PlaygroundBody,
  type ProjectFilter,
} from "./schemas.ts";

/** How many evaluations one request can cause: flags, times environments, times contexts. */
const MAX_EVALUATIONS = 15_000;

/** How long evaluations can delay other requests. */
const SLICE_MS = 5;

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
          hasBody: true,
          alsoFailsWith: [404],
        }),
        body: PlaygroundBody,
      },
    },
    async ({ body }) => {
      const environment = await load(storage, body.environment);
      const evaluations = await evaluateAll([environment], [body.context], body.projects);
      return { input: body, features: evaluations.map(({ result }) => result) };
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
          hasBody: true,
          alsoFailsWith: [404],
        }),
        body: AdvancedPlaygroundBody,
      },
    },
    async ({ body }) => {
      const environments: PlaygroundEnvironment[] = [];
      for (const name of new Set(body.environments)) {
        // oxlint-disable-next-line no-await-in-loop -- each needs the connection
        environments.push(await load(storage, name));
      }
      const contexts = combineValues(body.context, MAX_EVALUATIONS);
      const evaluations = await evaluateAll(environments, contexts, body.projects);
      return { input: body, features: groupByFeature(evaluations) };
    },
  );
}

function load(storage: Storage, name: string): Promise<PlaygroundEnvironment> {
  return storage.read(async (db) => {
    await getEnvironment(db, name);
    return loadPlayground(db, name);
  });
}

interface Evaluation {
  readonly environment: string;
  readonly context: Context;
  readonly result: ReturnType<typeof evaluateFeature>;
}

/** Evaluates all combinations. Other requests run in between. */
async function evaluateAll(
  environments: readonly PlaygroundEnvironment[],
  contexts: readonly Context[],
  projects: ProjectFilter | undefined,
): Promise<readonly Evaluation[]> {
  const isWanted = ({ feature }: PlaygroundFeature): boolean =>
    projects === undefined || projects === "*" || projects.includes(feature.project);
  const chosen = environments.map((environment) => ({
    environment,
    features: environment.features.filter(isWanted),
  }));
  const featureCount = Math.max(0, ...chosen.map(({ features }) => features.length));
  if (featureCount * environments.length * contexts.length > MAX_EVALUATIONS) {
    throw badData(
      "/body/context",
      `has too many combinations: at most ${MAX_EVALUATIONS} evaluations are possible, of flags, environments and contexts together. Choose fewer projects, environments or values`,
    );
  }
  const evaluations: Evaluation[] = [];
  let endMs = performance.now() + SLICE_MS;
  for (const { environment, features } of chosen) {
    for (const context of contexts) {
      for (const feature of features) {
        const result = evaluateFeature(environment, feature, context);
        evaluations.push({ environment: environment.name, context, result });
        if (performance.now() < endMs) continue;
        // oxlint-disable-next-line no-await-in-loop -- other requests run here
        await setImmediate();
        endMs = performance.now() + SLICE_MS;
      }
    }
  }
  return evaluations;
}

function groupByFeature(evaluations: readonly Evaluation[]) {
  const features = new Map<
    string,
    { name: string; projectId: string; environments: Map<string, object[]> }
  >();
  for (const { environment, context, result } of evaluations) {
    const { name, projectId } = result;
    const feature = features.get(name) ?? { name, projectId, environments: new Map() };
    features.set(name, feature);
    const results = feature.environments.get(environment) ?? [];
    feature.environments.set(environment, results);
    results.push({ ...result, environment, context });
  }
  return [...features.values()].map((feature) => ({
    ...feature,
    environments: Object.fromEntries(feature.environments),
  }));
}
