import { ask, type Question } from "./confirmations.tsx";
import { ADD } from "./proposal.ts";

interface Choices {
  /** Requests the change. */
  readonly request: () => void;
  /** Makes the change at once. */
  readonly makeNow: (reason: string) => void;
}

/** Asks how to turn flags off where changes require approvals: at once, with a reason, or as a part of a change request. */
export function askForReason(question: Question, { request, makeNow }: Choices): void {
  ask(
    {
      ...question,
      submit: "Turn off now",
      asksReason: true,
      alternative: { label: ADD, run: request },
    },
    ({ reason = "" }) => makeNow(reason),
  );
}
