/** Changes of one letter that are still taken for a slip. */
const MAX_SLIPS = 3;

/** The candidate that `name` was probably meant to be; undefined when none is close. */
export function findNearest(name: string, candidates: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let best = Math.min(MAX_SLIPS, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = measureDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** Levenshtein distance. */
function measureDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [above, letter] of from.split("").entries()) {
    const next = [above + 1];
    for (const [left, other] of to.split("").entries()) {
      const replaced = (row[left] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[left + 1] ?? 0) + 1, (next[left] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
