/** Returns the anchor that GitHub creates for a heading. The site uses the same. */
export function toAnchor(title) {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}
