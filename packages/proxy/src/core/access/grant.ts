import { hash } from "node:crypto";
import type { TokenBucket } from "flags-server-kit/neutral";
import type { SentContext } from "../context/sent-context.ts";
import { HttpError } from "../http/errors.ts";
import type { ProxyRequest } from "../http/request.ts";
import type { AllowsOrigin } from "./origins.ts";
import type { VisibleFlags } from "./visible-flags.ts";
import {
  type ContextVerifier,
  SIGNATURE_PROPERTY,
  type SignedRequest,
  type VerifiedContext,
  verifyContext,
} from "./verify-context.ts";

export type KeyKind = "client" | "server";

export interface Grant {
  /** Identifies the key, as `digestKey()` returns it. */
  readonly key: string;
  readonly kind: KeyKind;
  /** The flags it gives access to. Its usage is sent to their source. */
  readonly flags: VisibleFlags;
  /** @default none, for a key in a setting */
  readonly rules?: KeyRules;
}

/** In logs and metrics. */
export const UPSTREAM_KEYS_NAME = "FLAGS_UPSTREAM_KEYS";

/** The rules of a key of the access file, or of one that the upstream has verified. */
export interface KeyRules {
  readonly name: string;
  /**
   * Identifies the rules that a response depends on, apart from the source. It is part of cache keys,
   * and a stream ends when it changes.
   */
  readonly id: string;
  /** @default as the setting says */
  readonly allFlags?: boolean | undefined;
  /** Explanations reveal strategies. @default false */
  readonly explain?: boolean | undefined;
  /** When the key stops working, epoch milliseconds. @default never */
  readonly expiresAtMs?: number | undefined;
  /** The origins from which browsers can use the key. @default all */
  readonly allowsOrigin?: AllowsOrigin | undefined;
  /** The context fields that clients can send. @default all */
  readonly contextFields?: ReadonlySet<string> | undefined;
  /** Checks the signatures of contexts. @default contexts need not be signed */
  readonly contextVerifier?: ContextVerifier | undefined;
  /** @default no limit */
  readonly rateLimit?: TokenBucket | undefined;
}

/** The rules of all keys that the upstream verifies. What differs between them is their source. */
export const UPSTREAM_KEY_RULES: KeyRules = { name: UPSTREAM_KEYS_NAME, id: "upstream" };

/** Returns a text that identifies a key without revealing it. */
export function digestKey(key: string): string {
  return hash("sha256", key, "base64url");
}

/** Identifies all that a response depends on, apart from the snapshot. */
export function cacheKeyOf({ key, rules }: Grant): string {
  return rules === undefined ? key : `${key} ${rules.id}`;
}

/** 22 characters of base64url are 132 bits: enough that no two keys have the same id. */
const QUOTA_ID_LENGTH = 22;

export function quotaIdOf(grant: Grant): string {
  // NOTE: the same in every worker, since the primary process has one quota per key.
  return grant.key.slice(0, QUOTA_ID_LENGTH);
}

export function isVerifiedUpstream({ rules }: Grant): boolean {
  return rules === UPSTREAM_KEY_RULES;
}

export function allowsAll({ rules }: Grant, isEnabled: boolean): boolean {
  return rules?.allFlags ?? isEnabled;
}

export function allowsExplanations({ kind, rules }: Grant): boolean {
  return kind === "server" || rules?.explain === true;
}

export function isOriginRestricted({ rules }: Grant): boolean {
  return rules?.allowsOrigin !== undefined;
}

/** Checks the rules for every request, and counts it. Returns the error to send if it is not allowed. */
export function admitRequest({ rules }: Grant, request: ProxyRequest): HttpError | undefined {
  if (rules === undefined) return undefined;
  const { allowsOrigin, rateLimit } = rules;
  const { origin } = request.headers;
  if (allowsOrigin !== undefined && origin !== undefined && !allowsOrigin(origin)) {
    return new HttpError(403, "This key cannot be used from the origin of the request");
  }
  const retryAfterSeconds = Math.ceil((rateLimit?.tryTake(1, performance.now()) ?? 0) / 1000);
  if (retryAfterSeconds === 0) return undefined;
  return new HttpError(429, "Too many requests with this key: send fewer, or try again later", {
    headers: { "retry-after": String(retryAfterSeconds) },
  });
}

export function requiresSignature({ rules }: Grant): boolean {
  return rules?.contextVerifier !== undefined;
}

/**
 * Returns the parts of a context that clients with this grant can send.
 *
 * @throws {TypeError} if contexts must be signed: use `acceptContext()`
 */
export function acceptUnsigned({ rules }: Grant, sent: SentContext): SentContext {
  if (rules?.contextVerifier !== undefined) {
    throw new TypeError("The signature of the context has not been verified");
  }
  return rules?.contextFields === undefined ? sent : keepFields(sent, rules.contextFields);
}

/**
 * Like `acceptUnsigned()`, with verified signed fields. Every evaluation uses a context from one of them.
 *
 * @throws {HttpError} a 400, 401 or 403 if the context is not signed as it must be
 */
export async function acceptContext(
  grant: Grant,
  sent: SentContext,
  request: SignedRequest,
): Promise<VerifiedContext> {
  const { contextVerifier: verifier, contextFields } = grant.rules ?? {};
  if (verifier === undefined) return { sent: acceptUnsigned(grant, sent) };
  const names =
    contextFields && new Set([...contextFields, ...verifier.fields, SIGNATURE_PROPERTY]);
  return verifyContext(verifier, names === undefined ? sent : keepFields(sent, names), request);
}

/** Whether clients with this grant can send a field only if it is signed. */
export function signsField({ rules }: Grant, name: string): boolean {
  return rules?.contextVerifier?.fields.includes(name) ?? false;
}

/** Like `acceptUnsigned()`. The program vouches for the fields that must be signed. */
export function acceptTrusted({ rules }: Grant, sent: SentContext): SentContext {
  const { contextVerifier, contextFields } = rules ?? {};
  if (contextFields === undefined) return sent;
  return keepFields(sent, new Set([...contextFields, ...(contextVerifier?.fields ?? [])]));
}

function keepFields({ fields, properties }: SentContext, names: ReadonlySet<string>): SentContext {
  const keep = <Values extends object>(values: Values): Values => {
    const kept = Object.entries(values).filter(([name]) => names.has(name));
    // NOTE: no prototype, so that any name is safe.
    return Object.assign(Object.create(null), Object.fromEntries(kept)) as Values;
  };
  return { fields: keep(fields), properties: keep(properties) };
}
