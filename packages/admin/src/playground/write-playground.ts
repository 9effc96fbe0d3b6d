import { groupBy } from "../storage/database.ts";
import type { Evaluation } from "./evaluate-all.ts";

/** Writes the response of the playground as JSON. @param input body of the request */
export function writePlayground(input: unknown, evaluations: readonly Evaluation[]): string {
  return writeResponse(
    input,
    evaluations.map(({ result }) => result),
  );
}

/** Writes the response of the advanced playground as JSON: the results of each flag by environment. */
export function writeAdvancedPlayground(
  input: unknown,
  evaluations: readonly Evaluation[],
): string {
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
