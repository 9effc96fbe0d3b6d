import { listSearch } from "../ui/list-search.ts";
import { FLAG_FIELDS, type FlagFilter } from "./filter-flags.ts";

const opened = new Map<string, FlagFilter>();

/** Remembers what the list of a project shows until the page is loaded again, so that links lead back to it. */
export function rememberFilter(project: string, filter: FlagFilter): void {
  opened.set(project, filter);
}

/** Returns the parameters of the address of the list of a project, as it was last shown. */
export function openedFilter(project: string): Partial<FlagFilter> {
  return listSearch(FLAG_FIELDS)(opened.get(project) ?? {});
}
