"use client";

import { FlagProvider } from "@unleash/nextjs/client";

/** Starts with the flags of the server, so that the page does not change while it loads. */
export function Provider({ context, toggles, children }) {
  return <FlagProvider config={{ context, bootstrap: toggles }}>{children}</FlagProvider>;
}
