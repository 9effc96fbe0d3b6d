import { nameSetting, type Resolution } from "flags-server-kit";
import { SETTINGS, type SettingName, type Settings } from "./settings.ts";

interface Rule {
  readonly of: SettingName | readonly SettingName[];
  readonly if: boolean;
  /** A sentence in which `{}` stands for the variable or option that is set. */
  readonly says: string;
}

export function applyRules(
  rules: readonly Rule[],
  { origins }: Resolution<Settings>,
): readonly string[] {
  return rules
    .filter((rule) => rule.if)
    .flatMap(({ of, says }) =>
      [of]
        .flat()
        .flatMap((setting) => origins.get(setting) ?? [])
        .map((origin) => says.replace("{}", () => origin)),
    );
}

const name = (setting: SettingName): string => nameSetting(SETTINGS[setting]);

export function listContradictions({ values, origins }: Resolution<Settings>): readonly Rule[] {
  const { store } = values;
  const hasTls = origins.has("tlsCertFile") || origins.has("tlsKeyFile");
  const pair = (one: SettingName, other: SettingName): readonly Rule[] => [
    { of: one, if: !origins.has(other), says: `{} requires ${name(other)}: set both, or neither` },
    { of: other, if: !origins.has(one), says: `{} requires ${name(one)}: set both, or neither` },
  ];
  // For 0, the system chooses a different port each time.
  const differ = (one: "tlsPort" | "managementPort", other: "port" | "tlsPort"): Rule => ({
    of: one,
    if: values[one] !== 0 && values[one] === values[other],
    says: `{} must differ from ${name(other)}: both are ${values[one]}`,
  });
  return [
    {
      of: "bootstrapUrl",
      if: (values.flagsApiToken ?? []).length > 1,
      says: `{} gives the flags of one environment, but ${name("flagsApiToken")} has several tokens: use one proxy per environment, or no bootstrap`,
    },
    {
      // NOTE: a filter that had no effect would reveal flags that should be hidden.
      of: "tags",
      if: isOfFiles(values),
      says: "{} is not possible with files, which do not contain tags: remove it",
    },
    {
      of: "upstreamKeys",
      if: isOfFiles(values) && values.upstreamKeys,
      says: "{} is not possible with files: there is no upstream that could verify keys",
    },
    {
      of: "store",
      if: origins.has("storageProvider"),
      says: `{} and ${origins.get("storageProvider")} are both set, and both keep the flags: remove one of them`,
    },
    {
      of: "storePassword",
      if: (store?.secrets ?? []).length > 0,
      says: `{} and ${origins.get("store")} both contain a password: remove one of them`,
    },
    {
      of: "store",
      if: store?.needsRegion === true && values.storeRegion === undefined,
      says: `{} needs the region of the bucket: set ${name("storeRegion")}, or append ?region= to the address`,
    },
    ...(store?.login === "aws" ? pair("storeAccessKeyId", "storeSecretAccessKey") : []),
    ...pair("tlsCertFile", "tlsKeyFile"),
    ...pair("upstreamCertFile", "upstreamKeyFile"),
    {
      of: ["tlsPort", ...(values.tlsRedirect ? (["tlsRedirect"] as const) : []), "tlsClientCaFile"],
      if: !hasTls,
      says: `{} requires ${name("tlsCertFile")}`,
    },
    {
      of: "tlsRedirect",
      if: hasTls && values.tlsRedirect && values.tlsPort === undefined,
      says: `{} requires ${name("tlsPort")}: without it, ${name("port")} serves TLS, and nothing redirects`,
    },
    differ("tlsPort", "port"),
    differ("managementPort", "port"),
    differ("managementPort", "tlsPort"),
  ];
}

export function listIneffective({ values, origins }: Resolution<Settings>): readonly Rule[] {
  const { store } = values;
  // NOTE: an invalid address has no value.
  const hasKnownStore = store !== undefined || !origins.has("store");
  const without = (of: Rule["of"], setting: SettingName): Rule => ({
    of,
    if: !origins.has(setting) || values[setting] === false,
    says: `{} has no effect without ${name(setting)}`,
  });
  const unless = (of: Rule["of"], isStore: boolean, address: string): Rule => ({
    of,
    if: hasKnownStore && !isStore,
    says: `{} has no effect: ${name("store")} is not ${address}`,
  });
  return [
    without(["bootstrapAuthorization", "bootstrapHeaders"], "bootstrapUrl"),
    without(["upstreamKeysInterval", "upstreamKeysMaxAge"], "upstreamKeys"),
    without("usageSpoolMaxBytes", "usageSpool"),
    without("managementHost", "managementPort"),
    unless("storePassword", store?.login === "password", "a Redis address"),
    unless("storeCaFile", store?.usesTls === true, "a rediss address, or an S3 address with https"),
    unless("sharesFlags", !values.sharesFlags || store?.canShareFlags === true, "a Redis address"),
    {
      of: "ofrepEventStreams",
      if: values.ofrepEventStreams && values.pushMaxStreams === 0,
      says: `{} has no effect: ${name("pushMaxStreams")} is 0`,
    },
    {
      of: "corsCredentials",
      if: values.corsCredentials && values.corsOrigin === "*",
      says: `{} has no effect without ${name("corsOrigin")}: browsers send no credentials to servers that allow every origin`,
    },
    {
      of: [
        "flagsApiToken",
        "synchronization",
        "bootstrapUrl",
        "storageProvider",
        "store",
        "usageSpool",
      ],
      if: isOfFiles(values),
      says: `{} has no effect with files as ${name("flagsUrl")}`,
    },
    {
      of: "usageSpool",
      if: values.metricsIntervalMs === 0,
      says: `{} has no effect: ${name("metricsIntervalMs")} is 0`,
    },
    {
      of: "upstreamCaFile",
      if: !values.rejectUnauthorized,
      says: `{} has no effect, because ${origins.get("rejectUnauthorized")} accepts every certificate`,
    },
    {
      of: ["upstreamCaFile", "upstreamCertFile"],
      if: /^http:/i.test(values.flagsUrl ?? ""),
      says: `{} has no effect, because ${origins.get("flagsUrl")} is http://`,
    },
  ];
}

/** An upstream may confirm the flags of a stream only this often. */
const STREAM_CONFIRMATION_MS = 30_000;

export function listMistakes({ values, origins }: Resolution<Settings>): readonly Rule[] {
  const { maxStalenessMs: ageMs = Infinity, refreshIntervalMs: intervalMs, serverTokens } = values;
  const keys = values.clientKeys ?? values.proxySecrets ?? [];
  const isStreaming = values.synchronization === "streaming";
  const polls = !isStreaming && !isOfFiles(values);
  return [
    {
      of: "proxySecrets",
      if: !origins.has("clientKeys"),
      says: `{} is deprecated and still read: use ${name("clientKeys")}`,
    },
    ...listIgnored({ origins }),
    {
      of: "serverTokens",
      if: serverTokens.some((token) => keys.includes(token)),
      says: "A client key is also a server token in {}: everyone who has that key can read all definitions. Use different tokens",
    },
    {
      of: origins.has("clientKeys") ? "clientKeys" : "proxySecrets",
      if: values.flagsApiToken?.some((token) => keys.includes(token)) === true,
      says: `{} contains the upstream token of ${origins.get("flagsApiToken")}: every client can read all definitions with it. Use different keys`,
    },
    {
      of: "maxStalenessMs",
      if: isStreaming && !isOfFiles(values) && ageMs < STREAM_CONFIRMATION_MS,
      says: `{} is shorter than ${STREAM_CONFIRMATION_MS}: an upstream may confirm the flags of a stream only every 30 seconds, and the proxy is not ready in between`,
    },
    {
      of: "refreshIntervalMs",
      if: polls && intervalMs === 0 && origins.has("maxStalenessMs"),
      says: `{} is 0, so flags are never confirmed again: when ${origins.get("maxStalenessMs")} has passed, the proxy is no longer ready`,
    },
    {
      of: "maxStalenessMs",
      if: polls && ageMs <= intervalMs,
      says: `{} must be longer than ${name("refreshIntervalMs")}, or the proxy is not ready between polls`,
    },
  ];
}

export function listIgnored({ origins }: Pick<Resolution<Settings>, "origins">): readonly Rule[] {
  const replacement = origins.get("clientKeys");
  const says = `{} is deprecated and ignored, as ${replacement} is set: remove it`;
  return [{ of: "proxySecrets", if: replacement !== undefined, says }];
}

export function listRisks({ values, origins }: Resolution<Settings>): readonly Rule[] {
  return [
    {
      of: origins.has("allowList") ? "allowList" : "denyList",
      if: values.trustProxy === true,
      says: `{} gives no protection while ${origins.get("trustProxy")} is true: a client can claim any address. Set it to the addresses of your load balancers`,
    },
    {
      of: "rejectUnauthorized",
      if: !values.rejectUnauthorized && /^https:/i.test(values.flagsUrl ?? ""),
      says: `{} accepts any certificate from the upstream: others on the network can read ${name("flagsApiToken")} and change flags. To trust a private certificate authority, set ${name("upstreamCaFile")} instead`,
    },
  ];
}

/** Whether the flags come from files, which may not exist. */
export function isOfFiles({ flagsUrl = "" }: Pick<Resolution<Settings>["values"], "flagsUrl">) {
  return /^file:/i.test(flagsUrl);
}
