/**
 * Keeps the last good definitions, so that a restart has flags although the upstream is down.
 * Providers written for other server SDKs of this protocol have this shape.
 */
export interface StorageProvider {
  /** Replaces what is kept under the key. */
  set(key: string, data: unknown): Promise<void>;
  /** What was last set under the key; undefined when nothing was. */
  get(key: string): Promise<unknown>;
}
