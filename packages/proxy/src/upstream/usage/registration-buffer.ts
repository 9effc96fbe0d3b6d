import { createHash } from "node:crypto";
import type { ApplicationRegistration } from "./application-usage.ts";
import type { UpstreamConnection } from "flags-sdk/internal";
import type { FairBudget } from "./usage-limits.ts";
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

/** Receives every change of the pending registrations. */
interface RegistrationJournal {
  add(registration: ApplicationRegistration): void;
  /** A registration was delivered or dropped. */
  remove(registration: ApplicationRegistration): void;
}

interface RegistrationBufferOptions {
  /** The budget shared with the other buffers of the client. */
  readonly memory: FairBudget;
  /** Limit of the registrations of each quota. */
  readonly perQuota: number;
  /** A monotonic clock. */
  readonly monotonicMs: () => number;
  /** @default changes are not recorded */
  readonly journal?: RegistrationJournal;
}

/**
 * Stores registrations until they are forwarded to the upstream. An unchanged registration is forwarded
 * once an hour, and new ones beyond the limits are dropped. Their memory stays claimed until they are
 * released.
 */
export class RegistrationBuffer {
  /** All registrations by quota and id, including those being sent. */
  readonly #quotas = new Map<string, Map<string, BufferedRegistration>>();
  readonly #sending = new Set<BufferedRegistration>();
  /** When each registration was forwarded, by id; the oldest first. */
  readonly #forwardedAtMs = new Map<string, number>();
  readonly #options: RegistrationBufferOptions;

  constructor(options: RegistrationBufferOptions) {
    this.#options = options;
  }

  /** Whether nothing is pending or being sent. */
  get isEmpty(): boolean {
    return this.#quotas.size === 0;
  }

  /** Returns false if the registration was dropped, because the limit of its quota is reached. */
  add(registration: ApplicationRegistration): boolean {
    const { memory, perQuota, monotonicMs, journal } = this.#options;
    const id = registrationId(registration);
    const forwardedAtMs = this.#forwardedAtMs.get(id) ?? -Infinity;
    const existing = this.#quotas.get(quotaOf({ registration }));
    if (monotonicMs() - forwardedAtMs < REFRESH_MS || existing?.has(id) === true) return true;
    const one = { id, registration, bytes: bytesOf(registration) };
    const isFull = (existing?.size ?? 0) >= perQuota;
    if (isFull || !memory.shareOf(quotaOf(one)).fits(one.bytes)) return false;
    this.#put(one);
    journal?.add(registration);
    return true;
  }

  /** Adds a registration of an earlier process, regardless of limits. */
  restore(registration: ApplicationRegistration): void {
    const id = registrationId(registration);
    const isPending = this.#quotas.get(quotaOf({ registration }))?.has(id) === true;
    if (!isPending) this.#put({ id, registration, bytes: bytesOf(registration) });
  }

  /** Yields everything that is pending or being sent. */
  *values(): Generator<ApplicationRegistration, undefined, undefined> {
    const all = [...this.#quotas.values()].flatMap((quota) => [...quota.values()]);
    for (const one of all) {
      // It can have been delivered in the meantime.
      if (this.#quotas.get(quotaOf(one))?.get(one.id) === one) yield one.registration;
    }
    return undefined;
  }

  /** Takes up to `limit` registrations, one of each quota in turn. */
  take(limit: number): readonly BufferedRegistration[] {
    const queues = [...this.#quotas.values()].map((quota) =>
      [...quota.values()].filter((one) => !this.#sending.has(one)),
    );
    const taken: BufferedRegistration[] = [];
    for (let index = 0; taken.length < limit; index += 1) {
      const turn = queues.flatMap((queue) => queue[index] ?? []);
      if (turn.length === 0) break;
      taken.push(...turn.slice(0, limit - taken.length));
    }
    for (const one of taken) {
      this.#sending.add(one);
      this.#moveToEnd(quotaOf(one));
    }
    return taken;
  }

  /** Returns registrations that could not be delivered. */
  putBack(taken: readonly BufferedRegistration[]): void {
    for (const one of taken) this.#sending.delete(one);
  }

  /** Removes registrations that were delivered. */
  release(taken: readonly BufferedRegistration[]): void {
    for (const one of taken) {
      this.#remove(one);
      this.#forwardedAtMs.delete(one.id);
      this.#forwardedAtMs.set(one.id, this.#options.monotonicMs());
    }
    for (const id of this.#forwardedAtMs.keys()) {
      if (this.#forwardedAtMs.size <= MAX_FORWARDED) return;
      this.#forwardedAtMs.delete(id);
    }
  }

  #put(one: BufferedRegistration): void {
    const quotaId = quotaOf(one);
    const quota = this.#quotas.get(quotaId) ?? new Map<string, BufferedRegistration>();
    this.#quotas.set(quotaId, quota);
    quota.set(one.id, one);
    this.#options.memory.shareOf(quotaId).claim(one.bytes);
  }

  #remove(one: BufferedRegistration): void {
    const quotaId = quotaOf(one);
    const quota = this.#quotas.get(quotaId);
    quota?.delete(one.id);
    if (quota?.size === 0) this.#quotas.delete(quotaId);
    this.#sending.delete(one);
    this.#options.memory.shareOf(quotaId).release(one.bytes);
    this.#options.journal?.remove(one.registration);
  }

  /** So that the limit of `take` does not always exclude the same quotas. */
  #moveToEnd(quotaId: string): void {
    const quota = this.#quotas.get(quotaId);
    if (quota === undefined) return;
    this.#quotas.delete(quotaId);
    this.#quotas.set(quotaId, quota);
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

function quotaOf({ registration }: Pick<BufferedRegistration, "registration">): string {
  return registration.quotaId ?? DEFAULT_QUOTA;
}

/** Identifies a registration in its quota. All instances of a frontend application, one per browser, are the same. */
export function registrationId(registration: ApplicationRegistration): string {
  const instanceId = registration.sdkType === "backend" ? registration.instanceId : "";
  const ignored = { started: undefined, interval: undefined, quotaId: undefined };
  return createHash("sha256")
    .update(JSON.stringify({ ...registration, ...ignored, instanceId }))
    .digest("base64");
}

function bytesOf(registration: ApplicationRegistration): number {
  return REGISTRATION_BYTES + 2 * JSON.stringify(registration).length;
}
