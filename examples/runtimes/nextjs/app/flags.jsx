"use client";

import { useFlag, useFlags } from "@unleash/proxy-client-react";

export function Flags() {
  const names = useFlags().flatMap(({ name, enabled }) => (enabled ? [name] : []));
  return (
    <main>
      <h1>{useFlag("new-header") ? "New header" : "Old header"}</h1>
      <p id="flags">{names.join(" ")}</p>
    </main>
  );
}
