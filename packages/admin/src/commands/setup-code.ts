import { EXIT_FAILURE, SubcommandError } from "flags-server-kit/command-line";
import type { Command } from "./command.ts";

export const SETUP_CODE: Command = {
  name: "setup-code",
  summary: "Prints another link to create the first account",
  description: [
    "Prints a link with which somebody creates the account of the first admin in the console. It works once, for 24 hours, and replaces the previous one. Once there is an admin or an admin token, use create-user.",
    "Uses DATABASE_URL or DATA_DIR, and PUBLIC_URL for the link; the service can keep running.",
  ],
  options: {},
  exitCodes: ["The link was printed.", "No link was created: the message says why."],
  run: async ({ storage, url, hasOpenId }, _options, output) => {
    if (hasOpenId) {
      throw new SubcommandError(
        "There is no setup, because people sign in with OpenID Connect: give somebody the role there, or use create-user",
        EXIT_FAILURE,
      );
    }
    const [{ createSetupCode, describeSetup }, { SYSTEM_ACTOR }] = await Promise.all([
      import("../accounts/setup.ts"),
      import("../storage/events.ts"),
    ]);
    const address = url();
    const code = await storage.write(SYSTEM_ACTOR, createSetupCode);
    output.write(describeSetup(address, code));
  },
};
