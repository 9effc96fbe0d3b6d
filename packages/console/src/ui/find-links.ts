/** A part of a text: as it is, or an address that a link can open. */
export interface TextPart {
  readonly text: string;
  /** The address; undefined for other text. */
  readonly href?: string;
}

const ADDRESS = /\bhttps?:\/\/[^\s<>"]+/gi;

/** Splits a text at the web addresses that it contains. */
export function findLinks(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = withoutPunctuation(found);
    if (!isSafe(address)) continue;
    if (index > end) parts.push({ text: text.slice(end, index) });
    parts.push({ text: address, href: address });
    end = index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** What ends a sentence around an address does not belong to it; a bracket does if the address contains the opening one. */
function withoutPunctuation(address: string): string {
  const ending = address.includes("(") ? ".,;:!?'*_~]" : ".,;:!?'*_~])";
  let end = address.length;
  while (end > 0 && ending.includes(address.charAt(end - 1))) end -= 1;
  return address.slice(0, end);
}

/** NOTE: what is before an @ can look like the host of another address, so such links are not clickable. */
function isSafe(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  return /^https?:$/.test(protocol) && username === "" && password === "";
}
