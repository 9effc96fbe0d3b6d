import { expect, test } from "vitest";
import { PROGRAM } from "../config/_settings.ts";
import { formatHelp } from "./help.ts";

test("formatHelp() shows the program and every variable under its heading", () => {
  expect(formatHelp(PROGRAM)).toBe(`shop 1.2.3

Sells things.

Usage: shop [--help | --version]

Settings are variables of the environment. An empty one counts as not set.

Listening
  PORT, SHOP_PORT  (default: 3000)
      Port to listen on.
  HTTP_PROXY  (default: none)
      Proxy server.

Shop
  SHOP_OPEN  (default: true)
      Lets customers in.
  SHOP_NAME  (required)
      What is written above the door.
  SHOP_KEYS  (default: a, b)
      Keys. This sentence is long. This sentence is long. This sentence is long.
      This sentence is long. This sentence is long.
  SHOP_PIN  (default: none)
      Not marked as a secret.
`);
});
