import type { FastifyReply, FastifyRequest } from "fastify";
import { actorOf } from "../access/request-identity.ts";
import { ApprovalsMissingError } from "../storage/require-approvals.ts";
import type { Storage, WriteTransaction } from "../storage/storage.ts";
import { changeState } from "./change-state.ts";
import { addChanges, rename } from "./edit-request.ts";
import { toParticipant } from "./participant.ts";
import { getRequest, toRequestView } from "./store.ts";

interface Import<Result> {
  readonly work: (transaction: WriteTransaction) => Promise<Result>;
  /** The file that the request would import. Called after the work. */
  readonly payload: () => unknown;
}

/**
 * Imports a file. If that changes flags where changes require approvals, sends a request for it to review instead, and
 * answers with 202 and the request.
 */
export async function importOrRequest<Result>(
  storage: Storage,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { work, payload }: Import<Result>,
) {
  try {
    return await storage.write(actorOf(request), work);
  } catch (error) {
    if (!(error instanceof ApprovalsMissingError)) throw error;
    const { place } = error;
    const created = await storage.write(actorOf(request), async (transaction) => {
      const participant = await toParticipant(transaction, request);
      const draft = await addChanges(
        transaction,
        place,
        [{ action: "importProject", feature: null, payload: payload() }],
        {
          participant,
          joinsDraft: false,
          pathOf: () => "/body",
        },
      );
      await rename(transaction, draft, { title: "Import of flags", participant });
      const body = { state: "In review" } as const;
      await changeState(transaction, draft, { participant, body });
      return getRequest(transaction.db, draft.project, draft.id);
    });
    return reply
      .code(202)
      .header("location", `projects/${created.project}/change-requests/${created.id}`)
      .send(toRequestView(created));
  }
}
