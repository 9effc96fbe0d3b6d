import { EXIT_USAGE, SubcommandError } from "flags-server-kit/command-line";
import type { Static } from "typebox";
import { ROLES } from "../access/role.ts";
import type { CreateUserBody } from "../accounts/schemas.ts";
import type { Command, CommandOptions } from "./command.ts";
import { checkBody, namingOptions } from "./read-options.ts";

export const CREATE_USER: Command = {
  name: "create-user",
  summary: "Creates an account, also of an admin",
  description: [
    "Creates an account. Without --password-file, prints a link with which its owner chooses a password: it works once, for 24 hours.",
    "Uses DATABASE_URL or DATA_DIR, and PUBLIC_URL for the link; the service can keep running.",
  ],
  options: {
    username: { value: "NAME", description: "Name to sign in with. Required unless --email is." },
    email: {
      value: "ADDRESS",
      description: "Email address, with which the user can also sign in.",
    },
    name: { value: "TEXT", description: "Name as others see it. Default: the user name." },
    role: {
      value: "ROLE",
      description: "Required. admin, editor or viewer; what the user may do in all open projects.",
    },
    "password-file": {
      value: "FILE",
      description:
        "File with the password, of at least 12 characters. With -, it is read from the standard input; at a terminal, the command asks for it.",
    },
  },
  secretFiles: ["password-file"],
  exitCodes: ["The account was created.", "No account was created: the message says why."],
  run: async ({ storage, url }, options, output) => {
    const [{ createUser, prepareUser }, { createLink }, { toPageUrl }, { SYSTEM_ACTOR }] =
      await Promise.all([
        import("../accounts/user-store.ts"),
        import("../accounts/user-links.ts"),
        import("../accounts/page-url.ts"),
        import("../storage/events.ts"),
      ]);
    const address = options["password-file"] === undefined ? url() : "";
    const secret = await namingOptions(OPTION_BY_PROPERTY, async () => {
      const { role, ...names } = await readUser(options);
      const user = await prepareUser({ ...names, role });
      return storage.write(SYSTEM_ACTOR, async (transaction) => {
        const { id } = await createUser(transaction, user);
        return user.passwordHash === null ? createLink(transaction, id, "invite") : undefined;
      });
    });
    output.write(
      secret === undefined
        ? "Created the account\n"
        : `${toPageUrl(address, `/new-user?token=${secret}`)}\n`,
    );
  },
};

const OPTION_BY_PROPERTY = {
  username: "username",
  email: "email",
  name: "name",
  password: "password-file",
} satisfies Partial<Record<keyof Static<typeof CreateUserBody>, string>>;

async function readUser({ role, "password-file": password, ...names }: CommandOptions) {
  const foundRole = ROLES.find((name) => name === role);
  if (foundRole === undefined) {
    const problem = role === undefined ? "is required:" : "must be";
    throw new SubcommandError(`--role ${problem} admin, editor or viewer`, EXIT_USAGE);
  }
  if (names["username"] === undefined && names["email"] === undefined) {
    throw new SubcommandError("--username or --email is required", EXIT_USAGE);
  }
  const { NewUserBody } = await import("../accounts/schemas.ts");
  const body = { ...names, ...(password !== undefined && { password }) };
  return { ...(await checkBody(NewUserBody, body)), role: foundRole };
}
