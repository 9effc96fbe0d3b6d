import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { askSecret } from "./ask-secret.ts";

/** Types keys at a terminal. Returns the answer, or the message of the error, and what the terminal shows. */
async function type(keys: string): Promise<readonly [answer: string, shown: string]> {
  const input = new PassThrough();
  const output = new PassThrough();
  const answer = askSecret({ input, output }).catch((error: Error) => error.message);
  input.write(keys);
  const result = await answer;
  output.end();
  return [result, await text(output)];
}

test.each([
  ["a pear\ra pear\r", "a pear"],
  ["a peas\u007Fr\ra pear\r", "a pear"],
  ["a pear\ran apple\r", "The two passwords differ"],
  ["a pear\r\u0003", "Cancelled"],
  ["\u0004", "Cancelled"],
])("askSecret() of %j returns %j, and shows nothing of it", async (keys, expected) => {
  const [answer, shown] = await type(keys);
  expect(answer).toBe(expected);
  expect(shown).toMatch(/^Password: \n(?:The same again: \n)?$/);
});
