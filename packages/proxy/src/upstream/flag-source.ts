import type { SyncedFlags } from "flags-sdk";
import type { ApplicationRegistration, ApplicationUsage } from "./usage/application-usage.ts";

/**
 * Keeps a snapshot of one upstream environment up to date, and sends usage to this upstream.
 *
 * The proxy accepts any object with this interface, and clients of flags-sdk, whose usage it sends itself.
 */
export interface FlagSource extends SyncedFlags {
  /**
   * Adds usage that was counted elsewhere, to be sent to the upstream under the name of its
   * application. Returns true if all of it was accepted: it is sent now, or as soon as the upstream
   * is available. Returns false if it was not counted because too much is pending; the
   * caller may report it again later. A source in another process returns a promise.
   */
  reportUsage(usage: ApplicationUsage): boolean | Promise<boolean>;
  /**
   * Forwards the registration of an application to the upstream; drops it beyond a limit. A source that
   * stores it first returns a promise. Optional.
   */
  registerApplication?(registration: ApplicationRegistration): void | Promise<void>;
}
