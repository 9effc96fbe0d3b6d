import type { Context, Relevance, Snapshot } from "flags-engine";
import { LRUCache } from "lru-cache";
import type { MessageForms } from "./message-forms.ts";
import { PreparedEvent } from "./prepared-event.ts";
import { selectChoice, type StreamQuestion } from "./stream-question.ts";

/** How much memory the kept answers of a source may take. */
const MAX_BYTES = 32 * 1024 * 1024;

/** What an entry takes besides its texts. */
const OVERHEAD_BYTES = 500;

/** Answers to the questions of one source's streams: those that must be equal are worked out once. */
export class SharedAnswers {
  readonly #forms: MessageForms;
  readonly #events = new LRUCache<string, PreparedEvent>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ heldBytes }, key) => heldBytes + key.length + OVERHEAD_BYTES,
  });
  #snapshot: Snapshot | undefined;

  constructor(forms: MessageForms) {
    this.#forms = forms;
  }

  /** Has everything worked out again, as time has passed. */
  forget(): void {
    this.#events.clear();
  }

  answer(snapshot: Snapshot, question: StreamQuestion): PreparedEvent {
    if (snapshot !== this.#snapshot) this.forget();
    this.#snapshot = snapshot;
    const key = toKey(snapshot.relevance, question);
    return this.#events.get(key) ?? this.#workOut(key, snapshot, question);
  }

  #workOut(key: string, snapshot: Snapshot, question: StreamQuestion): PreparedEvent {
    const { outcomes, isRepeatable } = snapshot.evaluateAll(question.context);
    const form = this.#forms[question.kind ?? "toggles"];
    const event = new PreparedEvent(selectChoice(question, form.render(snapshot), outcomes), form);
    if (isRepeatable || goesByMoment(snapshot.relevance)) this.#events.set(key, event);
    return event;
  }
}

/** Whether equal questions have equal answers at any one moment: no chance and no code of others. */
function goesByMoment({ drawsRandom, callsCustomStrategy }: Relevance): boolean {
  return !drawsRandom && !callsCustomStrategy;
}

/** Everything that the answer depends on, with the kind of message and the choice of toggles. */
function toKey({ fields }: Relevance, { context, kind, toggles, all }: StreamQuestion): string {
  return JSON.stringify([kind, toggles, all, fields.map((field) => valuesOf(context, field))]);
}

/** NOTE: some rules look at the top level alone, so both values count. */
function valuesOf(context: Context, field: string): readonly unknown[] {
  return [ownValue(context, field), ownValue(context.properties ?? {}, field)];
}

function ownValue(record: Readonly<Record<string, unknown>>, field: string): unknown {
  return Object.hasOwn(record, field) ? record[field] : undefined;
}
