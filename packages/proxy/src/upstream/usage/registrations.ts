import { createHash } from "node:crypto";
import type { Identity } from "flags-sdk/neutral";
import type { FairShare } from "flags-server-kit/neutral";
import { LRUCache } from "lru-cache";
import type { ApplicationRegistration } from "./application-usage.ts";
import { ItemBuffer, type ItemJournal, type ItemKind, type TakenItem } from "./item-buffer.ts";

/** Minimum time before an unchanged registration is forwarded again. */
const REFRESH_MS = 3_600_000;
/** How many forwarded registrations are remembered. */
const MAX_FORWARDED = 10_000;
/** How many registrations of a quota can be pending. */
export const MAX_REGISTRATIONS = 1000;
const REGISTRATION_BYTES = 500;

const REGISTRATIONS: ItemKind<ApplicationRegistration> = {
  /** All instances of a frontend application, one per browser, are the same. */
  keyOf: (registration) => {
    const instanceId = registration.sdkType === "backend" ? registration.instanceId : "";
    const ignored = { started: undefined, interval: undefined, quotaId: undefined };
    return createHash("sha256")
      .update(JSON.stringify({ ...registration, ...ignored, instanceId }))
      .digest("base64");
  },
  isReplacing: () => true,
  sum: (_previous, registration) => registration,
  bytesOf: (registration) => REGISTRATION_BYTES + 2 * JSON.stringify(registration).length,
  limit: MAX_REGISTRATIONS,
};

/** Stores registrations until they are forwarded to the upstream; an unchanged one is forwarded once an hour. */
export class RegistrationBuffer extends ItemBuffer<ApplicationRegistration> {
  readonly #forwarded = new LRUCache<string, true>({
    max: MAX_FORWARDED,
    ttl: REFRESH_MS,
    perf: performance,
  });

  constructor(memory: FairShare, journal: ItemJournal<ApplicationRegistration>) {
    super(REGISTRATIONS, memory, journal);
  }

  override add(quotaId: string, registrations: readonly ApplicationRegistration[]): number {
    const isNew = (registration: ApplicationRegistration): boolean => {
      const key = REGISTRATIONS.keyOf(registration);
      return !this.#forwarded.has(key) && this.find(quotaId, registration) === undefined;
    };
    return super.add(quotaId, registrations.filter(isNew));
  }

  override release(taken: readonly TakenItem<ApplicationRegistration>[]): void {
    super.release(taken);
    for (const { item } of taken) this.#forwarded.set(REGISTRATIONS.keyOf(item), true);
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
