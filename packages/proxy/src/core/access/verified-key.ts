import type { ValidatedToken } from "../../upstream/token-validator.ts";
import { digestKey } from "./grant.ts";
import { parseTokenScope } from "../../sources/token-scope.ts";

/** A key that the upstream has verified. Contains no secret, so that it can be sent and stored. */
export interface VerifiedKey {
  /** Identifies the key, as `digestKey()` returns it. */
  readonly key: string;
  readonly kind: "client" | "server";
  readonly environment: string;
  /** The only projects whose flags the key can read; undefined for all. */
  readonly projects: readonly string[] | undefined;
  /** The key without most of its secret, for operators. */
  readonly shownAs: string;
}

export interface ValidKey extends VerifiedKey {
  /** A time of `performance.now()`. Afterwards, the key has to be verified again before it counts. */
  readonly untilMs: number;
}

export type Verdict =
  | { readonly status: "valid" }
  | { readonly status: "invalid" }
  | { readonly status: "unknown"; readonly retryAfterSeconds: number };

export interface KeysChange {
  /** Keys that are new, have changed or were verified again. */
  readonly verified: readonly ValidKey[];
  /** Digests of keys that are no longer valid. */
  readonly revoked: readonly string[];
}

export type KeysListener = (change: KeysChange) => void;

export interface KeyVerifier {
  /**
   * Verifies a key of the form that `isVerifiable()` accepts. Listeners learn of a valid key before the
   * promise is fulfilled. Never rejects.
   */
  verify(token: string): Promise<Verdict>;
  /** Like `verify()`, for a key that listeners know, by its digest. */
  confirm(key: string): Promise<Verdict>;
  /** Calls a function with all verified keys, and then with each change. */
  follow(listener: KeysListener): void;
  close(): Promise<void>;
}

const MAX_LENGTH = 500;

// NOTE: only characters that JSON does not escape and that gateways do not reject. All new keys share calls to the
// upstream: one that makes a call fail would prevent the verification of the others.
const TOKEN = /^(?:\*|\[\]|[\w.~-]+):[\w~-]+\.[\w.~=+-]+$/;

/** Whether a string has the form of a token of one environment. Others are never sent upstream. */
export function isVerifiable(text: string): boolean {
  return text.length <= MAX_LENGTH && TOKEN.test(text);
}

/** NOTE: an admin token must never be accepted. */
const KINDS: ReadonlyMap<string, VerifiedKey["kind"]> = new Map([
  ["frontend", "client"],
  ["client", "server"],
  ["backend", "server"],
]);

/**
 * Returns the key that a validated token is; undefined if it is of a type that is not accepted, or belongs
 * to another environment than its text says.
 */
export function toVerifiedKey(
  token: string,
  { type, projects, environment }: ValidatedToken,
): VerifiedKey | undefined {
  const kind = KINDS.get(type.toLowerCase());
  const named = parseTokenScope(token)?.environment;
  if (kind === undefined || named === undefined) return undefined;
  if (environment !== undefined && environment !== named) return undefined;
  return {
    key: digestKey(token),
    kind,
    environment: named,
    projects: projects.includes("*") ? undefined : [...new Set(projects)].toSorted(),
    shownAs: abbreviate(token),
  };
}

const SHOWN_LENGTH = 4;

/** Half of the secret, or more, is never shown. */
const MIN_ABBREVIATED_LENGTH = 4 * SHOWN_LENGTH + 1;

function abbreviate(token: string): string {
  const secretStart = token.indexOf(".", token.indexOf(":")) + 1;
  const secret = token.slice(secretStart);
  const isLong = secret.length >= MIN_ABBREVIATED_LENGTH;
  const [start, end] = isLong ? [secret.slice(0, SHOWN_LENGTH), secret.slice(-SHOWN_LENGTH)] : [];
  return `${token.slice(0, secretStart)}${start ?? ""}****${end ?? ""}`;
}

export function isSameKey(one: VerifiedKey, other: VerifiedKey): boolean {
  return (
    one.key === other.key &&
    one.kind === other.kind &&
    one.environment === other.environment &&
    one.projects?.join("\n") === other.projects?.join("\n")
  );
}
