import { createHash } from "node:crypto";
import type { UpstreamConnection } from "flags-sdk/internal";
import type { FairShare } from "flags-server-kit/neutral";
import { LRUCache } from "lru-cache";
import type { ApplicationRegistration, ChangeKind, Journal } from "./application-usage.ts";
import { inTurn, moveToEnd } from "./in-turn.ts";
import { DEFAULT_QUOTA, USAGE_LIMITS } from "./usage-limits.ts";

/** Minimum time before an unchanged registration is forwarded again. */
const REFRESH_MS = 3_600_000;
/** How many forwarded registrations are remembered. */
const MAX_FORWARDED = 10_000;
const REGISTRATION_BYTES = 500;

/**
 * Stores registrations until they are forwarded to the upstream. An unchanged registration is forwarded
 * once an hour, and new ones beyond the limits are dropped. `take` returns what to send, and `release` removes what was
 * delivered; a failed delivery needs nothing.
 */
export class RegistrationBuffer {
  /** By quota and id, in the order in which they will be sent. */
  readonly #quotas = new Map<string, Map<string, ApplicationRegistration>>();
  /** The ids of registrations that were forwarded. */
  readonly #forwarded: LRUCache<string, true>;
  readonly #memory: FairShare;
  readonly #journal: Journal;

  /** @param clock a monotonic clock */
  constructor(
    memory: FairShare,
    journal: Journal,
    clock: { readonly now: () => number } = performance,
  ) {
    this.#memory = memory;
    this.#journal = journal;
    const limits = { max: MAX_FORWARDED, ttl: REFRESH_MS, ttlResolution: 0 };
    this.#forwarded = new LRUCache({ ...limits, perf: clock });
  }

  get isEmpty(): boolean {
    return this.#quotas.size === 0;
  }

  /** Returns false if the registration was dropped, because the limit of its quota is reached. */
  add(registration: ApplicationRegistration): boolean {
    const { quotaId = DEFAULT_QUOTA } = registration;
    const id = idOf(registration);
    const existing = this.#quotas.get(quotaId);
    if (this.#forwarded.has(id) || existing?.has(id) === true) return true;
    const isFull = (existing?.size ?? 0) >= USAGE_LIMITS.registrations;
    if (isFull || !this.#memory.canClaim(quotaId, bytesOf(registration))) return false;
    this.apply("add", registration);
    this.#journal("add", { registration });
    return true;
  }

  /** Applies a change that an earlier process has recorded, regardless of limits. */
  apply(kind: ChangeKind, registration: ApplicationRegistration): void {
    const { quotaId = DEFAULT_QUOTA } = registration;
    const id = idOf(registration);
    const quota = this.#quotas.get(quotaId) ?? new Map<string, ApplicationRegistration>();
    this.#quotas.set(quotaId, quota);
    const previous = quota.get(id);
    if (kind !== "remove" && previous === undefined) {
      quota.set(id, registration);
      this.#memory.claim(quotaId, bytesOf(registration));
    } else if (kind === "remove" && previous !== undefined) {
      quota.delete(id);
      this.#memory.claim(quotaId, -bytesOf(previous));
    }
    if (quota.size === 0) this.#quotas.delete(quotaId);
  }

  /** Yields everything. */
  *values(): Generator<ApplicationRegistration, undefined, undefined> {
    for (const [, quota] of Array.from(this.#quotas)) {
      for (const [id, registration] of Array.from(quota)) if (quota.has(id)) yield registration;
    }
    return undefined;
  }

  /** Returns up to `limit` registrations, one of each quota in turn. They and their quotas move to the end of the order. */
  take(limit: number): readonly ApplicationRegistration[] {
    const queues = Array.from(this.#quotas.values(), (quota) => [...quota.values()]);
    const taken = [...inTurn(queues)].slice(0, limit);
    for (const registration of taken) {
      const { quotaId = DEFAULT_QUOTA } = registration;
      moveToEnd(this.#quotas.get(quotaId) ?? new Map(), idOf(registration));
      moveToEnd(this.#quotas, quotaId);
    }
    return taken;
  }

  /** Removes registrations that were delivered or dropped. */
  release(taken: readonly ApplicationRegistration[]): void {
    for (const registration of taken) {
      this.apply("remove", registration);
      this.#forwarded.set(idOf(registration), true);
      this.#journal("remove", { registration });
    }
  }
}

/** Creates the body of a forwarded registration, with this client as the last proxy on the path. */
export function toForwarded(
  registration: ApplicationRegistration,
  { appName, instanceId }: UpstreamConnection["identity"],
): Readonly<Record<string, unknown>> {
  const { connectVia = [] } = registration;
  return {
    ...registration,
    // NOTE: omitted from the JSON.
    quotaId: undefined,
    connectVia: [...connectVia, { appName, instanceId }],
  };
}

/** Identifies a registration in its quota. All instances of a frontend application, one per browser, are the same. */
function idOf(registration: ApplicationRegistration): string {
  const instanceId = registration.sdkType === "backend" ? registration.instanceId : "";
  const ignored = { started: undefined, interval: undefined, quotaId: undefined };
  return createHash("sha256")
    .update(JSON.stringify({ ...registration, ...ignored, instanceId }))
    .digest("base64");
}

function bytesOf(registration: ApplicationRegistration): number {
  return REGISTRATION_BYTES + 2 * JSON.stringify(registration).length;
}
