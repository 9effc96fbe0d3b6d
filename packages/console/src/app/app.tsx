import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../api/request.ts";
import { sessionQuery } from "../session/session.ts";
import { Toasts } from "../ui/toast.tsx";
import { createConsoleRouter } from "./router.tsx";

/** How long data is not read again when a page is opened: changes by others arrive over the stream. */
const FRESH_MS = 10_000;
const MAX_RETRIES = 2;

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
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        // The session has ended: the pages then lead to the sign-in.
        if (error instanceof ApiError && error.status === 401) {
          client.setQueryData(sessionQuery.queryKey, null);
        }
      },
    }),
    // Without a network, requests fail and say so. Otherwise a change would wait unnoticed, and be sent when the
    // network is back, even if its dialog has been cancelled.
    defaultOptions: {
      mutations: { networkMode: "always" },
      queries: {
        networkMode: "always",
        refetchOnReconnect: true,
        staleTime: FRESH_MS,
        retry: (count, error) =>
          count < MAX_RETRIES && !(error instanceof ApiError && error.status < 500),
      },
    },
  });
  return client;
}
