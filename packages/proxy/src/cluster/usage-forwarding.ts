import { FairShare } from "flags-server-kit/neutral";
import type { FlagReplicaOptions } from "./flag-replica.ts";
import type { PrimaryLink } from "./primary-link.ts";

const MAX_WAITING_LENGTH = 16 * 1024 * 1024;

/**
 * Returns how a source, by its position, forwards usage and registrations to the primary process, which decides whether
 * to accept them. Refuses them if too much of the same quota is waiting.
 */
export function createForwarding(
  link: Pick<PrimaryLink, "call">,
): (source: number) => Omit<FlagReplicaOptions, "strategies"> {
  // NOTE: otherwise, what arrives faster than the primary process reads it would fill the memory.
  const waiting = new FairShare(MAX_WAITING_LENGTH);
  const forward = async (
    name: "reportUsage" | "registerApplication",
    source: number,
    data: { readonly quotaId?: string },
  ): Promise<boolean> => {
    // For many small objects, JSON takes half the time of a structured clone.
    const text = JSON.stringify(data);
    const release = waiting.tryClaim(data.quotaId ?? "", text.length);
    if (release === undefined) return false;
    const isAccepted = await link.call(name, source, text);
    release();
    return isAccepted ?? false;
  };
  return (source) => ({
    reportUsage: (usage) => forward("reportUsage", source, usage),
    registerApplication: async (registration) => {
      await forward("registerApplication", source, registration);
    },
  });
}
