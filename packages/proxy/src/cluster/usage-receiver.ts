import type { ApplicationUsage, FlagSource } from "flags-sdk";
import type { Logger } from "flags-server-kit";
import type { MessageToPrimary, WorkerPeer } from "./messages.ts";

type UsageSource = Pick<FlagSource, "registerApplication" | "reportUsage">;

/** Passes usage and registrations of workers to the sources, and replies whether they were accepted. */
export class UsageReceiver {
  readonly #sources: readonly UsageSource[];
  readonly #logger: Pick<Logger, "error">;

  constructor(sources: readonly UsageSource[], logger: Pick<Logger, "error">) {
    this.#sources = sources;
    this.#logger = logger;
  }

  async accept(
    worker: WorkerPeer,
    message: MessageToPrimary<"registration" | "usage">,
  ): Promise<void> {
    const isAccepted = await this.#accept(message).catch((error: unknown) => {
      this.#logger.error(`Cannot accept usage or a registration of ${worker.name}`, error);
      return false;
    });
    worker.send({ kind: "decision", id: message.id, isAccepted });
  }

  async #accept(message: MessageToPrimary<"registration" | "usage">): Promise<boolean> {
    const source = this.#sources[message.source];
    if (message.kind === "registration") {
      await source?.registerApplication?.(message.registration);
      return true;
    }
    return (await source?.reportUsage(JSON.parse(message.text) as ApplicationUsage)) ?? false;
  }
}
