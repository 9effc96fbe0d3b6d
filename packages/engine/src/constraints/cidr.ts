import { isInRange, parseAddress, toRange } from "./ip-address.ts";
import type { Address, AddressRange } from "./ip-address.ts";
import type { ListOperator } from "./operator.ts";

/** IN_CIDR: the field is an address within one of the ranges; IPv4 and IPv6 never mix. */
export const isInCidr: ListOperator = ({ contextName, values }, fields) => {
  const ranges = values
    .map(parseAddress)
    .filter((address) => address !== null)
    .map(toRange);
  if (ranges.length === 0) return false;
  const slot = fields.derived("address", contextName, (text) =>
    text === null ? null : parseAddress(text),
  );
  return (request) => {
    const address = request.read(slot);
    return address !== null && ranges.some((range) => covers(range, address));
  };
};

/** The base address of a range always matches, whatever prefix lengths the two sides carry. */
function covers(range: AddressRange, address: Address): boolean {
  if (address.family === range.family && address.bits === range.bits) return true;
  return isInRange(address, range);
}
