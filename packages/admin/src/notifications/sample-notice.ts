import type { EventView } from "../domain/events/find-events.ts";
import type { Notice } from "./providers/provider.ts";
import { toPageUrl } from "../accounts/page-url.ts";

/** Returns what a test sends. It is about no event, and says so. */
export function sampleNotice(publicUrl: string | undefined, author = "flags"): Notice {
  const event: EventView = {
    id: 0,
    type: "test",
    createdBy: author,
    createdByUserId: -1337,
    createdAt: new Date(),
    project: null,
    featureName: null,
    environment: null,
    preData: null,
    data: null,
    tags: [],
  };
  return {
    event,
    text: `${author} sent a test of this notification`,
    link: publicUrl === undefined ? undefined : toPageUrl(publicUrl, "/notifications"),
  };
}
