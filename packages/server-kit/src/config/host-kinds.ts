import { isIP } from "node:net";
import {
  createListKind,
  createTextKind,
  InvalidValue,
  type ListKind,
  type SettingKind,
} from "./setting-kinds.ts";

/** A host name or an IP address. */
export const hostKind: SettingKind<string> = createTextKind(
  "a host name or an IP address",
  (text) => (isIP(text) !== 0 || /^[\w-]+(?:\.[\w-]+)*$/.test(text) ? text : new InvalidValue()),
);

/** Any number of host names and IP addresses. */
export const hostsKind: ListKind = createListKind({
  of: "host names and IP addresses, without ports",
  parseEntry: (text) => {
    const host = hostKind.parse(text);
    return host instanceof InvalidValue
      ? new InvalidValue("is neither a host name nor an IP address: omit the scheme and the port")
      : host;
  },
});
