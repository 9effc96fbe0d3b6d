import type { Query, QueryClient, QueryKey } from "@tanstack/react-query";

/** Refetches the data that a change affects. The key is a prefix of the keys of the queries. */
export async function refetch(client: QueryClient, queryKey: QueryKey): Promise<void> {
  // NOTE: `invalidateQueries()` does not request a query again whose first request is still running. The response may have
  // been prepared before the change.
  const loading = client
    .getQueryCache()
    .findAll({ queryKey, fetchStatus: "fetching" })
    .filter(({ state }) => state.data === undefined);
  await client.invalidateQueries({ queryKey });
  if (loading.length === 0) return;
  // NOTE: a request that is running by now was started after the first response, so after the change.
  const hasLoaded = (query: Query): boolean =>
    loading.includes(query) && query.state.data !== undefined;
  await client.invalidateQueries({ queryKey, predicate: hasLoaded }, { cancelRefetch: false });
}
