/** Throws unless the output has the documented form: without spaces, and with any text in the place of each `…`. */
export function compareOutput(output, documented, place) {
  const actual = output.replaceAll(/\s+/g, "");
  const parts = documented.replaceAll(/\s+/g, "").split("…");
  let position = 0;
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const found = isLast ? lastPosition(actual, part) : actual.indexOf(part, position);
    if (found < position || (index === 0 && found !== 0)) {
      throw new Error(`${place}: the output does not contain ${part}\n${output}`);
    }
    position = found + part.length;
  }
  if (position !== actual.length && parts.at(-1) !== "") {
    throw new Error(`${place}: the output continues after the documented one\n${output}`);
  }
}

function lastPosition(text, end) {
  return text.endsWith(end) ? text.length - end.length : -1;
}
