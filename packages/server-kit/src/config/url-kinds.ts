import { createTextKind, InvalidValue, type Kind } from "./kind.ts";
import { showAddress } from "./show-text.ts";

/** An http or https address without a user name or password, so that it contains no secret. */
export const urlKind: Kind<string> = createTextKind(
  "a URL that starts with http:// or https:// and contains no user name, password or #",
  (text) => {
    const url = toHttpUrl(text);
    if (url === undefined || url.hash !== "") return reject(text);
    return url.username === "" && url.password === "" ? text : reject(text);
  },
);

/** Like `urlKind`, for an address to which paths are appended. */
export const baseUrlKind: Kind<string> = createTextKind(
  "a URL that starts with http:// or https:// and contains no user name, password, ? or #",
  (text) => {
    const address = urlKind.fromText(text);
    return address instanceof InvalidValue || /[?#]/.test(address) ? reject(text) : address;
  },
);

/** Returns undefined unless the text is an absolute http or https address without white space. */
export function toHttpUrl(text: string): URL | undefined {
  if (!/^https?:\/\//i.test(text) || /\s/.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text);
}

/** NOTE: shows no credentials: they may be the reason why the address is rejected. */
function reject(text: string): InvalidValue {
  return new InvalidValue(`current value is ${showAddress(text)}`);
}
