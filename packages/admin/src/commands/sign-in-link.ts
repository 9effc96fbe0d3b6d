import type { Command } from "./command.ts";
import { createUserLink, USER_OPTION } from "./user-link.ts";

export const SIGN_IN_LINK: Command = {
  name: "sign-in-link",
  summary: "Prints a link that signs a user in to the console",
  description: [
    "Prints a link that signs a user in to the console without a password. It works once, for 24 hours, and replaces the previous links of the user. Whoever opens it first is signed in, so do not pass it on.",
    "Uses DATABASE_URL or DATA_DIR, and PUBLIC_URL for the link; the service can keep running.",
  ],
  options: USER_OPTION,
  exitCodes: ["The link was printed.", "No link was created: the message says why."],
  run: (context, options, output) =>
    createUserLink(context, options, { output, page: "/auth/link", kind: "sign-in" }),
};
