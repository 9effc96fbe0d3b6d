import type { Performer } from "../access/performer.ts";
import { ApiError } from "../errors.ts";
import type { Place } from "../storage/protected-places.ts";
import { collectEvents } from "../storage/collect-events.ts";
import { toJson } from "../storage/database.ts";
import type { WriteTransaction } from "../storage/storage.ts";
import { performChange, type RequestedChange } from "./actions.ts";
import { type Conflict, type Expectation, findConflicts } from "./expectation.ts";

/** A change to make, with what it is expected to do. */
export interface ExpectedChange extends RequestedChange {
  readonly id: number;
  /** Undefined while it is being requested. */
  readonly expected: Expectation | undefined;
}

/** What a change has done. */
export interface Outcome {
  readonly id: number;
  /** As they would be stored. */
  readonly events: Expectation;
  readonly conflicts: readonly Conflict[];
}

/**
 * Makes changes, in order, and returns their events instead of recording them.
 *
 * @param pathOf the path of a change in the request, for errors
 * @throws {ApiError} if one of them cannot be made
 */
export async function makeChanges(
  transaction: WriteTransaction,
  place: Place,
  changes: readonly ExpectedChange[],
  { performer, pathOf }: { readonly performer: Performer; readonly pathOf: (id: number) => string },
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const change of changes) {
    const { transaction: collecting, events } = collectEvents(transaction);
    // oxlint-disable-next-line no-await-in-loop -- a change may depend on the previous one
    await withPath(pathOf(change.id), () => performChange(collecting, place, change, performer));
    outcomes.push({
      id: change.id,
      events: toJson(events) as Expectation,
      conflicts: change.expected === undefined ? [] : findConflicts(change.expected, events),
    });
  }
  return outcomes;
}

/** Replaces the paths of errors, which begin with the name of a part of a request of the route of its own. */
async function withPath(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const move = (text: string) =>
      text.replaceAll(/\/(?:body|patched)(?=[/ ]|$)/g, `${path}/payload`);
    throw new ApiError(error.name, move(error.message), {
      details: error.details.map((detail) => ({
        ...detail,
        message: move(detail.message),
        path: detail.path === undefined ? path : move(detail.path),
      })),
      cause: error,
    });
  }
}
