import { useEffect } from "react";

interface PagedQuery {
  readonly data: { readonly pages: readonly unknown[] } | undefined;
  readonly hasNextPage: boolean;
  readonly isFetching: boolean;
  readonly isError: boolean;
  readonly fetchNextPage: () => Promise<unknown>;
}

/** More would need a request each before the list is complete. */
const MAX_RESTORED_PAGES = 20;

/**
 * Loads as many pages of a list as the address says, one after the other.
 *
 * @param pages how many; anything but a number is one
 * @returns how many have been loaded
 */
export function useRestoredPages(
  { data, hasNextPage, isFetching, isError, fetchNextPage }: PagedQuery,
  pages: string,
): number {
  const loadedCount = data?.pages.length ?? 0;
  const wantedCount = Math.min(Number.parseInt(pages, 10) || 1, MAX_RESTORED_PAGES);
  const loadsNext = hasNextPage && loadedCount < wantedCount && !isFetching && !isError;
  useEffect(() => {
    if (loadsNext) void fetchNextPage();
  }, [loadsNext, fetchNextPage]);
  return loadedCount;
}
