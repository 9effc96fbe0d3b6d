import { useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { showToast } from "../ui/toast.tsx";
import { type ContextValues, parseContextSearch } from "./context.ts";

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
      text: "The browser refused. Copy the address of this page instead.",
    });
  }
}
