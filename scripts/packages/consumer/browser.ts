// Uses flags-stream-client like a page in a browser, with the official client.

import { PushFeed } from "flags-stream-client";
import { UnleashClient } from "unleash-proxy-client";

const feed = new PushFeed();
export const client = new UnleashClient({
  url: "https://flags.shop.test/proxy",
  clientKey: "key-of-the-web-app",
  appName: "web",
  fetch: feed.fetch,
});
feed.feed(client);
