import { createTextKind, InvalidValue, type Kind } from "./kind.ts";
import { createListKind } from "./list.ts";

/** What every client can send and every server reads alike: other bytes have no agreed meaning. */
const HEADER_VALUE = /^[\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?$/;

/** Text that can be sent as the value of a header. */
export const headerValueKind: Kind<string> = createTextKind(
  "printable ASCII characters, as it is sent in an HTTP header",
  (text) => (HEADER_VALUE.test(text) ? text : new InvalidValue()),
);

const keyRules = {
  of: "keys of printable ASCII characters",
  secret: true,
  parseEntry: (text: string) =>
    HEADER_VALUE.test(text)
      ? text
      : new InvalidValue("has a character that cannot be sent in a header"),
};

/** Keys that come in a header. */
export const keysKind: Kind<readonly string[]> = createListKind({ ...keyRules, atLeastOne: true });

/** The same where there may be none. */
export const tokensKind: Kind<readonly string[]> = createListKind(keyRules);
