import type { Steps } from "../steps.ts";
import { DocumentError } from "./json.ts";

/** Flag documents have about ten levels. Recursive functions must not overflow the stack. */
const MAX_DEPTH = 100;

const CHARACTERS_PER_STEP = 200_000;

/**
 * Limits the lists and objects in JSON text in linear time, before it is parsed: each costs memory and time to parse.
 * Pauses within long texts.
 *
 * @param maxCount how many there may be; default any number
 * @throws {DocumentError} if there are more, or if they are nested more than 100 levels deep
 */
export function* checkNesting(text: string, maxCount: number = Infinity): Steps<void> {
  let depth = 0;
  let count = 0;
  let pauseAt = CHARACTERS_PER_STEP;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if ((code | BRACE) === OPENING) {
      depth += 1;
      count += 1;
    } else if ((code | BRACE) === CLOSING) depth -= 1;
    if (depth > MAX_DEPTH) {
      throw new DocumentError(`Lists and objects are nested more than ${MAX_DEPTH} levels deep`);
    }
    if (count > maxCount)
      throw new DocumentError(`There are more than ${maxCount} lists and objects`);
    if (at < pauseAt) continue;
    pauseAt = at + CHARACTERS_PER_STEP;
    yield;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** The only bit in which the codes of brackets and braces differ. */
const BRACE = 0x20;

/** Returns the position of the quote that closes the string opened at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  }
  return at;
}
