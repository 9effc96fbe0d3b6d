import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, isUnavailable } from "../api/request.ts";
import { isSignedOut, sessionQuery } from "../session/session.ts";
import { Toasts } from "../ui/toast.tsx";
import { createConsoleRouter } from "./router.tsx";

/** How long data is not read again when a page is opened: changes by others arrive over the stream. */
const FRESH_MS = 10_000;
const MAX_RETRIES = 2;
/** How often what is shown is read again while the service is unavailable. */
const UNAVAILABLE_MS = 5000;

export function App() {
  const [client] = useState(createClient);
  const [router] = useState(() => createConsoleRouter(client));
  return (
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
      <Toasts />
    </QueryClientProvider>
  );
}

function createClient(): QueryClient {
  const { queryKey } = sessionQuery;
  // The page then says that the service is unavailable, or that the session has ended.
  const checkSession = (error: Error): void => {
    if (!isUnavailable(error) && !isSignedOut(error)) return;
    void client.invalidateQueries({ queryKey }, { cancelRefetch: false });
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (query.queryKey[0] !== queryKey[0]) checkSession(error);
      },
    }),
    mutationCache: new MutationCache({ onError: checkSession }),
    // Without a network, requests fail and say so. Otherwise a change would wait unnoticed, and be sent when the
    // network is back, even if its dialog has been cancelled.
    defaultOptions: {
      mutations: { networkMode: "always" },
      queries: {
        networkMode: "always",
        refetchOnReconnect: true,
        staleTime: FRESH_MS,
        refetchInterval: ({ state }) => (isUnavailable(state.error) ? UNAVAILABLE_MS : false),
        retry: (count, error) =>
          count < MAX_RETRIES && !(error instanceof ApiError && error.status < 500),
      },
    },
  });
  return client;
}
