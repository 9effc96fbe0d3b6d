import type { ApplicationUsage, FlagSource } from "flags-sdk";

export interface UsageInboxOptions {
  readonly source: Pick<FlagSource, "reportUsage">;
  /** Told whenever it changes whether workers may hand over more. */
  readonly onRoomChange: (hasRoom: boolean) => void;
}

/**
 * Takes the usage that workers hand over. They have acknowledged it, so what finds no room waits
 * here; that is little, since they are told at once to refuse more.
 */
export class UsageInbox {
  readonly #options: UsageInboxOptions;
  readonly #waiting: ApplicationUsage[] = [];

  constructor(options: UsageInboxOptions) {
    this.#options = options;
  }

  get hasRoom(): boolean {
    return this.#waiting.length === 0;
  }

  /** How many reports wait for room. */
  get waiting(): number {
    return this.#waiting.length;
  }

  take(usage: ApplicationUsage): void {
    const hadRoom = this.hasRoom;
    if (hadRoom && this.#options.source.reportUsage(usage)) return;
    this.#waiting.push(usage);
    if (hadRoom) this.#options.onRoomChange(false);
  }

  /** Tries again with what waits; for whenever usage was delivered. */
  retry(): void {
    if (this.hasRoom) return;
    const refused = this.#waiting.findIndex((usage) => !this.#options.source.reportUsage(usage));
    this.#waiting.splice(0, refused === -1 ? this.#waiting.length : refused);
    if (this.hasRoom) this.#options.onRoomChange(true);
  }
}
