"use client";

import { useFlag, useVariant } from "@unleash/nextjs/client";

export function Flags() {
  const isNew = useFlag("new-header");
  const colour = useVariant("button-colour").name;
  return <p id="app">{`new-header: ${isNew}, button-colour: ${colour}`}</p>;
}
