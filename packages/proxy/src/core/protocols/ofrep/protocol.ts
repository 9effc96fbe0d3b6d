import {
  OFREP_FRAME,
  type OfrepFailure,
  type OfrepValues,
  toOfrepEvaluation,
} from "flags-sdk/neutral";
import { writeEvent } from "flags-server-kit/neutral";
import { inAnyHeader } from "../../access/key-extractor.ts";
import { HttpError } from "../../http/errors.ts";
import type { FlagFormat } from "../../response/rendering.ts";
import type { ResponseBody } from "../../http/response-body.ts";
import type { ProtocolDefinition } from "../../routes/protocol.ts";
import { ofrepRoutes } from "./routes.ts";

type OfrepErrorCode = "PARSE_ERROR" | "INVALID_CONTEXT" | "FLAG_NOT_FOUND" | "GENERAL";

interface OfrepErrorBody {
  readonly key?: string;
  readonly errorCode: OfrepErrorCode;
  readonly errorDetails: string;
}

export const OFREP: ProtocolDefinition = {
  paths: ["/ofrep/v1"],
  cacheControl: "no-cache",
  createFormat: ({ ofrepValues }) => createOfrepFormat(ofrepValues),
  createKeyExtractor: ({ clientKeysHeaderName }) =>
    inAnyHeader(["authorization", "x-api-key", clientKeysHeaderName]),
  errors: {
    path: "/ofrep/",
    toBody: toOfrepError,
  },
  securitySchemes: {
    apiKey: {
      type: "apiKey",
      in: "header",
      name: "X-API-Key",
      description: "One of the client keys, for OFREP",
    },
    bearer: { type: "http", scheme: "bearer", description: "One of the client keys, for OFREP" },
  },
  // NOTE: OpenFeature has no sessions. A new one for each request would make rollouts flicker.
  sessionIsUser: true,
  streamEvents: { kind: "refetch", write: writeRefetch },
  createRoutes: ofrepRoutes,
};

/** The request to fetch the flags again, as the OFREP specification defines it. */
function writeRefetch({ entityTag }: ResponseBody): string {
  const data = JSON.stringify({ type: "refetchEvaluation", etag: entityTag });
  return writeEvent({ name: "message", id: entityTag, data });
}

function createOfrepFormat(values: OfrepValues): FlagFormat {
  return {
    ...OFREP_FRAME,
    writeFlag: (feature, outcome) => JSON.stringify(toOfrepEvaluation(feature, outcome, values)),
    writeUnknownFlag: (key) => JSON.stringify(toUnknownFlag(key)),
    toFlagError: (feature, outcome) => {
      const evaluation = toOfrepEvaluation(feature, outcome, values);
      if (!("errorCode" in evaluation)) return undefined;
      const { errorCode, errorDetails } = evaluation;
      return new HttpError(400, errorDetails, { errorCode });
    },
  };
}

function toUnknownFlag(key: string): OfrepFailure {
  return { key, errorCode: "FLAG_NOT_FOUND", errorDetails: "There is no flag with this name" };
}

/** NOTE: all errors have more fields than required, because some providers show no message without a code. */
export function toOfrepError(error: HttpError, key: string | undefined): OfrepErrorBody {
  return {
    ...(key !== undefined && { key }),
    errorCode: error.errorCode ?? toErrorCode(error),
    errorDetails: error.message,
  };
}

/** NOTE: a body contains only a context, so if well-formed JSON is rejected, its context is invalid. */
function toErrorCode({ statusCode, problems }: HttpError): OfrepErrorCode {
  if (statusCode !== 400) return "GENERAL";
  return problems.length > 0 ? "INVALID_CONTEXT" : "PARSE_ERROR";
}
