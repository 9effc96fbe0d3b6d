import { hash } from "node:crypto";
import type { SentContext } from "../context/sent-context.ts";
import { keepFields } from "./context-fields.ts";
import type { AllowsOrigin } from "./origins.ts";
import type { RateLimit } from "./rate-limit.ts";
import type { GrantedSource } from "./restricted-source.ts";

/** The purpose of a key: evaluation for clients, or reading definitions for servers. */
export type KeyKind = "client" | "server";

/** What a key allows. */
export interface Grant {
  /** Identifies the key without revealing it: its SHA-256 in base64url. */
  readonly key: string;
  readonly kind: KeyKind;
  /** The flags it gives access to, and where its usage is sent. */
  readonly source: GrantedSource;
  /** The rules in the access file. @default none, for a key in a setting */
  readonly access?: Access;
}

/** What the access file says about a key. */
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
  /** Identifies the settings of the limit: a limit continues after a reload that does not change them. */
  readonly rateId: string | undefined;
  /** @default no limit */
  readonly rateLimit: RateLimit | undefined;
}

/** Returns the text that identifies a key in grants. */
export function digestKey(key: string): string {
  return hash("sha256", key, "base64url");
}

/** Identifies everything about a grant that a response depends on, apart from the snapshot. */
export function cacheKeyOf({ key, access }: Grant): string {
  return access === undefined ? key : `${key} ${access.policyId}`;
}

/** Whether a grant allows lists with the flags that are off. */
export function allowsAll({ access }: Grant, isEnabled: boolean): boolean {
  return access?.allFlags ?? isEnabled;
}

/** Whether a grant allows explanations, which reveal strategies. */
export function allowsExplanations({ kind, access }: Grant): boolean {
  return kind === "server" || access?.explain === true;
}

/** Returns the parts of a context that clients with this grant can send. */
export function acceptedContext({ access }: Grant, sent: SentContext): SentContext {
  return access?.contextFields === undefined ? sent : keepFields(sent, access.contextFields);
}
