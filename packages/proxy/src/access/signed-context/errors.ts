import { HttpError } from "../../errors.ts";

/** A 401 for a context without a signature. */
export function notSigned(fields: readonly string[]): HttpError {
  return new HttpError(
    401,
    `This key requires a signed context (${fields.join(", ")}): send the signature in the property \`contextSignature\` of the context, or in the header \`x-flags-context-signature\``,
  );
}

/**
 * A 401 for a signature that is not accepted.
 *
 * @param problem completes "The signature of the context …"
 */
export function invalidSignature(problem: string, cause?: unknown): HttpError {
  return new HttpError(401, `The signature of the context ${problem}`, { cause });
}

/** A 403 for a value that is not the signed one. */
export function notTheSignedValue(field: string): HttpError {
  return new HttpError(
    403,
    `\`${field}\` of the context is not the signed value: send the signed value, or omit the field`,
  );
}

/** A 503 while the keys of signatures cannot be read. */
export function keysUnavailable(cause: unknown, retryAfterMs: number): HttpError {
  const seconds = Math.max(Math.ceil(retryAfterMs / 1000), 1);
  return new HttpError(503, "Signatures of contexts cannot be verified now: try again later", {
    headers: { "retry-after": String(seconds) },
    cause,
  });
}
