import type { CompiledFlag, Context, Outcome, Snapshot } from "flags-engine";
import { type ResponseBody, toEntityTag } from "./flag-list-body.ts";

/** One flag, and the result of its evaluation. */
export interface EvaluatedFlag {
  readonly feature: CompiledFlag;
  readonly outcome: Outcome;
}

/** Evaluates one flag; undefined when there is none of that name. */
export function evaluateFlag(
  snapshot: Snapshot,
  context: Context,
  name: string,
): EvaluatedFlag | undefined {
  const index = snapshot.indexOf(name);
  const feature = snapshot.flags[index];
  const outcome = feature?.outcomes[snapshot.evaluate(index, context)];
  return feature && outcome && { feature, outcome };
}

/** JSON text as a response body. */
export function toJsonBody(json: string): ResponseBody {
  const bytes = Buffer.from(json);
  return {
    entityTag: toEntityTag(json),
    byteLength: bytes.length,
    toBinaryString: () => bytes.toString("latin1"),
    toBuffer: () => bytes,
  };
}
