import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SETTINGS } from "./settings.ts";

/** The comments of all options in `options.ts`, each as one line. */
const COMMENTS = [
  ...readFileSync(new URL("options.ts", import.meta.url), "utf8").matchAll(
    /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*readonly \w+\??:/g,
  ),
].map(([, comment = ""]) => comment.replaceAll(/\s*\n\s*\*\s?/g, " ").trim());

const IS_SCALAR = /^(?:number|boolean|string)$/;

test("the comment of each option contains the default of its variable", () => {
  const settings = Object.values(SETTINGS).filter(
    ({ option, variables, default: value }) =>
      option !== undefined && variables.length > 0 && IS_SCALAR.test(typeof value),
  );
  expect(settings.length).toBeGreaterThan(30);
  for (const { option, variables, default: value } of settings) {
    const comment = COMMENTS.find((text) => variables.some((name) => text.includes(`\`${name}\``)));
    expect(comment?.endsWith(`@default ${JSON.stringify(value)}`), option).toBe(true);
  }
});
