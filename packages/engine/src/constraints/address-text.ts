const BYTE = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;
const IPV4 = String.raw`(?:${BYTE}\.){3}${BYTE}`;
const IPV4_RANGE = new RegExp(String.raw`^${IPV4}(?:/(?:[0-2]?\d|3[0-2]))?$`);
const IPV4_TAIL = new RegExp(`:${IPV4}$`);

/** May be before or after the zone. */
const IPV6_PREFIX = /\/(\d{1,3})(?=%|$)/;
const ZONE = /%[^/\n\r\u2028\u2029]*$/;
const GROUP = /^[\da-f]{1,4}$/i;
const GROUPS = 8;
const MAX_PREFIX = 128;

/** No address is longer, unless the name of its zone is. */
const MAX_LENGTH = 200;

/**
 * Whether a value is an IPv4 or IPv6 address or range, perhaps with spaces around it. No address matches any other value.
 *
 * NOTE: accepts what `parseAddress()` parses. That library takes long to reject a text, and is too large for the console,
 * which bundles this file.
 */
export function isAddressOrRange(value: string): boolean {
  const text = value.trim();
  if (text.length > MAX_LENGTH) return false;
  return text.includes(":") ? isIpv6(text) : IPV4_RANGE.test(text);
}

function isIpv6(text: string): boolean {
  const [, length = "0"] = IPV6_PREFIX.exec(text) ?? [];
  if (Number(length) > MAX_PREFIX) return false;
  const address = text.replace(IPV6_PREFIX, "").replace(ZONE, "").replace(IPV4_TAIL, ":0:0");
  const [start = "", end, ...more] = address.split("::");
  if (more.length > 0) return false;
  const groups = [...groupsOf(start), ...groupsOf(end ?? "")];
  if (!groups.every((group) => GROUP.test(group))) return false;
  return end === undefined ? groups.length === GROUPS : groups.length < GROUPS;
}

function groupsOf(part: string): readonly string[] {
  return part === "" ? [] : part.split(":");
}
