import { Address6 } from "ip-address";

/** NOTE: the class takes long to reject long texts. */
const IPV6 = /^(?=.{2,45}$)[\da-f.]*:[\da-f:.]+$/i;

/**
 * Returns an IP address in the form that all texts of the same address share: IPv6 as RFC 5952 recommends, and an
 * IPv4-mapped address such as `::ffff:10.0.0.1` as IPv4. Any other text stays the same.
 */
export function canonicalAddress(text: string): string {
  if (!IPV6.test(text) || !Address6.isValid(text)) return text;
  const address = new Address6(text);
  return address.isMapped4() ? address.to4().correctForm() : address.correctForm();
}
