import { isIP } from "node:net";
import { createTextKind, InvalidValue, type Kind } from "./kind.ts";

/** A host name or an IP address. */
export const hostKind: Kind<string> = createTextKind("a host name or an IP address", (text) =>
  isIP(text) !== 0 || /^[\w-]+(?:\.[\w-]+)*$/.test(text) ? text : new InvalidValue(),
);
