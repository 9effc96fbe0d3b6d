import { Address4, Address6 } from "ip-address";

/** An IP address, possibly with a prefix length of its own (`10.0.0.0/8`). */
export interface Address {
  readonly family: 4 | 6;
  readonly bits: bigint;
  /** 32 or 128 for a plain address. */
  readonly prefixLength: number;
}

/** A range of addresses of one family. */
export interface AddressRange extends Address {
  /** How many low bits do not matter. */
  readonly hostBits: bigint;
  readonly network: bigint;
}

/** Reads dotted IPv4, optionally with `/0` to `/32`; null for anything else. */
export function parseIpv4(text: string): Address | null {
  if (!Address4.isValid(text)) return null;
  const address = new Address4(text);
  return { family: 4, bits: address.bigInt(), prefixLength: address.subnetMask };
}

/** Reads IPv4 or IPv6, optionally with a prefix length; null for anything else. */
export function parseAddress(text: string): Address | null {
  const ipv4 = parseIpv4(text);
  if (ipv4 !== null) return ipv4;
  if (!Address6.isValid(text)) return null;
  const address = new Address6(text);
  return { family: 6, bits: address.bigInt(), prefixLength: address.subnetMask };
}

/** The range that an address with a prefix length stands for. */
export function toRange(address: Address): AddressRange {
  const width = address.family === 4 ? 32 : 128;
  const hostBits = BigInt(width - address.prefixLength);
  return { ...address, hostBits, network: address.bits >> hostBits };
}

/** True when the address, or the whole of its own range, lies in `range`. */
export function isInRange(address: Address, range: AddressRange): boolean {
  return (
    address.family === range.family &&
    address.prefixLength >= range.prefixLength &&
    address.bits >> range.hostBits === range.network
  );
}
