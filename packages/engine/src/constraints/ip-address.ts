import { Address4, Address6 } from "ip-address";
import { listOperator } from "./operator.ts";
import type { Operator } from "./operator.ts";

/** An IP address, optionally with a prefix length (`10.0.0.0/8`). */
export interface Address {
  readonly family: 4 | 6;
  readonly bits: bigint;
  /** In bits. 32 or 128 for an address without a prefix length. */
  readonly prefixLength: number;
}

interface AddressRange extends Address {
  readonly hostBits: bigint;
  /** The high bits that all addresses of the range share. */
  readonly network: bigint;
}

/** Parses dotted IPv4 or IPv6, optionally with a prefix length. Returns null for anything else. */
export function parseAddress(text: string): Address | null {
  try {
    const isIpv6 = text.includes(":");
    const address = isIpv6 ? new Address6(text) : new Address4(text);
    return {
      family: isIpv6 ? 6 : 4,
      bits: address.bigInt(),
      prefixLength: address.subnetMask,
    };
  } catch {
    return null;
  }
}

/** The high bits of all IPv4-mapped addresses, `::ffff:0:0/96`. */
const MAPPED = 0xffffn;

/** Returns the IPv4 address that an IPv4-mapped IPv6 address such as `::ffff:10.0.0.1` contains; null for any other. */
export function toMappedIpv4({ family, bits, prefixLength }: Address): Address | null {
  if (family === 4 || prefixLength < 96 || bits >> 32n !== MAPPED) return null;
  return { family: 4, bits: BigInt.asUintN(32, bits), prefixLength: prefixLength - 96 };
}

export function toRange(address: Address): AddressRange {
  const width = address.family === 4 ? 32 : 128;
  const hostBits = BigInt(width - address.prefixLength);
  return { ...address, hostBits, network: address.bits >> hostBits };
}

/** Returns whether `range` contains the address, or its whole range if it has a prefix length. */
export function isInRange(address: Address, range: AddressRange): boolean {
  return (
    address.family === range.family &&
    address.prefixLength >= range.prefixLength &&
    address.bits >> range.hostBits === range.network
  );
}

/** IN_CIDR: the field is an address in one of the ranges. IPv4 and IPv6 never match each other. */
export const inCidr: Operator = listOperator(({ contextName, values }, fields) => {
  const ranges = values
    .map(parseAddress)
    .filter((address) => address !== null)
    .map(toRange);
  if (ranges.length === 0) return false;
  const slot = fields.derived("address", fields.text(contextName), (text) =>
    text === null ? null : parseAddress(text),
  );
  return (request) => {
    const address = request.read(slot);
    return address !== null && ranges.some((range) => covers(range, address));
  };
});

/** The base address of a range always matches, regardless of the two prefix lengths. */
function covers(range: AddressRange, address: Address): boolean {
  if (address.family === range.family && address.bits === range.bits) return true;
  return isInRange(address, range);
}
