import type { Context, ContextDependencies, Snapshot } from "flags-engine";
import { LRUCache } from "lru-cache";
import { evaluateFlags } from "../../core/response/evaluate-flags.ts";
import type { ResponseBody } from "../../core/http/response-body.ts";
import type { Rendering } from "../../core/response/rendering.ts";
import { SnapshotIds } from "../../core/response/response-cache.ts";
import type { Subscription } from "../../core/streaming/subscription.ts";

/** Default memory for the cached events. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Estimated memory of a cache entry in addition to its strings. */
const OVERHEAD_BYTES = 500;

/** How flags become the events of one kind. */
export interface EventFormat {
  render(snapshot: Snapshot): Rendering;
  /** Returns the event as text. */
  write(body: ResponseBody): string;
}

/** The result of an evaluation as a server-sent event, which is serialized on first use. */
export class FlagEvent {
  /** The entity tag of the response body with the same flags. */
  readonly id: string;
  /** Memory for the event, and for the strings from which it is concatenated. */
  readonly heldBytes: number;
  readonly #format: EventFormat;
  readonly #body: ResponseBody;
  #bytes: Buffer | undefined;

  constructor(format: EventFormat, body: ResponseBody) {
    this.id = body.entityTag;
    this.heldBytes = 2 * body.byteLength;
    this.#format = format;
    this.#body = body;
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.#format.write(this.#body));
    return this.#bytes;
  }
}

/** Evaluates subscriptions. Those with the same result share one event. */
export class FlagEvents {
  readonly #formats: ReadonlyMap<string, EventFormat>;
  readonly #events: LRUCache<string, FlagEvent>;
  readonly #ids = new SnapshotIds();

  /**
   * @param formats by kind
   * @param maxBytes memory for cached events; default 32 MiB
   */
  constructor(formats: ReadonlyMap<string, EventFormat>, maxBytes: number = MAX_BYTES) {
    this.#formats = formats;
    this.#events = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ heldBytes }, key) => heldBytes + 2 * key.length + OVERHEAD_BYTES,
    });
  }

  /** Clears the cache: the flags have changed, or all rules are evaluated again. */
  clear(): void {
    this.#events.clear();
  }

  get(snapshot: Snapshot, subscription: Subscription): FlagEvent {
    const key = `${this.#ids.of(snapshot)} ${toKey(snapshot.contextDependencies, subscription)}`;
    return this.#events.get(key) ?? this.#evaluate(key, snapshot, subscription);
  }

  #evaluate(key: string, snapshot: Snapshot, subscription: Subscription): FlagEvent {
    const { kind = "toggles", context, toggles, all } = subscription;
    const format = this.#formats.get(kind);
    if (format === undefined) throw new TypeError(`No protocol has events of the kind ${kind}`);
    const { body, isRepeatable } = evaluateFlags(format, snapshot, context, {
      // Each once: an event cannot be rejected because it has become too long.
      toggles: toggles && [...new Set(toggles)],
      all,
    });
    const event = new FlagEvent(format, body);
    if (isRepeatable || isDeterministic(snapshot.contextDependencies)) this.#events.set(key, event);
    return event;
  }
}

/** Whether equal subscriptions have equal results at the same time. */
function isDeterministic({ drawsRandom, callsCustomStrategy }: ContextDependencies): boolean {
  return !drawsRandom && !callsCustomStrategy;
}

/** Everything that an event depends on: its kind, the selection and the context. */
function toKey(
  { fields }: ContextDependencies,
  { context, kind, toggles, all }: Subscription,
): string {
  return JSON.stringify([kind, toggles, all, fields.map((field) => valuesOf(context, field))]);
}

/** NOTE: some rules read only the top level, so both values are part of the key. */
function valuesOf(context: Context, field: string): readonly unknown[] {
  return [ownValue(context, field), ownValue(context.properties ?? {}, field)];
}

function ownValue(record: Readonly<Record<string, unknown>>, field: string): unknown {
  return Object.hasOwn(record, field) ? record[field] : undefined;
}
