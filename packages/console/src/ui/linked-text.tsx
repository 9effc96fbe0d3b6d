import { findLinks } from "./find-links.ts";

/** A text that somebody has typed. The web addresses in it are links. */
export function LinkedText({ text }: { readonly text: string }) {
  return findLinks(text).map(({ text: part, href }, index) =>
    href === undefined ? (
      part
    ) : (
      // Nothing but the position identifies a part.
      // oxlint-disable-next-line react/no-array-index-key -- the parts have no other key
      <a key={index} href={href} target="_blank" rel="noopener noreferrer">
        {part}
      </a>
    ),
  );
}
