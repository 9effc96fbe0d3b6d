// Values of settings that contain a password where it should not be, or that cannot be parsed.

import { ConfigError } from "flags-server-kit";
import { expect } from "vitest";

/** The password in every hostile value, or a part of it. */
const PLANTED = "pl4nted";

/** The user name, the password, and what follows it. */
const FORMS = [
  `user:1234/${PLANTED}@127.0.0.1:1/x`,
  `user:${PLANTED}/${PLANTED}@127.0.0.1:1/x`,
  `user:1?${PLANTED}@127.0.0.1:1/x`,
  `user:1#${PLANTED}@127.0.0.1:1/x`,
  `user:1\\${PLANTED}@127.0.0.1:1/x`,
  `user:${PLANTED}@${PLANTED}@127.0.0.1:1/x`,
  `user:${PLANTED}%@127.0.0.1:1/x`,
  `us%4:1${PLANTED}@127.0.0.1:1/x`,
  `user:${PLANTED} ${PLANTED}@127.0.0.1:1`,
  `user:${PLANTED}\n${PLANTED}@127.0.0.1:1`,
  `user:${PLANTED}@127.0.0.1:99999/x`,
  `user:${PLANTED}@[::1/x`,
  `user:${PLANTED}@`,
  `user:${PLANTED}@127.0.0.1:1/a/path`,
  `user:${PLANTED}@127.0.0.1:1/?query=${PLANTED}`,
  `user:${PLANTED}@127.0.0.1:1`,
  `127.0.0.1:1/x?password=${PLANTED}`,
  `127.0.0.1:1/x#${PLANTED}`,
];

/** Returns hostile values for a setting. For one that is a URL, also without a scheme, since it can be forgotten. */
export function hostileValues(scheme: string, isUrl: boolean): readonly string[] {
  const [first = ""] = FORMS;
  const withScheme = FORMS.map((form) => `${scheme}://${form}`);
  return isUrl ? [...withScheme, `https:${first}`, first] : withScheme;
}

/** Throws if a text contains a part of the password or a stack trace. */
export function checkOutput(text: string): void {
  expect(text).not.toContain(PLANTED);
  expect(text).not.toMatch(/^ +at /m);
}

/**
 * Checks the reaction of a program to a hostile value of a setting: it must accept the value, or reject it with one
 * line that names the variable and contains no password. Returns whether it accepts the value.
 *
 * @param load reads the settings; throws if they are invalid
 */
export async function isAccepted(variable: string, load: () => unknown): Promise<boolean> {
  try {
    await load();
    return true;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    checkOutput(error.message);
    const own = error.problems.filter((problem) => problem.includes(variable));
    expect(own.length).toBeGreaterThan(0);
    for (const problem of own) expect(problem).not.toContain("\n");
    return false;
  }
}
