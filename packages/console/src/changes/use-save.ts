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
  /** Removes a new resource. If it is defined, the message that it was created has a button "Undo". */
  readonly remove?: (created: Value) => Promise<unknown>;
  /** Prefixes of the keys of queries that are refetched afterwards. */
  readonly invalidates: readonly QueryKey[];
  /** Says what has been saved. */
  readonly success: string;
  /** What saving is as a part of a change request. @default saving never requires approvals */
  readonly proposal?: Proposal | undefined;
  /** The requested change that is edited instead. @default the resource is saved */
  readonly edited?: EditedChange | undefined;
}

/** A change of a change request whose payload a form edits. */
export interface EditedChange {
  readonly path: string;
  /** What editing it does to the request; undefined if nothing more. */
  readonly consequence: string | undefined;
}

interface Saved<Value> {
  /** What the service has stored; undefined for a requested change. */
  readonly value: Value | undefined;
  readonly etag: string | undefined;
  /** The body that restores the version that was replaced. */
  readonly previous: unknown;
}

/**
 * Creates a resource, or saves it unless somebody else has changed it in the meantime. Undo removes a new resource, and
 * restores the version that was replaced, unless somebody else has changed the resource since then.
 */
export function useSave<Value>(options: SaveOptions<Value>) {
  const {
    path,
    savePath = path,
    version,
    body,
    undoBody,
    remove,
    invalidates,
    success,
    proposal,
    edited,
  } = options;
  const change = useChange<SaveInput, Saved<Value>>({
    run: async ({ overwrites }) => {
      if (edited !== undefined) {
        const { payload } = proposal?.changes[0] ?? {};
        await request(edited.path, { method: "PUT", body: { payload } });
        return { value: undefined, etag: undefined, previous: undefined };
      }
      // What is overwritten has to be known, so that Undo can restore it. If somebody saves between the two requests, that
      // is another conflict.
      const replaced = overwrites ? await requestVersioned<Value>(path) : version;
      const method = replaced === undefined ? "POST" : "PUT";
      const ifMatch = replaced?.etag;
      const saved = await requestVersioned<Value>(savePath, { method, body, ifMatch });
      return { ...saved, previous: replaced && undoBody?.(replaced.value) };
    },
    proposes: () => (edited === undefined ? proposal : undefined),
    invalidates: edited === undefined ? invalidates : [["change-requests"]],
    success: () => (edited === undefined ? success : "Edited the requested change"),
    ...(version !== undefined &&
      edited === undefined &&
      undoBody !== undefined && {
        undo: (_input, { etag, previous }) =>
          request(savePath, { method: "PUT", body: previous, ifMatch: etag }),
      }),
    ...(version === undefined &&
      edited === undefined &&
      remove !== undefined && {
        undo: async (_input, { value }) => {
          if (value !== undefined) await remove(value);
        },
      }),
    showsErrors: true,
  });
  return { ...change, proposal: edited === undefined ? proposal : undefined, edited };
}
