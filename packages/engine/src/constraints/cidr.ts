import { isInRange, parseAddress, toRange } from "./ip-address.ts";
import type { Address, AddressRange } from "./ip-address.ts";
import { listOperator } from "./operator.ts";
import type { Operator } from "./operator.ts";

/** IN_CIDR: the field is an address in one of the ranges. IPv4 and IPv6 never match each other. */
export const isInCidr: Operator = listOperator(({ contextName, values }, fields) => {
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

/** Whether IN_CIDR can match a value: an address or range, perhaps with spaces around it. */
export function isAddressOrRange(value: string): boolean {
  return parseAddress(value.trim()) !== null;
}

/** The base address of a range always matches, regardless of the two prefix lengths. */
function covers(range: AddressRange, address: Address): boolean {
  if (address.family === range.family && address.bits === range.bits) return true;
  return isInRange(address, range);
}
