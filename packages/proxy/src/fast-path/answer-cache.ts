import type { Snapshot } from "flags-engine";
import { COMPRESSION_THRESHOLD_BYTES } from "flags-service/http";
import { LRUCache } from "lru-cache";
import { Doorkeeper } from "./doorkeeper.ts";
import { type MarkedText, withMark } from "./marked-text.ts";
import type { PreparedAnswer } from "./prepared-answer.ts";

/** How much memory the kept answers of one snapshot may take. */
const MAX_BYTES = 64 * 1024 * 1024;

/** What an entry takes besides its texts. */
const OVERHEAD_BYTES = 500;
/** Of each character of a question, at worst. */
const CHARACTER_BYTES = 2;
/** The body, and at worst as much again for each of the two codings. */
const FORMS = 3;

/**
 * Answers by the text of the question: clients ask the same question at each poll, and until the
 * flags change it has the same answer. And answers by what is in them: most users ask a question of
 * their own, but where few flags tell users apart there are few answers, and each is compressed once.
 * What is kept goes with its snapshot.
 */
export class AnswerCache {
  /** By the mark of the question; of those with one mark, the last. */
  readonly #bySnapshot = new WeakMap<Snapshot, LRUCache<number, KeptAnswer>>();
  readonly #doorkeeper = new Doorkeeper();

  get(snapshot: Snapshot, { text, mark }: MarkedText): PreparedAnswer | undefined {
    const kept = this.#bySnapshot.get(snapshot)?.get(mark);
    return kept?.question === text ? kept.answer : undefined;
  }

  /**
   * Keeps the answer if the question was asked before: most memory and work of a cache would else
   * go into questions that nobody asks twice.
   */
  offer(snapshot: Snapshot, question: MarkedText, answer: PreparedAnswer): void {
    if (!this.#doorkeeper.knows(question)) return;
    let answers = this.#bySnapshot.get(snapshot);
    if (answers === undefined) {
      answers = new LRUCache({ maxSize: MAX_BYTES, sizeCalculation });
      this.#bySnapshot.set(snapshot, answers);
    }
    answer.keep();
    answers.set(question.mark, { question: question.text, answer });
  }

  /** Returns the answer that others got, if it is the same and was kept; else this one. */
  unify(snapshot: Snapshot, answer: PreparedAnswer): PreparedAnswer {
    // NOTE: to put a small answer together takes no longer than to look it up.
    if (answer.byteLength < COMPRESSION_THRESHOLD_BYTES) return answer;
    const content = withMark(answer.content);
    const known = this.get(snapshot, content);
    if (known === undefined) this.offer(snapshot, content, answer);
    return known ?? answer;
  }
}

interface KeptAnswer {
  readonly question: string;
  readonly answer: PreparedAnswer;
}

function sizeCalculation({ question, answer }: KeptAnswer): number {
  return CHARACTER_BYTES * question.length + FORMS * answer.byteLength + OVERHEAD_BYTES;
}
