export { PushFeed } from "./push-feed.ts";
export type {
  EventSourceConstructor,
  EventSourceLike,
  OfficialClient,
  Fetch,
  PushFeedOptions,
  ToggleEvent,
} from "./push-feed.ts";
