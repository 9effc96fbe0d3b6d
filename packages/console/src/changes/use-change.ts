import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { showToast } from "../ui/toast.tsx";
import { describeError } from "../ui/describe-error.ts";
import { ask, type Question } from "./confirmations.tsx";
import { refetch } from "./refetch.ts";

interface ChangeOptions<Input, Result> {
  /** Sends the change to the service. */
  readonly run: (input: Input) => Promise<Result>;
  /** What people have to confirm first; undefined if nothing. @default nothing */
  readonly asks?: (input: Input) => Question | undefined;
  /** Prefixes of the keys of queries that are refetched afterwards, even if the change failed. */
  readonly invalidates: readonly QueryKey[] | ((input: Input) => readonly QueryKey[]);
  /** Says what has changed. Omit it if the page shows that anyway. */
  readonly success?: (input: Input, result: Result) => string;
  /** Reverts the change. If it is defined, the message has a button "Undo". */
  readonly undo?: (input: Input, result: Result) => Promise<unknown>;
  /** Whether the caller shows errors itself, next to a form. @default false */
  readonly showsErrors?: boolean;
}

/** A change of data: asks first if it has to, reports success or failure to the user, and refetches what it invalidates. */
export function useChange<Input = void, Result = unknown>(options: ChangeOptions<Input, Result>) {
  const client = useQueryClient();
  const refresh = async (input: Input): Promise<void> => {
    const { invalidates } = options;
    const keys = typeof invalidates === "function" ? invalidates(input) : invalidates;
    await Promise.all(keys.map((queryKey) => refetch(client, queryKey)));
  };
  const mutation = useMutation<Result, Error, Input, ChangeOptions<Input, Result>>({
    mutationFn: options.run,
    // NOTE: Undo restores the state from when the change began. When the response arrives, the page may already show the
    // new state.
    onMutate: () => options,
    onSuccess: (result, input, { success, undo }) => {
      if (success === undefined) return;
      showToast({
        kind: "success",
        text: success(input, result),
        ...(undo !== undefined && {
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
    onSettled: (_result, _error, input) => refresh(input),
  });
  const { mutate: send } = mutation;
  const { asks } = options;
  const mutate = useCallback<typeof send>(
    (...parameters) => {
      // It is absent only if its type is `void`.
      const question = asks?.(parameters[0] as Input);
      if (question === undefined) send(...parameters);
      else ask(question, () => send(...parameters));
    },
    [asks, send],
  );
  return { ...mutation, mutate };
}

function showError(error: unknown): void {
  showToast({ kind: "error", text: describeError(error) });
}
