"use client";

import { FlagProvider } from "@unleash/proxy-client-react";

/** Starts with the flags of the page, so that nothing changes while it hydrates. */
export function Provider({ bootstrap: { toggles, context }, children }) {
  // The server only needs a valid URL: it sends nothing.
  const { origin } = globalThis.location ?? { origin: "http://localhost" };
  const config = {
    url: `${origin}/flags/proxy`,
    clientKey: "web-client-key",
    appName: "web",
    bootstrap: toggles,
    context,
    // The first request follows after the refresh interval, not at the start.
    experimental: { togglesStorageTTL: 30 },
  };
  return <FlagProvider config={config}>{children}</FlagProvider>;
}
