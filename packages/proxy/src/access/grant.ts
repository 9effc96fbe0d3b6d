import type { SentContext } from "../context/sent-context.ts";
import { keepFields } from "./context-fields.ts";
import type { AllowsOrigin } from "./origins.ts";
import type { RateLimit } from "./rate-limit.ts";
import type { GrantedSource } from "./restricted-source.ts";
import {
  type ContextVerifier,
  SIGNATURE_PROPERTY,
  type SignedRequest,
  type VerifiedContext,
  verifyContext,
} from "./signed-context/verify-context.ts";

/** The purpose of a key: evaluation for clients, or reading definitions for servers. */
export type KeyKind = "client" | "server";

/** What a key allows. */
export interface Grant {
  /** Identifies the key, as `digestKey()` returns it. */
  readonly key: string;
  readonly kind: KeyKind;
  /** The flags it gives access to, and where its usage is sent. */
  readonly source: GrantedSource;
  /** Its rules. @default none, for a key in a setting */
  readonly access?: Access;
}

/** The name, in logs and metrics, of all keys that the upstream verifies. */
export const UPSTREAM_KEYS_NAME = "FLAGS_UPSTREAM_KEYS";

/** The rules of a key of the access file, or of one that the upstream has verified. */
export interface Access {
  /** For logs and metrics. */
  readonly name: string;
  /**
   * Identifies the rules that a response depends on, apart from the source. It is part of cache keys,
   * and a stream ends when it changes.
   */
  readonly policyId: string;
  /** Whether flags that are off can be listed. @default as the setting says */
  readonly allFlags: boolean | undefined;
  /** Whether the key can request explanations. */
  readonly explain: boolean;
  /** When the key stops working, epoch milliseconds. @default never */
  readonly expiresAtMs: number | undefined;
  /** The origins from which browsers can use the key. @default all */
  readonly allowsOrigin: AllowsOrigin | undefined;
  /** The context fields that clients can send. @default all */
  readonly contextFields: ReadonlySet<string> | undefined;
  /** Checks the signatures of contexts. @default contexts need not be signed */
  readonly contextVerifier: ContextVerifier | undefined;
  /** Identifies the settings of the limit: a limit continues after a reload that does not change them. */
  readonly rateId: string | undefined;
  /** @default no limit */
  readonly rateLimit: RateLimit | undefined;
}

/** The rules of all keys that the upstream verifies. What differs between them is their source. */
export const UPSTREAM_ACCESS: Access = {
  name: UPSTREAM_KEYS_NAME,
  policyId: "upstream",
  allFlags: undefined,
  explain: false,
  expiresAtMs: undefined,
  allowsOrigin: undefined,
  contextFields: undefined,
  contextVerifier: undefined,
  rateId: undefined,
  rateLimit: undefined,
};

/** Identifies everything about a grant that a response depends on, apart from the snapshot. */
export function cacheKeyOf({ key, access }: Grant): string {
  return access === undefined ? key : `${key} ${access.policyId}`;
}

/** Whether a grant is that of a key that the upstream has verified. */
export function isVerifiedUpstream({ access }: Grant): boolean {
  return access === UPSTREAM_ACCESS;
}

/** Whether a grant allows lists with the flags that are off. */
export function allowsAll({ access }: Grant, isEnabled: boolean): boolean {
  return access?.allFlags ?? isEnabled;
}

/** Whether a grant allows explanations, which reveal strategies. */
export function allowsExplanations({ kind, access }: Grant): boolean {
  return kind === "server" || access?.explain === true;
}

/** Whether a key can be used only from certain origins. */
export function isOfOrigins({ access }: Grant): boolean {
  return access?.allowsOrigin !== undefined;
}

/** Whether the contexts of a grant must be signed, which takes longer to check than other rules. */
export function requiresSignature({ access }: Grant): boolean {
  return access?.contextVerifier !== undefined;
}

/**
 * Returns the parts of a context that clients with this grant can send, for a grant whose contexts need
 * not be signed.
 *
 * @throws {TypeError} if they must be: use `acceptContext()`
 */
export function acceptUnsigned({ access }: Grant, sent: SentContext): SentContext {
  if (access?.contextVerifier !== undefined) {
    throw new TypeError("The signature of the context has not been verified");
  }
  return access?.contextFields === undefined ? sent : keepFields(sent, access.contextFields);
}

/**
 * Returns the parts of a context that clients with this grant can send, with verified signed fields.
 * Every evaluation uses a context from here or from `acceptUnsigned()`.
 *
 * @throws {HttpError} a 400, 401 or 403 if the context is not signed as it must be
 */
export async function acceptContext(
  grant: Grant,
  sent: SentContext,
  request: SignedRequest,
): Promise<VerifiedContext> {
  const { contextVerifier: verifier, contextFields } = grant.access ?? {};
  if (verifier === undefined) return { sent: acceptUnsigned(grant, sent) };
  const names =
    contextFields && new Set([...contextFields, ...verifier.fields, SIGNATURE_PROPERTY]);
  return verifyContext(verifier, names === undefined ? sent : keepFields(sent, names), request);
}
