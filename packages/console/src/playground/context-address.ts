import { useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { showToast } from "../ui/toast.tsx";
import type { ContextValues } from "../api/request-context.ts";

/** URL parameters that contain a context, so that a link shows the same result to everybody. */
export interface ContextSearch {
  readonly context?: ContextValues;
  /** Names of environments. */
  readonly in?: readonly string[];
}

/** Reads URL parameters. A URL can contain anything, so values that are not strings are ignored. */
export function parseContextSearch(search: Readonly<Record<string, unknown>>): ContextSearch {
  const { context, in: environments } = search;
  const values =
    typeof context === "object" && context !== null && !Array.isArray(context)
      ? Object.entries(context).filter((entry): entry is [string, string] => isText(entry[1]))
      : [];
  const names = Array.isArray(environments) ? environments.filter(isText) : [];
  return {
    ...(values.length > 0 && { context: Object.fromEntries(values) }),
    ...(names.length > 0 && { in: names }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

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
