/** Returns a function that describes an offset in a text, such as `line 3, column 7`. */
export function createPositionDescriber(text: string): (offset: number) => string {
  let starts: readonly number[] | undefined;
  return (offset) => {
    starts ??= findLineStarts(text);
    const line = countUpTo(starts, offset);
    return `line ${line}, column ${offset - (starts[line - 1] ?? 0) + 1}`;
  };
}

function findLineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) {
    starts.push(end + 1);
  }
  return starts;
}

/** Returns how many of the sorted numbers are at most `limit`. */
function countUpTo(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
