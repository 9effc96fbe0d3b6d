import { hostname } from "node:os";

// Few values each, so that contexts often match the values of rules.

/** The host name that the official SDK uses in the strategy `applicationHostname`. */
export const HOST_NAME: string = (process.env["HOSTNAME"] || hostname()).toLowerCase();

export const FLAG_NAMES = [
  "alpha",
  "beta",
  "gamma",
  "delta",
  "epsilon",
  "zeta.with.dots",
  "eta-ø",
  "旗",
  "theta 😊",
  "iota/slash",
  "kappa",
  "lambda",
  "mu",
  "nu",
] as const;

export const USER_IDS = [
  "1",
  "2",
  "3",
  "7",
  "122",
  "alice",
  "Bob",
  "ø",
  "日本",
  "😊 x",
  "Ǿé",
] as const;
export const SESSION_IDS = ["s1", "s2", "122", "é-session"] as const;
export const REGIONS = ["eu", "us", "EU", "eu-west", "Grüße", "a,b"] as const;
export const PLANS = ["free", "pro", "Pro", "default", "app"] as const;

export const ADDRESSES = [
  "10.0.0.1",
  "10.1.1.1",
  "192.168.1.7",
  "127.0.0.1",
  "::1",
  "fe80::1",
  "2001:db8::5",
] as const;

export const ODD_ADDRESSES = [
  "10.1.1.1/32",
  "10.1.1.1/4",
  "10.0.0.5/8",
  "010.0.0.1",
  " 10.0.0.1",
  "10.0.0.1 ",
  "10.0.0.256",
  "10.0.0",
  "0:0:0:0:0:0:0:1",
  "::ffff:10.0.0.1",
  "::FFFF:0A00:0001",
  "2001:DB8:0::5%eth0",
  "2001:db8::5/128",
  "2001:db8::5/16",
  "[::1]",
  "1::2::3",
  "garbage",
  "",
] as const;

export const RANGES = [
  "10.0.0.0/8",
  "10.0.0.5/24",
  "192.168.0.0/16",
  "0.0.0.0/0",
  "127.0.0.0/08",
  "10.0.0.0/33",
  "2001:db8::/32",
  "fe80::/10",
  "::/0",
  "::1/128",
  "::1/128/64",
  "::ffff:10.0.0.0/104",
  "2001:db8::5%eth0/64",
  "2001:db8::/129",
] as const;

export const NUMBERS = ["1", "5", "5.0", " 5 ", "0x5", "5e0", "-1", "0", "", "10", "1e1"] as const;
export const ODD_NUMBERS = [
  "abc",
  "5%",
  "1.2.3",
  "Infinity",
  "-Infinity",
  "NaN",
  " ",
  "1_0",
] as const;

export const VERSIONS = [
  "1.2.3",
  "1.2.4",
  "1.10.0",
  "2.0.0",
  "2.0.0-beta.1",
  "2.0.0-beta.11",
  "2.0.0-beta.a",
  "1.2.3+build.5",
] as const;

export const ODD_VERSIONS = [
  "v1.2.3",
  " v1.2.3",
  " 1.2.3 ",
  "=1.2.3",
  "V1.2.3",
  "1.2",
  "01.2.3",
  "1.2.3-01",
  "9007199254740992.0.0",
  "",
  "latest",
] as const;

export const MOMENTS = [
  "2021-06-01T00:00:00Z",
  "2022-01-01T00:00:00.000Z",
  "2022-01-01T01:00:00+01:00",
  "2022",
  "2022-01-01",
  "2099-12-31T23:59:59.999Z",
] as const;

export const ODD_MOMENTS = ["01/02/2022", "yesterday", "1640995200000", "", "2022-13-45"] as const;

export const TEXTS = [
  "foo",
  "FOO bar",
  "foo123",
  "12",
  "line\nfoo",
  "foo\n",
  "ſtraße",
  "STRASSE",
  "\u212Aelvin",
  "kelvin",
  "😊",
  "٣",
  "",
] as const;

export const PATTERNS = [
  "foo",
  "^foo$",
  "(?i)FOO",
  "(?m)^foo$",
  "(?s)line.foo",
  "line.foo",
  "\\d+",
  "\\bfoo\\b",
  "^\\w+$",
  "^.$",
  "k",
  "ß",
  "SS",
  "",
  "[[:alpha:]]+[[:digit:]]",
  "\\p{Greek}|\\p{Lu}",
  "(?P<n>o+)b?",
  "(?<n>1)2",
  "\\Qfoo\\E",
  "\\x{1F60A}",
  "foo\\z",
  "o{1,1000}",
  "a|b|",
] as const;

export const ODD_PATTERNS = [
  "(?=foo)foo",
  "(?<!x)foo",
  "(o)\\1",
  "(?>foo)",
  "o++",
  "foo\\Z",
  "\\C",
  "\\u0066oo",
  "\\cA",
  "\\h",
  "(?x) foo",
  "o{1001}",
  "(",
  "[z-a]",
  "*",
] as const;

/** The fields that contexts and rules use for each kind of value. */
export const FIELDS = {
  text: ["userId", "region", "plan", "appName", "environment", "sessionId", "text"],
  number: ["age", "userId", "score"],
  version: ["version", "appVersion"],
  address: ["remoteAddress", "ip"],
} as const;

export const ALL_FIELDS: readonly string[] = [
  ...new Set([...Object.values(FIELDS).flat(), "currentTime", "missing", "featureToggle"]),
];

export const STICKINESS = [
  "default",
  "default",
  "userId",
  "sessionId",
  "region",
  "remoteAddress",
  "age",
  "random",
  "missing",
  "",
] as const;
