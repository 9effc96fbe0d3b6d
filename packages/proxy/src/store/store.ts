import type { FlagExchange } from "../upstream/sharing/flag-exchange.ts";
import type { SourceIdentity } from "./source-identity.ts";

/** Larger objects in a store are not documents of this program. */
export const MAX_DOCUMENT_BYTES: number = 80 * 1024 * 1024;

/**
 * Keeps documents outside the process, so that a restarted or new replica has flags while the upstream is
 * down. Implementations do not interpret contents, and do not protect callers from slow servers: callers
 * limit the time, verify what they read, and treat every failure as a missing document.
 */
export interface Store {
  /** The address for messages, without credentials. */
  readonly address: string;

  /** Resolves to the content, or to undefined if there is no such document. */
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
