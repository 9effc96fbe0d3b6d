import { QueryObserver, useQueryClient } from "@tanstack/react-query";
import { changeRequestQueries } from "../api/change-request-queries.ts";
import { describeError } from "../ui/describe-error.ts";
import { showToast } from "../ui/toast.tsx";
import { type Added, addToDraft, type Proposal, removeFromDraft } from "./proposal.ts";
import { refetch } from "./refetch.ts";

/**
 * Returns a function that says that changes were added to a draft, and offers to remove them. The message disappears when the
 * request is no longer a draft: nothing can be removed from it then.
 */
export function useShowAdded(): (added: Added) => void {
  const client = useQueryClient();
  return (added) => {
    const { id, project, environment } = added.request;
    const shownAt = Date.now();
    const open = new QueryObserver(client, changeRequestQueries.open(project));
    const unsubscribe = open.subscribe(({ data, dataUpdatedAt }) => {
      if (data === undefined || dataUpdatedAt <= shownAt) return;
      if (!data.some((request) => request.id === id && request.state === "Draft")) close();
    });
    const close = showToast(
      {
        kind: "success",
        text: `Added to your change request for ${environment}`,
        action: {
          label: "Undo",
          run: async () => {
            await removeFromDraft(added).catch(showError);
            await refetch(client, ["change-requests"]);
          },
        },
      },
      unsubscribe,
    );
  };
}

/** Returns the button that adds a change to a draft, to schedule it, although it requires no approval. */
export function useScheduling() {
  const client = useQueryClient();
  const showAdded = useShowAdded();
  return (proposal: Proposal | undefined, onDone?: () => void) => {
    const [place] = proposal?.places ?? [];
    if (proposal === undefined || place === undefined) return undefined;
    const add = async (): Promise<void> => {
      try {
        showAdded(
          await addToDraft(proposal, { ...place, project: proposal.project ?? place.project }),
        );
        onDone?.();
      } catch (error) {
        showError(error);
      }
      await refetch(client, ["change-requests"]);
    };
    return { label: "Schedule instead", run: () => void add() };
  };
}

export function showError(error: unknown): void {
  showToast({ kind: "error", text: describeError(error) });
}
