import { createSecretKey, type KeyObject } from "node:crypto";
import { codeOf } from "flags-server-kit/command-line";
import type { errors, JWTPayload, JWTVerifyOptions } from "jose";
import { HttpError, invalidSignature } from "../../errors.ts";
import type { JwtRules } from "./read-signing.ts";
import type { KeySet } from "./remote-keys.ts";
import type { ContextVerifier, FieldValues, SignedValues } from "./verify-context.ts";

/** Longer tokens are rejected. */
const MAX_TOKEN_LENGTH = 8192;

/** Where the keys of tokens come from. */
export type JwtKeys =
  | { readonly secrets: readonly string[] }
  | { readonly publicKeys: readonly KeyObject[] }
  | { readonly keySet: KeySet };

/** Accepts contexts with a JWT whose claims contain the values of the fields. */
export class JwtVerifier implements ContextVerifier {
  readonly fields: readonly string[];
  readonly allowsAnonymous: boolean;
  readonly #rules: JwtRules;
  readonly #keys: readonly (KeyObject | KeySet)[];

  constructor(rules: JwtRules, keys: JwtKeys, { allowsAnonymous }: { allowsAnonymous: boolean }) {
    this.fields = Object.keys(rules.claims);
    this.allowsAnonymous = allowsAnonymous;
    this.#rules = rules;
    this.#keys = toKeys(keys);
  }

  async verify(claimed: FieldValues, token: string): Promise<SignedValues> {
    if (token.length > MAX_TOKEN_LENGTH) {
      throw invalidSignature(`must be a JWT of at most ${MAX_TOKEN_LENGTH} characters`);
    }
    const payload = await this.#verifyToken(token);
    const values = readClaims(payload, this.#rules.claims);
    for (const [field, value] of claimed) {
      if (values.get(field) !== value) throw notTheSignedValue(field);
    }
    const { exp = 0 } = payload;
    const expiresAtMs = (exp + this.#rules.clockToleranceSeconds) * 1000;
    return { values, expiresAtMs: Math.min(expiresAtMs, Number.MAX_SAFE_INTEGER) };
  }

  async #verifyToken(token: string): Promise<JWTPayload> {
    // NOTE: loaded with the first token, so that a start without tokens takes no longer.
    const { jwtVerify } = await import("jose");
    const { algorithms, issuer, audience, clockToleranceSeconds } = this.#rules;
    const options: JWTVerifyOptions = {
      algorithms: [...algorithms],
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ["exp"],
      ...(issuer !== undefined && { issuer: [...issuer] }),
      ...(audience !== undefined && { audience: [...audience] }),
    };
    let failure: unknown;
    for (const key of this.#keys) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- there is more than one during a rotation
        const { payload } =
          typeof key === "function"
            ? await jwtVerify(token, key, options)
            : await jwtVerify(token, key, options);
        return payload;
      } catch (error) {
        if (error instanceof HttpError) throw error;
        // The error of a key that the token was not signed with explains less than the error of the right key.
        if (failure === undefined || !isKeyMismatch(error)) failure = error;
      }
    }
    throw invalidSignature(explainInvalidJwt(failure), failure);
  }
}

function toKeys(keys: JwtKeys): readonly (KeyObject | KeySet)[] {
  if ("secrets" in keys) return keys.secrets.map((secret) => createSecretKey(secret, "utf8"));
  return "publicKeys" in keys ? keys.publicKeys : [keys.keySet];
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

/** A 403 for a value that is not the signed one. */
function notTheSignedValue(field: string): HttpError {
  return new HttpError(
    403,
    `\`${field}\` of the context is not the signed value: send the signed value, or omit the field`,
  );
}
