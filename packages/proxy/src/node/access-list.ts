import { BlockList, isIP } from "node:net";
import { NAMED_RANGES } from "flags-server-kit/command-line";
import type { ProxyConfig } from "../config/config.ts";
import type { ProxyRequest } from "../core/http/request.ts";
import { createCallerAddress } from "./caller-address.ts";

/** Addresses, CIDR ranges and names of ranges. */
type Ranges = readonly string[];

interface AccessLists {
  readonly allowList: Ranges | undefined;
  readonly denyList: Ranges;
}

export type AllowRequest = (request: ProxyRequest) => boolean;

export function createAllowRequest({ network, trustProxy }: ProxyConfig): AllowRequest | undefined {
  const isAllowed = createAccessCheck(network);
  if (isAllowed === undefined) return undefined;
  const callerAddress = createCallerAddress(trustProxy);
  return (request) => isAllowed(callerAddress(request));
}

/**
 * Creates a check of addresses against lists; undefined if there are none. The deny list takes precedence. An
 * unknown address is never allowed, because it may be a denied one.
 */
export function createAccessCheck({
  allowList,
  denyList,
}: AccessLists): ((address: string | undefined) => boolean) | undefined {
  if (allowList === undefined && denyList.length === 0) return undefined;
  const isAllowed = allowList === undefined ? () => true : createMatcher(allowList);
  const isDenied = createMatcher(denyList);
  return (address) => {
    // A link-local address ends with the name of its network interface.
    const [plain = ""] = address?.split("%", 1) ?? [];
    return isIP(plain) !== 0 && isAllowed(plain) && !isDenied(plain);
  };
}

function createMatcher(ranges: Ranges): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges.flatMap((entry) => NAMED_RANGES[entry] ?? [entry])) {
    const [address = "", prefix] = range.split("/");
    const family = familyOf(address);
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) => list.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}
