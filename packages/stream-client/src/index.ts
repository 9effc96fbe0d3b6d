export { PushFeed } from "./push-feed.ts";
export type { FedClient, Fetch, PushFeedOptions } from "./push-feed.ts";
export type { EventSourceConstructor, EventSourceLike, ToggleEvent } from "./event-source.ts";
