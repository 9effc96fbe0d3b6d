import type { QueryKey } from "@tanstack/react-query";
import { request, requestVersioned, type Versioned } from "../api/request.ts";
import type { Proposal } from "./proposal.ts";
import { useChange } from "./use-change.ts";

export interface SaveInput {
  /** Whether to overwrite what others have saved since the edited version was read. */
  readonly overwrites: boolean;
}

interface SaveOptions<Value> {
  /** The path of the resource, or of the list to which a new one is added. */
  readonly path: string;
  /** The path of the request that saves an existing resource. @default `path` */
  readonly savePath?: string;
  /** The version that is edited; undefined for a new resource. */
  readonly version: Versioned<Value> | undefined;
  readonly body: unknown;
  /** Returns the body that restores a version. If it is defined, the message has a button "Undo". */
  readonly undoBody?: (replaced: Value) => unknown;
  /** Prefixes of the keys of queries that are refetched afterwards. */
  readonly invalidates: readonly QueryKey[];
  /** Says what has been saved. */
  readonly success: string;
  /** What saving is as a part of a change request. @default saving never requires approvals */
  readonly proposal?: Proposal | undefined;
}

interface Saved {
  readonly etag: string | undefined;
  /** The body that restores the version that was replaced. */
  readonly previous: unknown;
}

/**
 * Creates a resource, or saves it unless somebody else has changed it in the meantime. Undo restores the version that
 * was replaced, unless somebody else has changed the resource since then.
 */
export function useSave<Value>(options: SaveOptions<Value>) {
  const {
    path,
    savePath = path,
    version,
    body,
    undoBody,
    invalidates,
    success,
    proposal,
  } = options;
  const change = useChange<SaveInput, Saved>({
    run: async ({ overwrites }) => {
      // What is overwritten has to be known, so that Undo can restore it. If somebody saves between the two requests, that
      // is another conflict.
      const replaced = overwrites ? await requestVersioned<Value>(path) : version;
      const method = replaced === undefined ? "POST" : "PUT";
      const { etag } = await requestVersioned(savePath, { method, body, ifMatch: replaced?.etag });
      return { etag, previous: replaced && undoBody?.(replaced.value) };
    },
    proposes: () => proposal,
    invalidates,
    success: () => success,
    ...(version !== undefined &&
      undoBody !== undefined && {
        undo: (_input, { etag, previous }) =>
          request(savePath, { method: "PUT", body: previous, ifMatch: etag }),
      }),
    showsErrors: true,
  });
  return { ...change, proposal };
}
