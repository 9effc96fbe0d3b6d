import { expect, test } from "vitest";
import { PROGRAM, SUBCOMMANDS } from "../../test/_settings.ts";
import { formatHelp, formatSubcommandHelp } from "./help.ts";

const plain = (_style: string, text: string): string => text;

test("formatHelp() shows the commands, the options and every variable under its heading", () => {
  expect(formatHelp(PROGRAM, SUBCOMMANDS, plain)).toBe(`shop 1.2.3

Sells things.

Usage
  shop [--env-file FILE]...
  shop COMMAND [OPTION]...

Commands
  count  Counts the goods.

Options
  --env-file FILE  Reads environment variables from a file with lines such as
                   NAME=value. Can be repeated; a later file takes precedence
                   over an earlier one, and the environment over all files.
  -h, --help       Prints this help.
  -v, --version    Prints the version.

Settings
  Settings are environment variables. An empty variable counts as not set.
  A secret can also be read from a file, so that it is not in the environment:
  append _FILE to the name and set the variable to a path, for example
  HTTP_PROXY_FILE=/run/secrets/name.

Listening
  PORT, SHOP_PORT  (default: 3000)
      Port to listen on.
  HTTP_PROXY  (default: none; secret)
      Proxy server.

Shop
  SHOP_OPEN  (default: true)
      Lets customers in.
  SHOP_NAME  (required)
      The text above the door.
  SHOP_KEYS  (default: a, b; secret)
      Keys. This sentence is long. This sentence is long. This sentence is long.
      This sentence is long. This sentence is long.
  SHOP_PIN  (default: none)
      Not marked as a secret.
`);
});

test("formatSubcommandHelp() shows what the command does, its options and its exit codes", () => {
  const [count] = SUBCOMMANDS;
  expect(formatSubcommandHelp(PROGRAM, count, plain)).toBe(`shop count

Counts the goods on all shelves of the shop, which takes a while, and prints one
line.

Usage
  shop count [OPTION]...

Options
  --json           Prints JSON.
  --unit UNIT      Unit of the result.
  --env-file FILE  Reads environment variables from a file with lines such as
                   NAME=value. Can be repeated; a later file takes precedence
                   over an earlier one, and the environment over all files.
  -h, --help       Prints this help.

Exit codes
  0  Goods were counted.
  1  There are no goods.
  2  The command line is invalid.
`);
});

test("formatHelp() formats headings, names and notes, without changing the layout", () => {
  const paint = (style: string, text: string): string => `<${style}>${text}</${style}>`;
  const help = formatHelp(PROGRAM, SUBCOMMANDS, paint);
  expect(help).toContain("<bold>Shop</bold>");
  expect(help).toContain("<cyan>PORT</cyan>, <cyan>SHOP_PORT</cyan>  <dim>(default: 3000)</dim>");
  expect(help.replaceAll(/<\/?[a-z]+>/g, "")).toBe(formatHelp(PROGRAM, SUBCOMMANDS, plain));
});

test("formatSubcommandHelp() puts the description below long options", () => {
  const [count] = SUBCOMMANDS;
  const options = { "an-option-with-a-very-long-name": { value: "TEXT", description: "Is long." } };
  expect(formatSubcommandHelp(PROGRAM, { ...count, options }, plain)).toContain(`
Options
  --an-option-with-a-very-long-name TEXT
      Is long.
  --env-file FILE
      Reads environment variables from a file with lines such as NAME=value. Can
`);
});
