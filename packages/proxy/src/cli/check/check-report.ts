import type { TokenScope } from "../../token-scope.ts";
import { describeCount } from "flags-sdk/internal";

/** The result of `flags-proxy check`. Contains no secrets. */
export interface CheckReport {
  readonly version: string;
  /** Reasons why the proxy cannot start or get flags. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  /** Undefined if settings are invalid. */
  readonly settings: CheckedSettings | undefined;
  /** Undefined without a store, and if it cannot be used. */
  readonly store?: CheckedStore | undefined;
  /** One per token whose flags could be fetched. */
  readonly upstreams: readonly CheckedUpstream[];
  /** With flags from files: one per file. */
  readonly files?: readonly CheckedFile[];
}

/** A selection of the settings. */
export interface CheckedSettings {
  readonly flagsUrl: string;
  /** The scope of each upstream token; undefined if its text does not contain one. */
  readonly tokens: readonly (TokenScope | undefined)[];
  /** Keys in settings. */
  readonly clientKeys: number;
  readonly serverTokens: number;
  /** The path of the access file. */
  readonly accessFile?: string;
  readonly accessFileKeys?: number;
  /** Whether the upstream verifies other keys. */
  readonly upstreamKeys: boolean;
  readonly synchronization: string;
  readonly refreshIntervalMs: number;
  readonly customStrategies: readonly string[];
}

/** What a file with flags contains. */
export interface CheckedFile {
  /** The name of the source in logs and metrics. */
  readonly source: string;
  readonly path: string;
  /** The environment that it is served as; undefined if none is named. */
  readonly environment: string | undefined;
  readonly flags: number;
  readonly segments: number;
  readonly sizeBytes: number;
}

/** A store in which a document could be written, read and deleted. */
export interface CheckedStore {
  readonly address: string;
  /** Includes opening the connection. */
  readonly writeMs: number;
  readonly readMs: number;
}

/** What the upstream has sent. */
export interface CheckedUpstream {
  /** The name of the source in logs and metrics. */
  readonly source: string;
  readonly environment: string | undefined;
  readonly flags: number;
  readonly segments: number;
  readonly sizeBytes: number;
  /** Includes opening the connection and the transfer of all flags. */
  readonly firstRequestMs: number;
  /** On an open connection, while nothing has changed. */
  readonly pollMs: number;
  /** Positive: the clock of the upstream is ahead. */
  readonly clockOffsetMs: number | undefined;
  readonly clockUncertaintyMs: number | undefined;
  /** Undefined: the request for deltas failed, so it is unknown. */
  readonly offersDelta: boolean | undefined;
  /** Undefined: the request for a stream failed, so it is unknown. */
  readonly offersStreaming: boolean | undefined;
}

type Row = readonly [label: string, text: string];

/** Formats a report as text for people. */
export function formatReport(report: CheckReport): string {
  const { settings, store, upstreams, files = [], problems, warnings } = report;
  return [
    ...(settings === undefined ? [] : formatSection("Settings", settingRows(settings, files))),
    ...upstreams.flatMap((upstream) =>
      formatSection(toHeading(upstream, settings), upstreamRows(upstream)),
    ),
    ...files.flatMap((file) => formatSection(`File, ${file.source}`, fileRows(file))),
    ...(store === undefined ? [] : formatSection("Store", storeRows(store))),
    ...formatFindings("Warnings", warnings),
    ...formatFindings("Problems", problems),
    summarize(problems.length, warnings.length),
  ].join("\n");
}

function toHeading({ source }: CheckedUpstream, settings: CheckedSettings | undefined): string {
  return settings?.tokens.length === 1 ? "Upstream" : `Upstream, ${source}`;
}

function settingRows(settings: CheckedSettings, files: readonly CheckedFile[]): readonly Row[] {
  const { synchronization, refreshIntervalMs, serverTokens, customStrategies } = settings;
  const { clientKeys, accessFile, accessFileKeys = 0 } = settings;
  return [
    ["Address", settings.flagsUrl],
    ...settings.tokens.map((token): Row => ["Token", describeToken(token)]),
    ...optionalRow("Client keys", clientKeys === 0 ? "" : String(clientKeys)),
    ...optionalRow(
      "Access file",
      accessFile === undefined ? "" : `${accessFile}, ${describeCount(accessFileKeys, "key")}`,
    ),
    ...optionalRow("Upstream keys", settings.upstreamKeys ? "verified by the upstream" : ""),
    ...optionalRow("Server tokens", serverTokens === 0 ? "" : String(serverTokens)),
    ...optionalRow(
      "Synchronization",
      files.length > 0
        ? ""
        : refreshIntervalMs === 0
          ? `${synchronization}, flags are fetched once`
          : `${synchronization}, interval ${refreshIntervalMs} ms`,
    ),
    ...optionalRow("Strategies", customStrategies.join(", ")),
  ];
}

function describeToken(scope: TokenScope | undefined): string {
  if (scope === undefined) return "set; its text names neither a project nor an environment";
  const { project, environment } = scope;
  const projects = { "*": "all projects", "[]": "several projects" }[project];
  return `for ${projects ?? `project ${project}`}, environment ${environment}`;
}

function optionalRow(label: string, text: string): readonly Row[] {
  return text === "" ? [] : [[label, text]];
}

function upstreamRows(upstream: CheckedUpstream): readonly Row[] {
  return [
    ["Flags", describeContent(upstream)],
    ...optionalRow("Environment", upstream.environment ?? ""),
    ["First request", `${upstream.firstRequestMs} ms, including the connection and all flags`],
    ["Round trip", `${upstream.pollMs} ms, for a poll without changes`],
    ["Clock", describeClock(upstream)],
    ["Deltas", describeOffer(upstream.offersDelta)],
    ["Streaming", describeOffer(upstream.offersStreaming)],
  ];
}

function fileRows({ path, environment, ...file }: CheckedFile): readonly Row[] {
  return [
    ["Path", path],
    ...optionalRow("Environment", environment ?? ""),
    ["Flags", describeContent(file)],
  ];
}

function describeContent({
  flags,
  segments,
  sizeBytes,
}: Pick<CheckedFile, "flags" | "segments" | "sizeBytes">): string {
  return `${flags}, with ${describeCount(segments, "segment")}, ${formatBytes(sizeBytes)}`;
}

function storeRows({ address, writeMs, readMs }: CheckedStore): readonly Row[] {
  return [
    ["Address", address],
    ["First write", `${writeMs} ms, including the connection`],
    ["Read", `${readMs} ms`],
  ];
}

function describeOffer(isOffered: boolean | undefined): string {
  if (isOffered === undefined) return "unknown, because the request failed";
  return isOffered ? "offered" : "not offered";
}

function formatBytes(bytes: number): string {
  return bytes < 10_240 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KiB`;
}

/** NOTE: an offset within the uncertainty counts as zero. */
function describeClock({ clockOffsetMs, clockUncertaintyMs }: CheckedUpstream): string {
  if (clockOffsetMs === undefined || clockUncertaintyMs === undefined) {
    return "unknown, because the response has no usable Date header";
  }
  const uncertainty = `${toSeconds(clockUncertaintyMs)} s`;
  if (Math.abs(clockOffsetMs) <= clockUncertaintyMs) {
    return `equal to that of the upstream (Date header, accurate to ${uncertainty})`;
  }
  const direction = clockOffsetMs > 0 ? "behind" : "ahead of";
  return `${toSeconds(Math.abs(clockOffsetMs))} s ${direction} that of the upstream (Date header, accurate to ${uncertainty})`;
}

function toSeconds(ms: number): string {
  return (Math.ceil(ms / 100) / 10).toFixed(1);
}

function formatSection(heading: string, rows: readonly Row[]): readonly string[] {
  const width = Math.max(...rows.map(([label]) => label.length));
  return [heading, ...rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`), ""];
}

function formatFindings(heading: string, findings: readonly string[]): readonly string[] {
  if (findings.length === 0) return [];
  return [heading, ...findings.map((finding) => `  - ${finding}`), ""];
}

function summarize(problems: number, warnings: number): string {
  const warned = warnings === 0 ? "" : `, ${describeCount(warnings, "warning")}`;
  if (problems > 0) return `Not usable: ${describeCount(problems, "problem")}${warned}`;
  return `Usable: the proxy can start and get flags${warned}`;
}
