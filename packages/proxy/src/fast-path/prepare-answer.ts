import type { IncomingMessage } from "node:http";
import type { Context, Snapshot } from "flags-engine";
import { readsSessionId } from "../context/complete-context.ts";
import { parseQueryContext } from "../context/parse-query.ts";
import { unenrichedContext, type ContextRules } from "../context/request-context.ts";
import type { SentContext } from "../context/sent-context.ts";
import { selectEnabled } from "../render/select.ts";
import type { EvaluationRules } from "../routes/evaluate.ts";
import type { AnswerCache } from "./answer-cache.ts";
import { PreparedAnswer } from "./prepared-answer.ts";

/** Who asks what, of which flags. */
export interface Inquiry {
  readonly request: IncomingMessage;
  readonly snapshot: Snapshot;
  readonly question: Question;
}

/** What is asked. */
export interface Question {
  /** All of it, path included: equal texts ask the same. */
  readonly text: string;
  /** Finds out what it means, and throws where the framework would refuse it. */
  read(): SentContext;
}

/** The question of a GET. */
export function toQueryQuestion(url: string): Question {
  return { text: url, read: () => parseQueryContext(url) };
}

/** Finds the answer or works it out; undefined when the question is not a good one. */
export function prepareAnswer(
  inquiry: Inquiry,
  { render, contextRules }: EvaluationRules,
  answers: AnswerCache,
): PreparedAnswer | undefined {
  const { snapshot, question } = inquiry;
  const kept = answers.get(snapshot, question.text);
  if (kept !== undefined) return kept;

  const subject = read(inquiry, contextRules);
  if (subject === undefined) return undefined;
  const { outcomes, isRepeatable } = snapshot.evaluateAll(subject.context);
  const answer = new PreparedAnswer(selectEnabled(render(snapshot), outcomes));
  if (isRepeatable && isInText(subject.sent, snapshot)) {
    answers.offer(snapshot, question.text, answer);
  }
  return answer;
}

interface Subject {
  readonly sent: SentContext;
  readonly context: Context;
}

function read({ request, snapshot, question }: Inquiry, rules: ContextRules): Subject | undefined {
  try {
    const sent = question.read();
    return { sent, context: unenrichedContext({ request, sent, snapshot }, rules) };
  } catch {
    // The framework comes to the same conclusion, and has the words for it.
    return undefined;
  }
}

/** Whether the text of a question holds all that its answer depends on. */
function isInText({ fields }: SentContext, { relevance }: Snapshot): boolean {
  return (
    (Boolean(fields.sessionId) || !readsSessionId(relevance)) &&
    (Boolean(fields.remoteAddress) || !relevance.fields.includes("remoteAddress"))
  );
}
