import type { KeyVerifier } from "../core/access/verified-key.ts";
import type { FlagSource } from "../upstream/flag-source.ts";
import type {
  ApplicationRegistration,
  ApplicationUsage,
} from "../upstream/usage/application-usage.ts";
import type { PrimaryFunctions } from "./messages.ts";

/**
 * Creates the functions that workers call.
 *
 * @param verifier undefined if the upstream does not verify keys
 */
export function createFunctions(
  sources: readonly Pick<FlagSource, "registerApplication" | "reportUsage">[],
  verifier: KeyVerifier | undefined,
  readMetrics: PrimaryFunctions["readMetrics"],
): PrimaryFunctions {
  return {
    reportUsage: async (source, text) =>
      (await sources[source]?.reportUsage(JSON.parse(text) as ApplicationUsage)) ?? false,
    registerApplication: async (source, text) =>
      sources[source]?.registerApplication?.(JSON.parse(text) as ApplicationRegistration),
    verifyKey: async (token) => verifier?.verify(token),
    confirmKey: async (key) => verifier?.confirm(key),
    readMetrics,
  };
}
