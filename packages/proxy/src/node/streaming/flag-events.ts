import type { Snapshot } from "flags-engine";
import { LRUCache } from "lru-cache";
import { evaluateFlags } from "../../core/response/evaluate-flags.ts";
import type { ResponseBody } from "../../core/http/response-body.ts";
import type { Rendering } from "../../core/response/rendering.ts";
import type { Subscription } from "../../core/streaming/subscription.ts";

const MAX_BYTES = 32 * 1024 * 1024;

const OVERHEAD_BYTES = 500;

export interface EventFormat {
  render(snapshot: Snapshot): Rendering;
  write(body: ResponseBody): string;
}

/** The result of an evaluation as a server-sent event, which is serialized on first use. */
export class FlagEvent {
  readonly id: string;
  readonly #format: EventFormat;
  readonly #body: ResponseBody;
  #bytes: Buffer | undefined;

  constructor(format: EventFormat, body: ResponseBody) {
    this.id = body.entityTag;
    this.#format = format;
    this.#body = body;
  }

  get heldBytes(): number {
    return 2 * this.#body.byteLength;
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.#format.write(this.#body));
    return this.#bytes;
  }
}

/** Evaluates subscriptions. Those with the same result share one event, so that slow clients share its bytes. */
export class FlagEvents {
  readonly #formats: ReadonlyMap<string, EventFormat>;
  readonly #events: LRUCache<string, FlagEvent>;

  /**
   * @param formats by kind
   * @param maxBytes memory for events that can be shared; default 32 MiB
   */
  constructor(formats: ReadonlyMap<string, EventFormat>, maxBytes: number = MAX_BYTES) {
    this.#formats = formats;
    this.#events = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ heldBytes }) => heldBytes + OVERHEAD_BYTES,
    });
  }

  clear(): void {
    this.#events.clear();
  }

  get(snapshot: Snapshot, subscription: Subscription): FlagEvent {
    const { kind = "toggles", context, toggles, all } = subscription;
    const format = this.#formats.get(kind);
    if (format === undefined) throw new TypeError(`No protocol has events of the kind ${kind}`);
    const { body } = evaluateFlags(format, snapshot, context, {
      // Each once: an event cannot be rejected because it has become too long.
      toggles: toggles && [...new Set(toggles)],
      all,
    });
    const key = `${kind} ${body.entityTag}`;
    const event = this.#events.get(key) ?? new FlagEvent(format, body);
    this.#events.set(key, event);
    return event;
  }
}
