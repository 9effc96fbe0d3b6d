import type { QueryClient, QueryKey } from "@tanstack/react-query";

/** Fetches data again that a change concerns. The key is a prefix of the keys of the queries. */
export async function fetchAgain(client: QueryClient, queryKey: QueryKey): Promise<void> {
  // NOTE: `invalidateQueries()` starts a new request only for queries that have data. The first response of the others may
  // have been prepared before the change.
  const loading = client
    .getQueryCache()
    .findAll({ queryKey, fetchStatus: "fetching" })
    .filter(({ state }) => state.data === undefined);
  await client.invalidateQueries({ queryKey });
  if (loading.length === 0) return;
  await client.invalidateQueries({ queryKey, predicate: (query) => loading.includes(query) });
}
