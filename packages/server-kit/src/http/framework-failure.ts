import { BODY_LIMIT_BYTES } from "./server-defaults.ts";

/** What to tell the caller of a failure that the framework found before a handler ran. */
export interface FrameworkFailure {
  readonly statusCode: 400 | 413 | 414 | 415;
  readonly message: string;
}

/** What to say about a body that is not of the one type that is read. */
export const NOT_JSON = "The body must be JSON: send it with `Content-Type: application/json`";

// What Fastify and its plugins throw, in our words.
const FAILURES: Readonly<Record<string, FrameworkFailure>> = {
  FST_ERR_BAD_URL: {
    statusCode: 400,
    message: "The path is not valid percent-encoding: write a literal `%` as `%25`",
  },
  FST_ERR_MAX_PARAM_LENGTH: { statusCode: 414, message: "A part of the path is too long" },
  FST_ERR_CTP_BODY_TOO_LARGE: {
    statusCode: 413,
    message: `The body is too large: at most ${BODY_LIMIT_BYTES / 1024} KiB are accepted`,
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { statusCode: 415, message: NOT_JSON },
  FST_ERR_CTP_EMPTY_JSON_BODY: {
    statusCode: 400,
    message: "The body is missing: send a JSON object",
  },
  FST_ERR_CTP_INVALID_JSON_BODY: {
    statusCode: 400,
    message: "The body is not valid JSON: check quotes, commas and brackets",
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    statusCode: 400,
    message: "The body does not have the length that `Content-Length` announces",
  },
  FST_CP_ERR_INVALID_CONTENT_ENCODING: {
    statusCode: 415,
    message:
      "The body is encoded in a way that is not understood: send it plain, or with gzip, deflate or br",
  },
  FST_CP_ERR_INVALID_CONTENT: {
    statusCode: 400,
    message: "The body cannot be decompressed: it is not what `Content-Encoding` announces",
  },
};

/** Puts a failure of the framework into words; undefined for every other error. */
export function explainFrameworkFailure(error: Error): FrameworkFailure | undefined {
  const code: unknown = "code" in error ? error.code : undefined;
  return typeof code === "string" && Object.hasOwn(FAILURES, code) ? FAILURES[code] : undefined;
}
