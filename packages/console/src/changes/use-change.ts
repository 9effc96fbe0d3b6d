import {
  type QueryClient,
  type QueryKey,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type { Answer } from "../ui/confirm-dialog.tsx";
import { showToast } from "../ui/toast.tsx";
import { useStable } from "../ui/use-stable.ts";
import { ask, type Question } from "./confirmations.tsx";
import {
  ADD,
  type Added,
  addToDraft,
  describeRequirement,
  type Proposal,
  readRequirement,
  readScheduleWarning,
  type Requirement,
} from "./proposal.ts";
import { refetch } from "./refetch.ts";
import { showError, useScheduling, useShowAdded } from "./use-add-to-draft.ts";

interface ChangeOptions<Input, Result> {
  /** Sends the change to the service. */
  readonly run: (input: Input) => Promise<Result>;
  /** What people have to confirm first; undefined if nothing. @default nothing */
  readonly asks?: (input: Input) => Question | undefined;
  /** Returns the input with what people have chosen, if the question has choices. @default they do not matter */
  readonly withChoice?: (input: Input, choice: string) => Input;
  /**
   * What the change is as a part of a change request. Where it requires approvals, it is requested instead of made. Every
   * change that can change for whom flags are on has it. @default it never requires approvals
   */
  readonly proposes?: (input: Input) => Proposal | undefined;
  /** Prefixes of the keys of queries that are refetched afterwards, even if the change failed. */
  readonly invalidates: readonly QueryKey[] | ((input: Input) => readonly QueryKey[]);
  /** Says what has changed. Omit it if the page shows that anyway. */
  readonly success?: (input: Input, result: Result) => string;
  /** Reverts the change. If it is defined, the message has a button "Undo". */
  readonly undo?: (input: Input, result: Result) => Promise<unknown>;
  /** Whether the caller shows errors itself, next to a form. @default false */
  readonly showsErrors?: boolean;
}

/** How a change ended: it was made, or added to a change request. */
type Outcome<Result> = { readonly result: Result } | { readonly added: Added };

/**
 * A change of data: asks first if it has to, requests the change if it requires approvals, reports success or failure to
 * the user, and refetches what it invalidates.
 */
export function useChange<Input = void, Result = unknown>(options: ChangeOptions<Input, Result>) {
  const client = useQueryClient();
  const refresh = async (input: Input): Promise<void> => {
    const { invalidates } = options;
    const keys = typeof invalidates === "function" ? invalidates(input) : invalidates;
    await Promise.all(keys.map((queryKey) => refetch(client, queryKey)));
  };
  const showAdded = useShowAdded();
  const scheduling = useScheduling();
  const requirementOf = (proposal: Proposal | undefined): Requirement | undefined =>
    proposal === undefined ? undefined : readRequirement(client, proposal);

  const mutation = useMutation<Outcome<Result>, Error, Input, ChangeOptions<Input, Result>>({
    mutationFn: async (input) => {
      const proposal = options.proposes?.(input);
      const requirement = requirementOf(proposal);
      if (proposal === undefined || requirement === undefined || proposal.isUrgent === true) {
        return { result: await options.run(input) };
      }
      return { added: await addToDraft(proposal, requirement) };
    },
    // NOTE: Undo restores the state from when the change began. When the response arrives, the page may already show the
    // new state.
    onMutate: () => options,
    onSuccess: (outcome, input, { success, undo, proposes }) => {
      if ("added" in outcome) {
        showAdded(outcome.added);
        return;
      }
      if (success === undefined) return;
      const { result } = outcome;
      // What was made at once cannot be undone without approvals.
      const canUndo = undo !== undefined && requirementOf(proposes?.(input)) === undefined;
      showToast({
        kind: "success",
        text: success(input, result),
        ...(canUndo && {
          action: {
            label: "Undo",
            run: async () => {
              await undo(input, result).catch(showError);
              await refresh(input);
            },
          },
        }),
      });
    },
    onError: (error) => {
      if (options.showsErrors !== true) showError(error);
    },
    onSettled: async (outcome, _error, input) => {
      if (outcome === undefined || "result" in outcome) await refresh(input);
      else await refetch(client, ["change-requests"]);
    },
  });
  const { mutate: send } = mutation;
  const mutate = useStable((...parameters: Parameters<typeof send>) => {
    const { asks, proposes, withChoice, showsErrors = false } = options;
    // It is absent only if its type is `void`.
    const [given, ...callbacks] = parameters;
    const input = given as Input;
    const proposal = proposes?.(input);
    const question = chooseQuestion(client, proposal, {
      question: asks?.(input),
      hasDialog: showsErrors,
    });
    if (question === undefined) {
      send(...parameters);
      return;
    }
    const answered = ({ choice }: Answer): Input =>
      choice === undefined || withChoice === undefined ? input : withChoice(input, choice);
    const scheduled = scheduling(proposal);
    const alternative = scheduled && {
      label: scheduled.label,
      run: (answer: Answer) => scheduling(proposes?.(answered(answer)))?.run(),
    };
    ask({ alternative, ...question }, (answer) => send(answered(answer), ...callbacks));
  });
  return { ...mutation, mutate };
}

/** What is requested is confirmed only if nobody would expect what it does; what is scheduled is mentioned. */
function chooseQuestion(
  client: QueryClient,
  proposal: Proposal | undefined,
  { question, hasDialog }: { question: Question | undefined; hasDialog: boolean },
): Question | undefined {
  if (proposal === undefined) return question;
  const requirement = proposal.isUrgent === true ? undefined : readRequirement(client, proposal);
  if (requirement !== undefined) {
    return question?.isAskedBeforeRequest === true ? toRequest(question, requirement) : undefined;
  }
  const warning = readScheduleWarning(client, proposal);
  // A dialog that the caller shows says it itself: see `useDialogWords()`.
  if (warning === undefined || (question === undefined && hasDialog)) return question;
  if (question === undefined) {
    return { title: "Change it by hand?", consequence: warning, submit: "Change" };
  }
  return { ...question, consequence: `${question.consequence} ${warning}` };
}

function toRequest(question: Question, requirement: Requirement): Question {
  return {
    ...question,
    consequence: `${question.consequence} ${describeRequirement(requirement)}`,
    submit: ADD,
    isDangerous: false,
    alternative: undefined,
  };
}
