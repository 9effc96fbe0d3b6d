import type { FeatureDefinitions } from "flags-sdk";

/** How current the published flags are. Both ages are undefined if they are not known. */
export interface SharedAges {
  /** Milliseconds since the upstream of the holder confirmed the flags. */
  readonly confirmedAgeMs: number | undefined;
  /** How old they were then, in milliseconds, if that upstream follows another one. */
  readonly upstreamAgeMs: number | undefined;
}

/** What a replica sends when it contacts the exchange. */
export interface SharingRequest extends SharedAges {
  /** Identifies the replica; random, so that no two are equal. */
  readonly owner: string;
  /** How long the lease lasts without a renewal, in milliseconds. */
  readonly leaseMs: number;
  /** Whether to take the lease of a holder that cannot reach the upstream, too. */
  readonly takesFromFailing: boolean;
  /** Whether the upstream cannot be reached. Ignored unless the replica is the holder, as the following. */
  readonly isFailing: boolean;
  /** The revision that the ages are about. */
  readonly revision: string | undefined;
}

/** The response to a replica. Nothing in it is authenticated. */
export interface SharingState extends SharedAges {
  /** Who has the lease: another replica, or this one, which has renewed it or taken it now. */
  readonly lease: "other" | "renewed" | "taken";
  readonly isHolderFailing: boolean;
  /** Orders publications: higher than that of all earlier ones. Undefined if there are no published flags, as the revision. */
  readonly version: number | undefined;
  /** The revision of the snapshot into which the published flags are compiled. */
  readonly revision: string | undefined;
  /** A version for a publication now, unless a higher one is known. */
  readonly nextVersion: number;
}

/** Flags that one replica publishes for the others. */
export interface PublishedFlags extends SharedAges {
  readonly version: number;
  readonly revision: string;
  readonly definitions: FeatureDefinitions;
}

/**
 * Where replicas of one source agree which of them follows the upstream, and share its flags. Operations
 * reject if it is not available, and once the signal is aborted.
 */
export interface FlagExchange {
  /** Takes or renews the lease if possible, and returns the state. */
  contact(request: SharingRequest, signal: AbortSignal): Promise<SharingState>;
  /** Replaces the published flags. Has no effect if the lease has another holder. */
  publish(owner: string, flags: PublishedFlags, signal: AbortSignal): Promise<void>;
  /**
   * Resolves to the definitions as JSON. If there are none, or if they are damaged, rejects; the holder then publishes
   * again.
   */
  read(signal: AbortSignal): Promise<{ readonly version: number; readonly text: string }>;
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
