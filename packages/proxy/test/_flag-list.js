// The content of a page that a server renders: the names of the flags that are on, and the payload of a variant. A server and
// a browser render the same component.

import { FlagProvider, useFlag, useVariant } from "@unleash/proxy-client-react";
import { createElement } from "react";

/** Returns the text of the page, for functions that return whether a flag is on, and the payload of the variant of `title`. */
export function describeFlags(names, isOn, title) {
  return `${names.filter((name) => isOn(name)).join(" ")}; ${title}`;
}

function FlagList({ names }) {
  const on = new Map();
  // oxlint-disable-next-line react/rules-of-hooks -- the names never change
  for (const name of names) on.set(name, useFlag(name));
  const title = useVariant("title").payload?.value ?? "none";
  const text = describeFlags(names, (name) => on.get(name), title);
  globalThis.recordText?.(text);
  return text;
}

/** The content as a React element. */
export function createFlagList({ config, names }) {
  return createElement(FlagProvider, { config }, createElement(FlagList, { names }));
}
