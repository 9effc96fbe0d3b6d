import type { IncomingHttpHeaders } from "node:http";
import { isReportedName, toReportedName } from "flags-engine";
import type {
  ApplicationRegistration,
  ConnectVia,
} from "../../upstream/usage/application-usage.ts";
import { isRecord } from "flags-server-kit/neutral";
import { type Grant, quotaIdOf } from "../access/grant.ts";

const MAX_STRATEGIES = 50;
const MAX_PROXIES = 10;
const MAX_INTERVAL_MS = 1e10;
/** The limit of the upstream, which rejects longer ones. */
const MAX_FLAVOR_VERSION_LENGTH = 32;
const EARLIEST_START_MS = Date.UTC(2010, 0);

export interface RegistrationOrigin {
  readonly grant: Grant;
  readonly headers: IncomingHttpHeaders;
  readonly metricsIntervalMs: number;
}

/** Resolves when the source has stored the registration. Without an application name, it is ignored. */
export async function forwardRegistration(
  sent: unknown,
  origin: RegistrationOrigin,
): Promise<void> {
  const registration = parseRegistration(sent, origin);
  if (registration === undefined) return;
  await origin.grant.flags.source.flags.registerApplication?.(registration);
}

/** SDKs of browsers and mobile apps do not register: they only name themselves in a header of their usage reports. */
export async function forwardReporter(sent: unknown, origin: RegistrationOrigin): Promise<void> {
  if (sdkVersionOf(origin.headers) !== undefined) await forwardRegistration(sent, origin);
}

function parseRegistration(
  sent: unknown,
  { grant, headers, metricsIntervalMs }: RegistrationOrigin,
): ApplicationRegistration | undefined {
  if (!isRecord(sent)) return undefined;
  const { appName } = sent;
  if (typeof appName !== "string" || appName === "") return undefined;
  const { interval, started, sdkType } = sent;
  const texts = {
    sdkVersion: parseText(sent["sdkVersion"]) ?? sdkVersionOf(headers),
    sdkFlavor: parseText(sent["sdkFlavor"]) ?? parseText(headers["unleash-sdk-flavor"]),
    sdkFlavorVersion: (
      parseText(sent["sdkFlavorVersion"]) ?? parseText(headers["unleash-sdk-flavor-version"])
    )?.slice(0, MAX_FLAVOR_VERSION_LENGTH),
    platformName: parseText(sent["platformName"]),
    platformVersion: parseText(sent["platformVersion"]),
    specVersion: parseText(sent["specVersion"]),
  };
  return {
    appName: toReportedName(appName),
    instanceId: parseText(sent["instanceId"]) ?? "default",
    // Other proxies use server tokens, even for registrations of browsers. Client keys are only for
    // clients.
    sdkType: grant.kind === "client" || sdkType === "frontend" ? "frontend" : "backend",
    ...(Object.fromEntries(
      Object.entries(texts).filter(([, text]) => text !== undefined),
    ) as Partial<ApplicationRegistration>),
    strategies: parseList(sent["strategies"], MAX_STRATEGIES).flatMap(
      (name) => parseText(name) ?? [],
    ),
    started: parseStart(started),
    interval: isInterval(interval) ? interval : metricsIntervalMs,
    connectVia: parseList(sent["connectVia"], MAX_PROXIES).flatMap(parseProxy),
    quotaId: quotaIdOf(grant),
  };
}

function sdkVersionOf(headers: IncomingHttpHeaders): string | undefined {
  return parseText(headers["unleash-sdk"]) ?? parseText(headers["x-unleash-sdk"]);
}

function parseProxy(sent: unknown): readonly ConnectVia[] {
  if (!isRecord(sent)) return [];
  const [appName, instanceId] = [parseText(sent["appName"]), parseText(sent["instanceId"])];
  return appName === undefined || instanceId === undefined ? [] : [{ appName, instanceId }];
}

function parseList(sent: unknown, maxLength: number): readonly unknown[] {
  return Array.isArray(sent) ? sent.slice(0, maxLength) : [];
}

function parseText(sent: unknown): string | undefined {
  return typeof sent === "string" && isReportedName(sent) ? sent : undefined;
}

function isInterval(sent: unknown): sent is number {
  return typeof sent === "number" && sent >= 0 && sent <= MAX_INTERVAL_MS;
}

/** Returns the start time in ISO 8601; the current time if it is missing or implausible. */
function parseStart(sent: unknown): string {
  const nowMs = Date.now();
  const startMs =
    typeof sent === "string" || typeof sent === "number" ? new Date(sent).getTime() : nowMs;
  const isPlausible = startMs >= EARLIEST_START_MS && startMs <= nowMs;
  return new Date(isPlausible ? startMs : nowMs).toISOString();
}
