import {
  booleanKind,
  createIntegerKind,
  createTextKind,
  textKind,
  createListKind,
} from "../src/config/setting-kinds.ts";
import { SettingGroup } from "../src/config/setting.ts";
import type { Subcommand } from "../src/cli/program.ts";

const listKind = createListKind({ of: "words", parseEntry: (text) => text });

const listening = new SettingGroup("Listening");
const shop = new SettingGroup("Shop");

export const TABLE = {
  port: listening.option("port", ["PORT", "SHOP_PORT"], {
    kind: createIntegerKind({ min: 0, max: 65_535 }),
    default: 3000,
    description: "Port to listen on.",
  }),
  proxy: listening.variable(["HTTP_PROXY", "http_proxy"], {
    kind: textKind,
    secret: true,
    secretTexts: (address) => [new URL(address).password],
    description: "Proxy server.",
  }),
  isOpen: shop.option("isOpen", "SHOP_OPEN", {
    kind: booleanKind,
    default: true,
    description: "Lets customers in.",
  }),
  name: shop.option("labels.name", "SHOP_NAME", {
    kind: textKind,
    required: true,
    description: "The text above the door.",
  }),
  keys: shop.option("labels.keys", "SHOP_KEYS", {
    kind: listKind,
    default: ["a", "b"],
    secret: true,
    description: `Keys. ${"This sentence is long. ".repeat(5).trim()}`,
  }),
  headers: shop.option("labels.headers", [], {
    kind: { allowed: "an object", parse: (value) => value as Readonly<Record<string, string>> },
    default: {},
    secret: true,
    description: "Headers.",
  }),
  pin: shop.variable("SHOP_PIN", {
    kind: createTextKind("four digits", (text) => text),
    description: "Not marked as a secret.",
  }),
};

export const PROGRAM = {
  name: "shop",
  version: "1.2.3",
  tagline: "Sells things.",
  displayName: "the shop",
  settings: TABLE,
  variablePrefixes: ["SHOP_"],
  renamedPrefixes: [
    { from: "STORE_", to: "SHOP_" },
    { from: "store", to: "is" },
  ],
  replacements: {
    till: { hint: "sell online" },
    TILL: { hint: "set SHOP_NAME", by: "SHOP_NAME" },
  },
};

export const SUBCOMMANDS: readonly [Subcommand] = [
  {
    name: "count",
    summary: "Counts the goods",
    description: [
      "Counts the goods on all shelves of the shop, which takes a while, and prints one line.",
    ],
    options: {
      json: { description: "Prints JSON." },
      unit: { value: "UNIT", description: "Unit of the result." },
    },
    exitCodes: ["Goods were counted.", "There are no goods."],
    run: () => Promise.resolve({ output: "0\n", exitCode: 0 }),
  },
];
