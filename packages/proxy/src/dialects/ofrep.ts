import type { Dialect } from "../render/dialect.ts";
import { type OfrepFailure, toOfrepEvaluation, type OfrepValues } from "./ofrep-evaluation.ts";

/** The flags of OFREP, the protocol of OpenFeature, as its providers read them. */
export function createOfrepDialect(values: OfrepValues): Dialect {
  return {
    prefix: '{"flags":[',
    suffix: "]}",
    writeFlag: (feature, outcome) => JSON.stringify(toOfrepEvaluation(feature, outcome, values)),
    writeUnknownFlag: (key) => JSON.stringify(toUnknownFlag(key)),
  };
}

function toUnknownFlag(key: string): OfrepFailure {
  return { key, errorCode: "FLAG_NOT_FOUND", errorDetails: "There is no flag of this name" };
}
