import type { KeyVerifier, Verdict } from "../core/access/verified-key.ts";
import type { FlagSource } from "../upstream/flag-source.ts";
import type {
  ApplicationRegistration,
  ApplicationUsage,
} from "../upstream/usage/application-usage.ts";

/** The functions of the primary process that workers call, because its limits are those of all workers. */
export type PrimaryFunctions = ReturnType<typeof createFunctions>;

/** @param verifier undefined if the upstream does not verify keys */
export function createFunctions(
  sources: readonly Pick<FlagSource, "registerApplication" | "reportUsage">[],
  verifier: KeyVerifier | undefined,
  readMetrics: () => Promise<string>,
) {
  return {
    reportUsage: async (source: number, text: string): Promise<boolean> =>
      (await sources[source]?.reportUsage(JSON.parse(text) as ApplicationUsage)) ?? false,
    registerApplication: async (source: number, text: string): Promise<void> =>
      sources[source]?.registerApplication?.(JSON.parse(text) as ApplicationRegistration),
    verifyKey: async (token: string): Promise<Verdict | undefined> => verifier?.verify(token),
    /** Verifies a known key again, by its digest. */
    confirmKey: async (key: string): Promise<Verdict | undefined> => verifier?.confirm(key),
    readMetrics,
  };
}
