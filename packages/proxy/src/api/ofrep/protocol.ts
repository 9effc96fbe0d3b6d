import type { Protocol } from "../../response/protocol.ts";
import type { OfrepValues } from "../../config/config.ts";
import { type OfrepFailure, toOfrepEvaluation } from "./evaluation.ts";

/** The flags of OFREP, the protocol of OpenFeature, as its providers read them. */
export function createOfrepProtocol(values: OfrepValues): Protocol {
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
