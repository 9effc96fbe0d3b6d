import type { Command } from "./command.ts";
import { createUserLink, USER_OPTION } from "./user-link.ts";

export const RESET_PASSWORD: Command = {
  name: "reset-password",
  summary: "Prints a link with which a user chooses a new password",
  description: [
    "Prints a link with which a user chooses a new password. It works once, for 24 hours, and replaces the previous links of the user. The old password works until then.",
    "Uses DATABASE_URL or DATA_DIR, and PUBLIC_URL for the link; the service can keep running.",
  ],
  options: USER_OPTION,
  exitCodes: ["The link was printed.", "No link was created: the message says why."],
  run: (context, options, output) =>
    createUserLink(context, options, { output, page: "/reset-password", kind: "reset" }),
};
