import type { Snapshot } from "flags-engine";
import { LRUCache } from "lru-cache";
import type { PreparedAnswer } from "./prepared-answer.ts";
import { Doorkeeper } from "./doorkeeper.ts";

/** How much memory the kept answers of one snapshot may take. */
const MAX_BYTES = 64 * 1024 * 1024;

/** What an entry takes besides its texts. */
const OVERHEAD_BYTES = 500;
/** Of each character of a question, at worst. */
const CHARACTER_BYTES = 2;
/** The body, and at worst as much again for each of the two codings. */
const FORMS = 3;

/**
 * Answers by the text of the question. Clients ask the same question at each poll, and until the
 * flags change it has the same answer. What is kept goes with its snapshot.
 */
export class AnswerCache {
  readonly #bySnapshot = new WeakMap<Snapshot, LRUCache<string, PreparedAnswer>>();
  readonly #doorkeeper = new Doorkeeper();

  get(snapshot: Snapshot, question: string): PreparedAnswer | undefined {
    return this.#bySnapshot.get(snapshot)?.get(question);
  }

  /**
   * Keeps the answer if the question was asked before: most memory and work of a cache would else
   * go into questions that nobody asks twice.
   */
  offer(snapshot: Snapshot, question: string, answer: PreparedAnswer): void {
    if (!this.#doorkeeper.knows(question)) return;
    let answers = this.#bySnapshot.get(snapshot);
    if (answers === undefined) {
      answers = new LRUCache({ maxSize: MAX_BYTES, sizeCalculation });
      this.#bySnapshot.set(snapshot, answers);
    }
    answer.keep();
    answers.set(question, answer);
  }
}

function sizeCalculation({ byteLength }: PreparedAnswer, question: string): number {
  return CHARACTER_BYTES * question.length + FORMS * byteLength + OVERHEAD_BYTES;
}
