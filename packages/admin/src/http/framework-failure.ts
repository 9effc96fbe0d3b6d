import { BODY_LIMIT_BYTES, codeOf, NOT_JSON } from "flags-server-kit/neutral";

/** An error of the framework as an HTTP error. */
export interface FrameworkFailure {
  readonly statusCode: 400 | 413 | 414 | 415;
  readonly message: string;
}

// Error codes of Fastify.
const FRAMEWORK_FAILURES: Readonly<Record<string, FrameworkFailure>> = {
  FST_ERR_BAD_URL: {
    statusCode: 400,
    message: "The path contains invalid percent-encoding: write a literal `%` as `%25`",
  },
  FST_ERR_MAX_PARAM_LENGTH: {
    statusCode: 414,
    message: "A part of the path is too long: shorten it",
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
    message: "The length of the body differs from `Content-Length`: correct the header",
  },
};

/**
 * Explains an error that the framework threw before a handler ran; undefined for other errors.
 *
 * @param bodyLimitBytes the limit of the route. @default BODY_LIMIT_BYTES
 */
export function explainFrameworkFailure(
  error: Error,
  bodyLimitBytes: number = BODY_LIMIT_BYTES,
): FrameworkFailure | undefined {
  const code = codeOf(error);
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") {
    const message = `The body is too large: at most ${bodyLimitBytes / 1024} KiB are accepted`;
    return { statusCode: 413, message };
  }
  return Object.hasOwn(FRAMEWORK_FAILURES, code) ? FRAMEWORK_FAILURES[code] : undefined;
}
