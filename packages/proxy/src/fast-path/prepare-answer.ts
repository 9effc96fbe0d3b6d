import type { IncomingMessage } from "node:http";
import type { Context, Snapshot } from "flags-engine";
import { readsSessionId } from "../context/complete-context.ts";
import { unenrichedContext, type ContextRules } from "../context/request-context.ts";
import type { SentContext } from "../context/sent-context.ts";
import { assembly } from "../render/pieces/assembly.ts";
import { selectEnabled, selectNamed } from "../render/select.ts";
import type { Asked } from "../routes/body-form.ts";
import type { EvaluationRules } from "../routes/evaluate.ts";
import type { AnswerCache } from "./answer-cache.ts";
import { PreparedAnswer } from "./prepared-answer.ts";
import type { Question } from "./question.ts";

/** Who asks what, of which flags. */
export interface Inquiry {
  readonly request: IncomingMessage;
  readonly snapshot: Snapshot;
  readonly question: Question;
}

/** Finds the answer or works it out; undefined when the question is not a good one. */
export function prepareAnswer(
  inquiry: Inquiry,
  { render, contextRules }: EvaluationRules,
  answers: AnswerCache,
): PreparedAnswer | undefined {
  const { snapshot, question } = inquiry;
  const kept = answers.get(snapshot, question.marked);
  if (kept !== undefined) return kept;

  const subject = read(inquiry, contextRules);
  if (subject === undefined) return undefined;
  const { context, asked } = subject;
  const vector = assembly.outcomes(snapshot.features.length);
  const { outcomes, isRepeatable } = snapshot.evaluateAll(context, vector);
  const rendering = render(snapshot);
  const selected =
    asked.toggles === undefined
      ? selectEnabled(rendering, outcomes)
      : selectNamed(rendering, outcomes, asked.toggles);
  const answer = answers.unify(snapshot, new PreparedAnswer(selected));
  if (isRepeatable && isInText(asked.sent, snapshot)) {
    answers.offer(snapshot, question.marked, answer);
  }
  return answer;
}

interface Subject {
  readonly asked: Asked;
  readonly context: Context;
}

function read({ request, snapshot, question }: Inquiry, rules: ContextRules): Subject | undefined {
  try {
    const asked = question.read();
    const context = unenrichedContext({ request, sent: asked.sent, snapshot }, rules);
    return { asked, context };
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
