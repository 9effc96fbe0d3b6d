import type { FlagExchange } from "../upstream/sharing/flag-exchange.ts";
import type { SourceIdentity } from "./source-identity.ts";

/** Larger objects in a store are not documents of this program. */
export const MAX_DOCUMENT_BYTES: number = 80 * 1024 * 1024;

/**
 * Keeps documents outside the process. Implementations do not protect callers from slow servers: callers
 * limit the time, verify what they read, and treat every failure as a missing document.
 */
export interface Store {
  /** Undefined: there is no such document. */
  read(key: string, signal: AbortSignal): Promise<Uint8Array | undefined>;

  /**
   * Replaces a document. Readers see the previous content or all of the new one.
   *
   * @param key letters, digits, `-`, `_`, `.` and `/`
   */
  write(key: string, content: Uint8Array, signal: AbortSignal): Promise<void>;

  /** Deletes a document; has no effect if there is none. */
  remove(key: string, signal: AbortSignal): Promise<void>;

  /** Lets replicas share the flags of a source. Undefined if the store cannot coordinate them. */
  createExchange?(source: SourceIdentity): FlagExchange;

  close(): Promise<void>;
}

/** The address of a store. Each kind of store parses its own, and says what can be done with it. */
export interface StoreAddress {
  /** For messages, without credentials. */
  readonly text: string;
  /** The strings in it that must never be shown. */
  readonly secrets: readonly string[];
  /** How to log in: with a password, with credentials of AWS, or not at all. */
  readonly login: "password" | "aws" | "none";
  /** Whether `StoreAccess.region` must be set. */
  readonly needsRegion: boolean;
  readonly usesTls: boolean;
  /** Whether replicas can share flags through the store. */
  readonly canShareFlags: boolean;
  /**
   * Opens the store. Rejects only if its code cannot be loaded: a store that is not available fails when it is used.
   *
   * NOTE: implementations are loaded only here, since their libraries slow down the start.
   */
  readonly open: (access: StoreAccess) => Promise<Store>;
}

/** The settings for all kinds of stores. */
export interface StoreAccess {
  /** Instead of the one in the address. */
  readonly password: string | undefined;
  /** PEM certificates of the CAs to trust. @default those that Node trusts */
  readonly ca: readonly string[] | undefined;
  /** The region of a bucket, unless its address contains it. */
  readonly region: string | undefined;
  /** Undefined: the credentials of the role that the platform provides. */
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
  /** Belongs to temporary credentials. */
  readonly sessionToken: string | undefined;
  /** Addresses of forward proxies. */
  readonly httpProxy: string | undefined;
  readonly httpsProxy: string | undefined;
  readonly noProxy: string | undefined;
}

export interface StoreConfig {
  readonly address: StoreAddress;
  readonly access: StoreAccess;
}
