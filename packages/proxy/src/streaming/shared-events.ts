import type { Context, ContextDependencies, Snapshot } from "flags-engine";
import { LRUCache } from "lru-cache";
import { evaluateFlags } from "../response/evaluate-flags.ts";
import type { ResponseBody } from "../response/response-body.ts";
import type { MessageForm, MessageForms } from "./message-forms.ts";
import type { Subscription } from "./subscription.ts";

/** Memory for the cached events of one source. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Estimated memory of an entry besides its texts. */
const OVERHEAD_BYTES = 500;

/** An evaluation as a message of a stream. The message is written when it is first sent. */
export class PreparedEvent {
  /** The entity tag of the body. */
  readonly id: string;
  /** Memory for the message, and before it is written for the strings that it is concatenated from. */
  readonly heldBytes: number;
  readonly #body: ResponseBody;
  readonly #form: MessageForm;
  #bytes: Buffer | undefined;

  constructor(body: ResponseBody, form: MessageForm) {
    this.id = body.entityTag;
    this.heldBytes = 2 * body.byteLength;
    this.#body = body;
    this.#form = form;
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.#form.write(this.#body));
    return this.#bytes;
  }
}

/** Events for the streams of one source. Subscriptions with the same result share one event. */
export class SharedEvents {
  readonly #forms: MessageForms;
  readonly #events: LRUCache<string, PreparedEvent>;
  #snapshot: Snapshot | undefined;

  /** @param maxBytes memory for cached events; default 32 MiB */
  constructor(forms: MessageForms, maxBytes: number = MAX_BYTES) {
    this.#forms = forms;
    this.#events = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ heldBytes }, key) => heldBytes + 2 * key.length + OVERHEAD_BYTES,
    });
  }

  /** Has everything evaluated again, for rules that depend on the time. */
  clear(): void {
    this.#events.clear();
  }

  get(snapshot: Snapshot, subscription: Subscription): PreparedEvent {
    if (snapshot !== this.#snapshot) this.clear();
    this.#snapshot = snapshot;
    const key = toKey(snapshot.contextDependencies, subscription);
    return this.#events.get(key) ?? this.#evaluate(key, snapshot, subscription);
  }

  #evaluate(key: string, snapshot: Snapshot, subscription: Subscription): PreparedEvent {
    const form = this.#forms[subscription.kind ?? "toggles"];
    const { body, isRepeatable } = evaluateFlags(
      form,
      snapshot,
      subscription.context,
      subscription,
    );
    const event = new PreparedEvent(body, form);
    if (isRepeatable || isEqualAtOneMoment(snapshot.contextDependencies))
      this.#events.set(key, event);
    return event;
  }
}

/** Whether equal subscriptions have equal results at any one moment. */
function isEqualAtOneMoment({ drawsRandom, callsCustomStrategy }: ContextDependencies): boolean {
  return !drawsRandom && !callsCustomStrategy;
}

/** Everything that the event depends on: the kind of message, the selection and the context. */
function toKey(
  { fields }: ContextDependencies,
  { context, kind, toggles, all }: Subscription,
): string {
  return JSON.stringify([kind, toggles, all, fields.map((field) => valuesOf(context, field))]);
}

/** NOTE: some rules read the top level alone, so both values count. */
function valuesOf(context: Context, field: string): readonly unknown[] {
  return [ownValue(context, field), ownValue(context.properties ?? {}, field)];
}

function ownValue(record: Readonly<Record<string, unknown>>, field: string): unknown {
  return Object.hasOwn(record, field) ? record[field] : undefined;
}
