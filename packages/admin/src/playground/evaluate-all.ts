import { getEnvironment } from "../domain/environments/store.ts";
import { badData } from "../errors.ts";
import type { Storage } from "../storage/storage.ts";
import { TimeSlice } from "../scheduling/time-slice.ts";
import type { Combinations } from "./context-combinations.ts";
import { evaluateFeature } from "./evaluate.ts";
import { countFlags, loadPlayground, type VisibleFlags } from "./load-playground.ts";

/** How many evaluations one request can cause: flags, times environments, times contexts. */
const MAX_EVALUATIONS = 15_000;

/** A result repeats the context and the strategies of a flag, each of which can be as large as a request body. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/** The result of a flag in an environment for a context. */
export interface Evaluation {
  readonly name: string;
  readonly project: string;
  readonly environment: string;
  /** JSON of the result. */
  readonly result: string;
  /** JSON of the context. */
  readonly context: string;
}

/**
 * Evaluates all combinations of flags, environments and contexts. Loads one environment at a time. Other requests
 * run in between.
 *
 * @param environments distinct names of environments
 * @throws {ApiError} if an environment is unknown, there are too many combinations, or their results are too large
 */
export async function evaluateAll(
  storage: Pick<Storage, "read">,
  environments: readonly string[],
  contexts: Combinations,
  filter: VisibleFlags,
): Promise<readonly Evaluation[]> {
  const flagCount = await storage.read(async (db) => {
    for (const name of environments) await getEnvironment(db, name);
    return countFlags(db, environments, filter);
  });
  if (flagCount * environments.length * contexts.count > MAX_EVALUATIONS) {
    throw tooMany(
      `at most ${MAX_EVALUATIONS} evaluations are possible, of flags, environments and contexts together`,
    );
  }
  const evaluations: Evaluation[] = [];
  let characters = 0;
  const slice = new TimeSlice();
  for (const name of environments) {
    await slice.startNext();
    const environment = await storage.read((db) => loadPlayground(db, name, filter));
    const { features } = environment;
    // Contexts that nobody needs are not created: their number is not limited.
    if (features.length === 0) continue;
    for (let index = 0; index < contexts.count; index++) {
      const context = contexts.at(index);
      const contextJson = JSON.stringify(context);
      for (const feature of features) {
        const result = JSON.stringify(evaluateFeature(environment, feature, context));
        const { name, project } = feature.feature;
        characters += result.length + contextJson.length;
        if (characters > MAX_CHARACTERS) {
          throw tooMany(`the response would have more than ${MAX_CHARACTERS} characters`);
        }
        evaluations.push({
          name,
          project,
          environment: environment.name,
          result,
          context: contextJson,
        });
        // oxlint-disable-next-line no-await-in-loop -- other requests run here
        if (slice.isOver) await slice.startNext();
      }
    }
  }
  return evaluations;
}

function tooMany(reason: string): Error {
  return badData(
    "/body/context",
    `has too many combinations: ${reason}. Choose fewer projects, flags, environments or values`,
  );
}
