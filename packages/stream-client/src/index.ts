export { PushFeed } from "./push-feed.ts";
export type {
  EventSourceConstructor,
  EventSourceLike,
  FedClient,
  Fetch,
  PushFeedOptions,
  ToggleEvent,
} from "./push-feed.ts";
