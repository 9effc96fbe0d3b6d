import type { Writable } from "node:stream";
import { EXIT_USAGE, SubcommandError } from "flags-server-kit/command-line";
import type { LinkKind } from "../accounts/user-links.ts";
import type { CommandContext, CommandOptions } from "./command.ts";
import { namingOptions } from "./read-options.ts";

/** The option of commands that print a link of a user. */
export const USER_OPTION = {
  user: { value: "USER", description: "Required. User name, email address or id of the account." },
} as const;

interface WantedLink {
  readonly output: Writable;
  /** Path of the page. */
  readonly page: string;
  readonly kind: Exclude<LinkKind, "invite">;
}

/** Creates a link of the user in the options, and prints it. */
export async function createUserLink(
  { storage, url }: CommandContext,
  { user }: CommandOptions,
  { output, page, kind }: WantedLink,
): Promise<void> {
  if (typeof user !== "string") {
    throw new SubcommandError("--user is required: a user name, email address or id", EXIT_USAGE);
  }
  const [{ createLinkOf }, { toPageUrl }, { SYSTEM_ACTOR }] = await Promise.all([
    import("../accounts/user-links.ts"),
    import("../accounts/page-url.ts"),
    import("../storage/events.ts"),
  ]);
  const address = url();
  const secret = await namingOptions({ id: "user" }, () =>
    storage.write(SYSTEM_ACTOR, (transaction) => createLinkOf(transaction, user, kind)),
  );
  output.write(`${toPageUrl(address, `${page}?token=${secret}`)}\n`);
}
