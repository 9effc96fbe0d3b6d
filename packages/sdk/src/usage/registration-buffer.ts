import { createHash } from "node:crypto";
import type { ApplicationRegistration } from "../flag-source.ts";
import type { Identity } from "../identity.ts";
import type { FairBudget } from "./fair-budget.ts";
import { DEFAULT_QUOTA } from "./usage-limits.ts";

/** A registration, its id, and its estimated memory in bytes. */
export interface BufferedRegistration {
  readonly id: string;
  readonly registration: ApplicationRegistration;
  readonly bytes: number;
}

/** Minimum time before an unchanged registration is forwarded again. */
const REFRESH_MS = 3_600_000;
/** How many forwarded registrations are remembered. */
const MAX_FORWARDED = 10_000;
const REGISTRATION_BYTES = 500;

/**
 * Stores registrations until they are forwarded to the upstream. Best effort: an unchanged
 * registration is forwarded once an hour, and new ones beyond the limits are dropped.
 */
export class RegistrationBuffer {
  readonly #quotas = new Map<string, Map<string, BufferedRegistration>>();
  /** When each registration was forwarded, by id; the oldest first. */
  readonly #forwardedAtMs = new Map<string, number>();
  readonly #memory: FairBudget;
  readonly #perQuota: number;
  readonly #now: () => number;

  constructor(memory: FairBudget, perQuota: number, now: () => number) {
    this.#memory = memory;
    this.#perQuota = perQuota;
    this.#now = now;
  }

  /** Returns false if the registration was dropped, because the limit of its quota is reached. */
  add(registration: ApplicationRegistration): boolean {
    const id = idOf(registration);
    const forwardedAtMs = this.#forwardedAtMs.get(id) ?? -Infinity;
    if (this.#now() - forwardedAtMs < REFRESH_MS) return true;
    return this.#put({ id, registration, bytes: bytesOf(registration) });
  }

  /** Takes up to `limit` registrations, one of each quota in turn. */
  take(limit: number): readonly BufferedRegistration[] {
    const taken: BufferedRegistration[] = [];
    while (taken.length < limit && this.#quotas.size > 0) {
      for (const [quotaId, pending] of [...this.#quotas].slice(0, limit - taken.length)) {
        const [first] = pending.values();
        if (first !== undefined) taken.push(first);
        pending.delete(first?.id ?? "");
        this.#quotas.delete(quotaId);
        // Moves the quota to the end, so that the limit does not always exclude the same quotas.
        if (pending.size > 0) this.#quotas.set(quotaId, pending);
      }
    }
    for (const one of taken) this.#memory.shareOf(quotaOf(one)).release(one.bytes);
    return taken;
  }

  /** Returns registrations that could not be delivered; drops those beyond the limits. */
  putBack(taken: readonly BufferedRegistration[]): void {
    for (const one of taken) this.#put(one);
  }

  /** Records that registrations were delivered. */
  release(taken: readonly BufferedRegistration[]): void {
    for (const { id } of taken) {
      this.#forwardedAtMs.delete(id);
      this.#forwardedAtMs.set(id, this.#now());
    }
    for (const id of this.#forwardedAtMs.keys()) {
      if (this.#forwardedAtMs.size <= MAX_FORWARDED) return;
      this.#forwardedAtMs.delete(id);
    }
  }

  #put(one: BufferedRegistration): boolean {
    const pending = this.#quotas.get(quotaOf(one)) ?? new Map<string, BufferedRegistration>();
    if (pending.has(one.id)) return true;
    const memory = this.#memory.shareOf(quotaOf(one));
    if (pending.size >= this.#perQuota || !memory.fits(one.bytes)) return false;
    memory.claim(one.bytes);
    pending.set(one.id, one);
    this.#quotas.set(quotaOf(one), pending);
    return true;
  }
}

/** Creates the body of a forwarded registration, with this client as the last proxy on the path. */
export function toForwarded(
  registration: ApplicationRegistration,
  { appName, instanceId }: Identity,
): Readonly<Record<string, unknown>> {
  const { connectVia = [] } = registration;
  return {
    ...registration,
    // NOTE: omitted from the JSON.
    quotaId: undefined,
    connectVia: [...connectVia, { appName, instanceId }],
  };
}

function quotaOf({ registration }: BufferedRegistration): string {
  return registration.quotaId ?? DEFAULT_QUOTA;
}

/** Identifies a registration. All instances of a frontend application, one per browser, are the same. */
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
