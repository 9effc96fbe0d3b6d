import { createHash } from "node:crypto";
import type { Identity } from "../identity.ts";
import type { FairBudget } from "./fair-budget.ts";
import { DEFAULT_QUOTA } from "./usage-store.ts";

/** A proxy on the way between an application and the upstream. */
export interface ConnectVia {
  readonly appName: string;
  readonly instanceId: string;
}

/** What an application says of itself to be listed by the upstream. */
export interface ApplicationRegistration {
  readonly appName: string;
  readonly instanceId: string;
  /** Whether it evaluates flags itself (`backend`) or gets results (`frontend`). */
  readonly sdkType: "frontend" | "backend";
  /** Name and version of its SDK, such as `unleash-js-sdk:3.8.2`. */
  readonly sdkVersion?: string;
  /** The framework around the SDK, and its version. */
  readonly sdkFlavor?: string;
  readonly sdkFlavorVersion?: string;
  readonly platformName?: string;
  readonly platformVersion?: string;
  readonly specVersion?: string;
  readonly strategies: readonly string[];
  /** When it started, ISO 8601. */
  readonly started: string;
  /** Milliseconds between its usage reports. */
  readonly interval: number;
  /** The proxies that it came through before this client. */
  readonly connectVia?: readonly ConnectVia[];
  /** Whose share of the buffer it counts against. @default one that all share */
  readonly quotaId?: string;
}

/** A registration that was taken for sending. */
export interface TakenRegistration {
  readonly id: string;
  readonly registration: ApplicationRegistration;
  readonly bytes: number;
}

/** A registration is forwarded again when it is seen again after so long. */
const REFRESH_MS = 3_600_000;
/** How many registrations are remembered as forwarded. */
const MAX_REMEMBERED = 10_000;
const REGISTRATION_BYTES = 500;

/**
 * Registrations that are to be forwarded to the upstream. They are best effort: the same one is
 * forwarded once an hour, and beyond the limits new ones are dropped.
 */
export class RegistrationBuffer {
  readonly #quotas = new Map<string, Map<string, TakenRegistration>>();
  /** When each was forwarded, by id; the oldest first. */
  readonly #forwardedAtMs = new Map<string, number>();
  readonly #memory: FairBudget;
  readonly #perQuota: number;
  readonly #now: () => number;

  constructor(memory: FairBudget, perQuota: number, now: () => number) {
    this.#memory = memory;
    this.#perQuota = perQuota;
    this.#now = now;
  }

  /** False: it was dropped, because its quota has too many others. */
  add(registration: ApplicationRegistration): boolean {
    const id = idOf(registration);
    const forwardedAtMs = this.#forwardedAtMs.get(id) ?? -Infinity;
    if (this.#now() - forwardedAtMs < REFRESH_MS) return true;
    return this.#put({ id, registration, bytes: bytesOf(registration) });
  }

  /** Takes up to `limit` registrations, one of each quota in turn. */
  take(limit: number): readonly TakenRegistration[] {
    const taken: TakenRegistration[] = [];
    while (taken.length < limit && this.#quotas.size > 0) {
      for (const [quotaId, pending] of [...this.#quotas].slice(0, limit - taken.length)) {
        const [first] = pending.values();
        if (first !== undefined) taken.push(first);
        pending.delete(first?.id ?? "");
        this.#quotas.delete(quotaId);
        // At the end of the line, so that a limit does not always leave out the same ones.
        if (pending.size > 0) this.#quotas.set(quotaId, pending);
      }
    }
    for (const one of taken) this.#memory.shareOf(quotaOf(one)).release(one.bytes);
    return taken;
  }

  /** Returns registrations that could not be delivered, as far as they still fit. */
  putBack(taken: readonly TakenRegistration[]): void {
    for (const one of taken) this.#put(one);
  }

  /** Remembers registrations that were delivered. */
  release(taken: readonly TakenRegistration[]): void {
    for (const { id } of taken) {
      this.#forwardedAtMs.delete(id);
      this.#forwardedAtMs.set(id, this.#now());
    }
    for (const id of this.#forwardedAtMs.keys()) {
      if (this.#forwardedAtMs.size <= MAX_REMEMBERED) return;
      this.#forwardedAtMs.delete(id);
    }
  }

  #put(one: TakenRegistration): boolean {
    const pending = this.#quotas.get(quotaOf(one)) ?? new Map<string, TakenRegistration>();
    if (pending.has(one.id)) return true;
    const memory = this.#memory.shareOf(quotaOf(one));
    if (pending.size >= this.#perQuota || !memory.fits(one.bytes)) return false;
    memory.claim(one.bytes);
    pending.set(one.id, one);
    this.#quotas.set(quotaOf(one), pending);
    return true;
  }
}

/** A registration as it goes over the wire: this client is the last of the proxies on its way. */
export function toForwarded(
  registration: ApplicationRegistration,
  { appName, instanceId }: Identity,
): Readonly<Record<string, unknown>> {
  const { connectVia = [] } = registration;
  return {
    ...registration,
    // NOTE: JSON leaves it out.
    quotaId: undefined,
    connectVia: [...connectVia, { appName, instanceId }],
  };
}

function quotaOf({ registration }: TakenRegistration): string {
  return registration.quotaId ?? DEFAULT_QUOTA;
}

/** What tells registrations apart. Front ends run in every browser, and are one application. */
function idOf(registration: ApplicationRegistration): string {
  const instanceId = registration.sdkType === "backend" ? registration.instanceId : "";
  const changing = { started: undefined, interval: undefined, quotaId: undefined };
  return createHash("sha256")
    .update(JSON.stringify({ ...registration, ...changing, instanceId }))
    .digest("base64");
}

function bytesOf(registration: ApplicationRegistration): number {
  return REGISTRATION_BYTES + 2 * JSON.stringify(registration).length;
}
