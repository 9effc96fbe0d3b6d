import { useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { showToast } from "../ui/toast.tsx";
import type { ContextValues } from "../api/request-context.ts";
import { type ContextSearch, parseContextSearch } from "./context.ts";

const NONE: ContextValues = {};

/** The context and the environments in the address of the page, so that its link shows the same result. */
export function useContextAddress(environments: readonly string[]) {
  const search = useSearch({ strict: false });
  const { context = NONE, in: chosen = [] } = useMemo(() => parseContextSearch(search), [search]);
  const known = environments.filter((name) => chosen.includes(name));
  return { context, selected: known.length === 0 ? environments : known };
}

/** Copies the address of the page. */
export async function copyAddress(): Promise<void> {
  try {
    await navigator.clipboard.writeText(location.href);
    showToast({ kind: "success", text: "Copied the link" });
  } catch {
    // Only pages with https may use the clipboard.
    showToast({
      kind: "error",
      text: "The browser does not allow it. Copy the address of this page instead.",
    });
  }
}

/** Parameters of the address of the playground. Nothing is evaluated before there is a context. */
interface PlaygroundSearch extends ContextSearch {
  /** Ids of projects. @default all */
  readonly projects?: readonly string[];
  /** Whether to evaluate, even without any value in the context. */
  readonly run?: boolean;
}

/** Reads URL parameters. Values of the wrong type are ignored. */
export function parsePlaygroundSearch(search: Readonly<Record<string, unknown>>): PlaygroundSearch {
  const { projects, run } = search;
  const ids = Array.isArray(projects)
    ? projects.filter((id): id is string => typeof id === "string")
    : [];
  const parsed = parseContextSearch(search);
  return {
    ...parsed,
    ...(ids.length > 0 && { projects: ids }),
    ...((run === true || parsed.context !== undefined) && { run: true }),
  };
}
