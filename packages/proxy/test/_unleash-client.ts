import type { Unleash } from "unleash-client";

/**
 * Ends a client. Its repository then has no listeners, so without this one the failure of a poll that is in progress
 * would be an unhandled error, in whatever test runs by then.
 */
export function destroyUnleash(client: Unleash): void {
  client.destroy();
  client["repository"].on("error", () => {});
}
