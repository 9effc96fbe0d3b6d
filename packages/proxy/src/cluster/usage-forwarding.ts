import type { FlagSource } from "../upstream/flag-source.ts";
import type {
  ApplicationRegistration,
  ApplicationUsage,
} from "../upstream/usage/application-usage.ts";
import type { Logger } from "flags-server-kit";
import { FairShare } from "flags-server-kit";
import type { MessageToPrimary, MessageToWorker, ToPrimary, WorkerPeer } from "./messages.ts";
import { PendingReplies, type PrimaryLink } from "./primary-link.ts";

/** Limit of the usage and registrations that wait for the primary process, in characters. */
const MAX_WAITING_LENGTH = 16 * 1024 * 1024;

/** Forwards usage and registrations to the primary process, which decides whether to accept them. */
export class UsageForwarder {
  readonly #link: Pick<PrimaryLink, "send">;
  readonly #decisions = new PendingReplies<boolean>();
  /** NOTE: otherwise, what arrives faster than the primary process reads it would fill the memory. */
  readonly #waiting = new FairShare(MAX_WAITING_LENGTH);

  constructor(link: Pick<PrimaryLink, "send">) {
    this.#link = link;
  }

  /**
   * Forwards usage of a source. Resolves to whether the primary process accepted it; to false if too much
   * usage of the same quota is waiting.
   */
  async report(source: number, usage: ApplicationUsage): Promise<boolean> {
    // For many small objects, JSON takes half the time of a structured clone.
    const text = JSON.stringify(usage);
    const release = this.#waiting.tryClaim(usage.quotaId ?? "", text.length);
    if (release === undefined) return false;
    try {
      return await this.#send((id) => ({ kind: "usage", source, id, text }));
    } finally {
      release();
    }
  }

  /**
   * Forwards a registration to a source. Resolves when the primary process has stored it; drops it if too much of the
   * same quota is waiting, as applications register again.
   */
  async register(source: number, registration: ApplicationRegistration): Promise<void> {
    const { length } = JSON.stringify(registration);
    const release = this.#waiting.tryClaim(registration.quotaId ?? "", length);
    if (release === undefined) return;
    try {
      await this.#send((id) => ({ kind: "registration", source, id, registration }));
    } finally {
      release();
    }
  }

  #send(toMessage: (id: number) => ToPrimary): Promise<boolean> {
    return this.#decisions.request((id) => void this.#link.send(toMessage(id)));
  }

  onDecision({ id, isAccepted }: MessageToWorker<"decision">): void {
    this.#decisions.resolve(id, isAccepted);
  }
}

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
