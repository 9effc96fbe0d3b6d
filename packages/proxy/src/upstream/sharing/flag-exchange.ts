import type { FeatureDefinitions } from "flags-sdk";

/**
 * Orders the flags that replicas share. The epoch increases with each new holder of the lease, the counter
 * with each publication of that holder.
 */
export interface SharedVersion {
  readonly epoch: number;
  readonly counter: number;
}

interface VersionedFlags {
  readonly version: SharedVersion;
  /** The revision of the snapshot into which the flags are compiled. */
  readonly revision: string;
}

/** Flags that one replica publishes for the others. */
export interface PublishedFlags
  extends VersionedFlags, Pick<SharingRequest, "confirmedAgeMs" | "upstreamAgeMs"> {
  readonly definitions: FeatureDefinitions;
}

/** Flags that another replica has published. */
export interface SharedFlags extends VersionedFlags {
  /** The definitions as JSON. */
  readonly text: string;
}

/** What a replica sends when it contacts the exchange. */
export interface SharingRequest {
  /** Identifies the replica; random, so that no two are equal. */
  readonly owner: string;
  /** How long the lease lasts without a renewal, in milliseconds. */
  readonly leaseMs: number;
  /**
   * `failing`: also take the lease of a holder that cannot reach the upstream; `any`: of every holder, because this
   * one publishes nothing.
   */
  readonly wants: "free" | "failing" | "any";
  /** The epoch of a new lease must be higher than this. */
  readonly knownEpoch: number;
  /**
   * Milliseconds since the upstream confirmed the published flags; undefined if it has not. Ignored unless
   * the replica is the holder.
   */
  readonly confirmedAgeMs: number | undefined;
  /** How old they were then, if the upstream follows another one; undefined if that is not known. */
  readonly upstreamAgeMs: number | undefined;
  /** Whether the upstream cannot be reached. Ignored unless the replica is the holder. */
  readonly isFailing: boolean;
}

/** The response to a replica. Only `isHolder` and `epoch` are authenticated. */
export interface SharingState {
  /** Whether this replica has the lease. */
  readonly isHolder: boolean;
  /** The epoch of the lease; 0 if nobody has it. */
  readonly epoch: number;
  readonly isHolderFailing: boolean;
  /** Milliseconds since the upstream confirmed the published flags; undefined if unknown. */
  readonly confirmedAgeMs: number | undefined;
  /** As in the request of the holder. */
  readonly upstreamAgeMs: number | undefined;
  /** The version of the published flags; undefined if there are none. */
  readonly version: SharedVersion | undefined;
  readonly revision: string | undefined;
}

/**
 * Where replicas of one source agree which of them follows the upstream, and share its flags. Operations
 * reject if it is not available, and once the signal is aborted.
 */
export interface FlagExchange {
  /** Takes or renews the lease if possible, and returns the state. */
  contact(request: SharingRequest, signal: AbortSignal): Promise<SharingState>;
  /** Replaces the published flags. Resolves to false, without any effect, if the lease has another holder. */
  publish(owner: string, flags: PublishedFlags, signal: AbortSignal): Promise<boolean>;
  /**
   * Resolves to the published flags, undefined if there are none. If they are damaged, deletes them, so that
   * the holder publishes again, and rejects.
   */
  read(signal: AbortSignal): Promise<SharedFlags | undefined>;
  /** Gives the lease up, if the replica has it. */
  release(owner: string, signal: AbortSignal): Promise<void>;
  /**
   * Calls a function when flags were published, the lease was released, or the connection was restored.
   * Messages may be lost. Returns a function that stops this.
   */
  onChange(listener: () => void): () => void;
}

/** Opens an exchange; rejects if it cannot be used. */
export type OpenExchange = () => Promise<FlagExchange>;

/** Compares versions: negative if the first one is older. Undefined is older than every version. */
export function compareVersions(
  first: SharedVersion | undefined,
  second: SharedVersion | undefined,
): number {
  if (first === undefined || second === undefined) {
    return Number(first !== undefined) - Number(second !== undefined);
  }
  return first.epoch - second.epoch || first.counter - second.counter;
}
