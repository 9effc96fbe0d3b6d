import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { EXIT_FAILURE, EXIT_USAGE, SubcommandError } from "flags-server-kit/command-line";
import { beforeAll, expect, test } from "vitest";
import type { CommandOptions } from "../src/commands/command.ts";
import { COMMANDS } from "../src/commands/commands.ts";
import { apiTokens } from "../src/storage/schema/access.ts";
import { users } from "../src/storage/schema/accounts.ts";
import type { Storage } from "../src/storage/storage.ts";
import { describeAnyStorage } from "./_storages.ts";

describeAnyStorage("a command with an invalid option", (source) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await source.openFresh();
  });

  const run = async (name: string, options: CommandOptions, hasOpenId = false) => {
    const command = COMMANDS.find((candidate) => candidate.name === name);
    const output = new PassThrough();
    const context = { storage, url: () => "https://flags.test/base/", hasOpenId };
    const failure = await command?.run(context, options, output).catch((error: unknown) => error);
    output.end();
    return [failure, await text(output)];
  };

  test.each<[string, CommandOptions, string]>([
    ["create-token", { type: "admin" }, "--name is required"],
    ["create-token", { name: "x" }, "--type is required"],
    [
      "create-token",
      { type: "other", name: "x" },
      "--type must be backend, frontend, admin, editor or viewer",
    ],
    [
      "create-token",
      { type: "backend", name: "x", project: "none" },
      '--project must exist: there is no project "none"',
    ],
    [
      "create-token",
      { type: "backend", name: "x", environment: "none" },
      '--environment must exist: there is no environment "none"',
    ],
    [
      "create-token",
      { type: "admin", name: "x", project: "default" },
      "--project must be `*` or omitted: admin tokens apply to all projects and environments",
    ],
    [
      "create-token",
      { type: "admin", name: "system" },
      "--name must not be `system`, or begin with `openid:`",
    ],
    [
      "create-token",
      { type: "admin", name: "x", expires: "2020-01-01" },
      '--expires must be a time in the future, such as 2027-01-31 or 2027-01-31T12:00:00Z, or a number of days from 1d to 36500d: current value is "2020-01-01"',
    ],
    ["create-user", { username: "x" }, "--role is required: admin, editor or viewer"],
    ["create-user", { role: "owner", username: "x" }, "--role must be admin, editor or viewer"],
    ["create-user", { role: "admin" }, "--username or --email is required"],
    [
      "create-user",
      { role: "admin", username: "a@b" },
      "--username must not contain `@`: send an email address as `email`",
    ],
    ["create-user", { role: "admin", email: "anna" }, "--email must be an email address"],
    [
      "create-user",
      { role: "admin", username: "x", "password-file": "password1234" },
      "--password-file is one of those that are guessed first: choose several words that do not belong together",
    ],
    ["reset-password", {}, "--user is required: a user name, email address or id"],
    ["sign-in-link", {}, "--user is required: a user name, email address or id"],
  ])("%s %j names it, and changes nothing", async (name, options, message) => {
    expect(await run(name, options)).toEqual([new SubcommandError(message, EXIT_USAGE), ""]);
    expect(await storage.db.$count(users)).toBe(0);
    expect(await storage.db.$count(apiTokens)).toBe(0);
  });

  test("setup-code is refused while people sign in with OpenID Connect", async () => {
    expect(await run("setup-code", {}, true)).toEqual([
      new SubcommandError(
        "There is no setup, because people sign in with OpenID Connect: give somebody the role there, or use create-user",
        EXIT_FAILURE,
      ),
      "",
    ]);
    const [failure, output] = await run("setup-code", {});
    expect(failure).toBeUndefined();
    expect(output).toMatch(
      /^Set up the first account at https:\/\/flags\.test\/base\/setup#[\w-]{43}\n$/,
    );
  });
});
