import { queryOptions } from "@tanstack/react-query";
import { adminPath, request } from "./request.ts";
import type { Addon, AddonProvider, SentNotification } from "./types.ts";

interface Addons {
  readonly addons: readonly Addon[];
  readonly providers: readonly AddonProvider[];
}

/** No event says that a message was sent or failed. */
const REFRESH_MS = 30_000;

/** What the console reads of notifications. Only admins can. See `queries` for the keys. */
export const notificationQueries = {
  all: () =>
    queryOptions({
      queryKey: ["addons"],
      queryFn: ({ signal }) => request<Addons>(adminPath`/addons`, { signal }),
      refetchInterval: REFRESH_MS,
    }),

  /** The latest messages of a notification, the newest first. */
  log: (id: number) =>
    queryOptions({
      queryKey: ["notification-log", id],
      queryFn: ({ signal }) =>
        request<{ readonly integrationEvents: readonly SentNotification[] }>(
          `${adminPath`/addons/${String(id)}/events`}?limit=100`,
          { signal },
        ),
      select: ({ integrationEvents }) => integrationEvents,
      refetchInterval: 5000,
    }),
};
