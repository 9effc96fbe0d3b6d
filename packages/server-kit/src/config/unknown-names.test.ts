import { expect, test } from "vitest";
import { PROGRAM } from "../../test/_settings.ts";
import { findNearest, findUnknownOptions, findUnknownVariables } from "./unknown-names.ts";

test.each([
  [{ port: 1, labels: { name: "n", headers: { any: "thing" } } }, []],
  [{ prot: undefined }, []],
  [{ pport: 1 }, ["Option pport does not exist: did you mean port?"]],
  [{ storeOpen: true }, ["Option storeOpen does not exist: did you mean isOpen?"]],
  [{ window: 1 }, ["Option window does not exist"]],
  [{ labels: { nam: "n" } }, ["Option labels.nam does not exist: did you mean labels.name?"]],
  [{ till: 1 }, ["Option till does not exist: sell online"]],
  [{ labels: [] }, ["Option labels must be an object with the options name, keys, headers"]],
])("findUnknownOptions() for %j returns %j", (options, problems) => {
  expect(findUnknownOptions(PROGRAM, options)).toEqual(problems);
});

test.each([
  [{ PORT: "1", SHOP_NAME: "n", PATH: "/", PORTS: "1" }, []],
  [{ SHOP_NAMES: "n" }, ["SHOP_NAMES is set but never read: did you mean SHOP_NAME?"]],
  [{ SHOP_WINDOW: "w" }, ["SHOP_WINDOW is set but never read"]],
  [{ STORE_NAME: "n" }, ["STORE_NAME is ignored: use SHOP_NAME instead"]],
  [{ STORE_NAME: "n", SHOP_NAME: "n" }, []],
  [{ SHOP_NAMES: "", STORE_NAME: " ", TILL: "" }, []],
  [{ STORE_WINDOW: "w" }, ["STORE_WINDOW is set but never read"]],
  [{ STORE_NAMES: "n" }, ["STORE_NAMES is set but never read: did you mean SHOP_NAME?"]],
  [{ STORE_SERVICE_HOST: "h", STORE_PORT_80_TCP: "tcp://h" }, []],
  [{ SHOP_GAME: "g" }, ["SHOP_GAME is set but never read: did you mean SHOP_NAME?"]],
  [{ SHOP_FAMES: "f" }, ["SHOP_FAMES is set but never read"]],
  [{ TILL: "t" }, ["TILL is set but never read: set SHOP_NAME"]],
  [{ TILL: "t", SHOP_NAME: "n" }, []],
  [{ SHOP_KEYS_FILE: "/k" }, []],
  [{ SHOP_KEY_FILE: "/k" }, ["SHOP_KEY_FILE is set but never read: did you mean SHOP_KEYS_FILE?"]],
  [{ STORE_KEYS_FILE: "/k" }, ["STORE_KEYS_FILE is ignored: use SHOP_KEYS_FILE instead"]],
  [{ SHOP_SERVICE_HOST: "h", SHOP_WEB_PORT_80_TCP_ADDR: "a", SHOP_WEB_PORT: "tcp://h:80" }, []],
])("findUnknownVariables() for %j returns %j", (environment, hints) => {
  expect(findUnknownVariables(PROGRAM, environment).map(({ hint }) => hint)).toEqual(hints);
});

test.each([
  ["SHOPNAME", "SHOP_NAME"],
  ["shop_name", "SHOP_NAME"],
  ["SHOPS_NAME", "SHOP_NAME"],
  ["SHOPKEY", "SHOP_KEYS"],
  ["SHPO_NAME", "SHOP_NAME"],
  ["SHOP__NAME", "SHOP_NAME"],
  ["HTTPPROXY", "HTTP_PROXY"],
  ["HTTB_PROXY", "HTTP_PROXY"],
])("findUnknownVariables() finds the misspelt name %s of %s", (name, meant) => {
  expect(findUnknownVariables(PROGRAM, { [name]: "x" })).toEqual([
    { name, hint: `${name} is set but never read: did you mean ${meant}?` },
  ]);
  expect(findUnknownVariables(PROGRAM, { [name]: "x", [meant]: "y" })).toHaveLength(
    name.startsWith("SHOP_") ? 1 : 0,
  );
});

test("findUnknownVariables() finds misspelt names of other programs that are read too", () => {
  const names = { ...PROGRAM, otherVariables: ["MARKET_TOKENS"] };
  const environment = { MARKET_TOKEN: "t", MARKET_STALL: "s" };
  expect(findUnknownVariables(names, environment).map(({ hint }) => hint)).toEqual([
    "MARKET_TOKEN is set but never read: did you mean MARKET_TOKENS?",
  ]);
});

test.each(["HOME", "PATH", "PORTS", "SHIPPING", "CHOP_PIN", "FTP_PROXY", "SHOPS_SERVICE_HOST"])(
  "findUnknownVariables() ignores %s, which belongs to another program",
  (name) => {
    expect(findUnknownVariables(PROGRAM, { [name]: "x" })).toEqual([]);
  },
);

test("findUnknownVariables() ignores what Kubernetes sets for a service, but not a name that only ends like it", () => {
  const environment = {
    SHOP_WEB_PORT: "tcp://10.0.0.1:80",
    SHOP_WEB_PORT_80_TCP: "tcp://10.0.0.1:80",
    SHOP_WEB_PORT_80_TCP_PORT: "80",
    SHOP_WEB_SERVICE_PORT: "80",
    SHOP_WINDOW_PORT: "80",
  };
  expect(findUnknownVariables(PROGRAM, environment).map(({ name }) => name)).toEqual([
    "SHOP_WINDOW_PORT",
  ]);
});

test.each([
  ["refreshIntervall", "refreshInterval"],
  ["RefreshInterval", "refreshInterval"],
  ["refeshIntreval", "refreshInterval"],
  ["cors.orgin", "cors.origin"],
  ["prot", "port"],
  ["rpto", undefined],
  ["pport", "port"],
  ["something", undefined],
  ["", undefined],
])("findNearest() for %j returns %j", (name, nearest) => {
  const names = ["refreshInterval", "metricsInterval", "cors.origin", "port"];
  expect(findNearest(name, names)).toBe(nearest);
});
