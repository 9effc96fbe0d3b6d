import { codeOf } from "flags-server-kit/neutral";
import type { errors, JWTPayload, JWTVerifyOptions } from "jose";
import { HttpError, invalidSignature } from "../../core/http/errors.ts";
import type { KeySet } from "./remote-keys.ts";
import type {
  ContextVerifier,
  FieldValues,
  SignedValues,
} from "../../core/access/verify-context.ts";

const MAX_TOKEN_LENGTH = 8192;

interface JwtRules {
  /** The claim with the value of each context field. */
  readonly claims: Readonly<Record<string, string>>;
  readonly algorithms: readonly string[];
  /** Accepted values of `iss`. @default any */
  readonly issuer: readonly string[] | undefined;
  /** Accepted values of `aud`. @default any */
  readonly audience: readonly string[] | undefined;
  readonly clockToleranceSeconds: number;
}

/**
 * Accepts contexts with a JWT whose claims contain the values of the fields.
 *
 * @param keys any of them may have been used
 */
export function createJwtVerifier(
  rules: JwtRules,
  keys: readonly KeySet[],
  allowsAnonymous: boolean,
): ContextVerifier {
  const { claims, clockToleranceSeconds } = rules;
  const verify = async (claimed: FieldValues, token: string): Promise<SignedValues> => {
    if (token.length > MAX_TOKEN_LENGTH) {
      throw invalidSignature(`must be a JWT of at most ${MAX_TOKEN_LENGTH} characters`);
    }
    const payload = await verifyToken(token, keys, rules);
    const values = readClaims(payload, claims);
    for (const [field, value] of claimed) {
      if (values.get(field) !== value) throw notTheSignedValue(field);
    }
    const { exp = 0 } = payload;
    const expiresAtMs = (exp + clockToleranceSeconds) * 1000;
    return { values, expiresAtMs: Math.min(expiresAtMs, Number.MAX_SAFE_INTEGER) };
  };
  return { fields: Object.keys(claims), allowsAnonymous, verify };
}

async function verifyToken(
  token: string,
  keys: readonly KeySet[],
  { algorithms, issuer, audience, clockToleranceSeconds }: JwtRules,
): Promise<JWTPayload> {
  // NOTE: loaded with the first token, so that a start without tokens takes no longer.
  const { jwtVerify } = await import("jose");
  const options: JWTVerifyOptions = {
    algorithms: [...algorithms],
    clockTolerance: clockToleranceSeconds,
    requiredClaims: ["exp"],
    ...(issuer !== undefined && { issuer: [...issuer] }),
    ...(audience !== undefined && { audience: [...audience] }),
  };
  let failure: unknown;
  for (const key of keys) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- there is more than one during a rotation
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      if (error instanceof HttpError) throw error;
      // The error of a key that the token was not signed with explains less than the error of the right key.
      if (failure === undefined || !isKeyMismatch(error)) failure = error;
    }
  }
  throw invalidSignature(explainInvalidJwt(failure), failure);
}

/** Returns the values of the fields. A claim that is missing or null stands for no value. */
function readClaims(payload: JWTPayload, claims: Readonly<Record<string, string>>): FieldValues {
  const values = new Map<string, string>();
  for (const [field, claim] of Object.entries(claims)) {
    const value: unknown = Object.hasOwn(payload, claim) ? payload[claim] : undefined;
    if (value === undefined || value === null || value === "") continue;
    if (typeof value === "object") {
      throw invalidSignature(
        `has a list or an object in the claim \`${claim}\`: it must be one value`,
      );
    }
    // oxlint-disable-next-line typescript/no-base-to-string -- JSON contains nothing else
    values.set(field, String(value));
  }
  return values;
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: "has expired: request a new token",
  ERR_JOSE_ALG_NOT_ALLOWED: "uses an algorithm that is not allowed",
  ERR_JOSE_NOT_SUPPORTED: "uses an algorithm that is not allowed",
  ERR_JWKS_NO_MATCHING_KEY: "was not created with an accepted key",
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: "was not created with an accepted key",
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: "does not name its key (`kid`), and several are possible",
};

function explainInvalidJwt(error: unknown): string {
  const code = codeOf(error);
  if (code === "ERR_JWT_CLAIM_VALIDATION_FAILED") {
    return explainClaim(error as errors.JWTClaimValidationFailed);
  }
  // Anything else, such as a key of a type that does not fit the algorithm.
  return EXPLANATIONS[code] ?? "is not a valid JWT";
}

function explainClaim({ claim, reason }: errors.JWTClaimValidationFailed): string {
  if (reason === "missing") return `has no claim \`${claim}\`, which is required`;
  if (claim === "nbf") return "is not valid yet: check the clocks";
  return `has a claim \`${claim}\` that is not accepted`;
}

function isKeyMismatch(error: unknown): boolean {
  return codeOf(error) === "ERR_JWS_SIGNATURE_VERIFICATION_FAILED" || error instanceof TypeError;
}

function notTheSignedValue(field: string): HttpError {
  return new HttpError(
    403,
    `\`${field}\` of the context is not the signed value: send the signed value, or omit the field`,
  );
}
