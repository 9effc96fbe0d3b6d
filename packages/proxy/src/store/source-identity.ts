import { createHash } from "node:crypto";
import type { Tag } from "flags-sdk";

export interface StoredSource {
  readonly upstreamUrl: string;
  readonly token: string;
  readonly projectName: string | undefined;
  readonly namePrefix: string | undefined;
  readonly tags: readonly Tag[];
}

/** How replicas recognize the flags of a source. */
export interface SourceIdentity {
  /** The name of the source in the store. It is not secret, but the token cannot be derived from it. */
  readonly id: string;
  /** Authenticates flags. Never stored. */
  readonly secret: string;
}

/** Returns the same address for all spellings of the URL of an upstream. */
export function toUpstreamAddress(upstreamUrl: string): string {
  return new URL(upstreamUrl).href.replace(/\/+$/, "");
}

/** Identifies a source for all replicas. */
export function identifySource(source: StoredSource): SourceIdentity {
  const { upstreamUrl, token, projectName, namePrefix, tags } = source;
  const address = toUpstreamAddress(upstreamUrl);
  const filters = tags.map(({ name, value }) => JSON.stringify([name, value])).toSorted();
  const text = JSON.stringify([address, token, projectName ?? "", namePrefix ?? "", filters]);
  const digest = createHash("sha256").update(`flags-store source\0${text}`).digest("hex");
  return { id: digest.slice(0, 32), secret: token };
}
