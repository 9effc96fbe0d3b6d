import { createTextKind, InvalidValue, type Kind } from "flags-server-kit/command-line";

/** The address at which browsers reach the service, with a slash at its end. */
export const publicUrlKind: Kind<string> = createTextKind(
  "an http or https URL without a query, such as https://flags.example.com",
  (text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) return new InvalidValue();
    if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
      return new InvalidValue();
    }
    return url.href.replace(/\/*$/, "/");
  },
);
