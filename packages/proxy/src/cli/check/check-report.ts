import { describeCount } from "flags-sdk/neutral";
import { formatFindings, formatSection, type ReportRow } from "flags-server-kit/command-line";
import type { TokenScope } from "../../sources/token-scope.ts";
import type {
  CheckedContent,
  CheckedSettings,
  CheckedStore,
  CheckedUpstream,
  CheckReport,
} from "./run-check.ts";

export function formatReport(report: CheckReport): string {
  const { settings, store, upstreams, files = [] } = report;
  const isOnly = settings?.tokens.length === 1;
  return [
    ...(settings === undefined ? [] : formatSection("Settings", settingRows(settings))),
    ...upstreams.flatMap((upstream) =>
      formatSection(isOnly ? "Upstream" : `Upstream, ${upstream.source}`, upstreamRows(upstream)),
    ),
    ...files.flatMap(({ source, path, environment, ...content }) =>
      formatSection(`File, ${source}`, [
        ["Path", path],
        ["Environment", environment],
        ["Flags", describeContent(content)],
      ]),
    ),
    ...(store === undefined ? [] : formatSection("Store", storeRows(store))),
    ...formatFindings(report, "the proxy can start and get flags"),
  ].join("\n");
}

function settingRows(settings: CheckedSettings): readonly ReportRow[] {
  const { tokens, clientKeys, serverTokens, accessFile, accessFileKeys = 0 } = settings;
  const { upstreamKeys, synchronization, refreshIntervalMs, customStrategies } = settings;
  const interval =
    refreshIntervalMs === 0 ? "flags are fetched once" : `interval ${refreshIntervalMs} ms`;
  return [
    ["Address", settings.flagsUrl],
    ...tokens.map((token): ReportRow => ["Token", describeToken(token)]),
    ["Client keys", clientKeys === 0 ? undefined : String(clientKeys)],
    ["Access file", accessFile && `${accessFile}, ${describeCount(accessFileKeys, "key")}`],
    ["Upstream keys", upstreamKeys ? "verified by the upstream" : undefined],
    ["Server tokens", serverTokens === 0 ? undefined : String(serverTokens)],
    // Flags from files have no token.
    ["Synchronization", tokens.length === 0 ? undefined : `${synchronization}, ${interval}`],
    ["Strategies", customStrategies.join(", ")],
  ];
}

function describeToken(scope: TokenScope | undefined): string {
  if (scope === undefined) return "set; its text names neither a project nor an environment";
  const { project, environment } = scope;
  const projects = { "*": "all projects", "[]": "several projects" }[project];
  return `for ${projects ?? `project ${project}`}, environment ${environment}`;
}

function upstreamRows(upstream: CheckedUpstream): readonly ReportRow[] {
  return [
    ["Flags", describeContent(upstream)],
    ["Environment", upstream.environment],
    ["First request", `${upstream.firstRequestMs} ms, including the connection and all flags`],
    ["Round trip", `${upstream.pollMs} ms, for a poll without changes`],
    ["Clock", describeClock(upstream)],
    ["Deltas", describeOffer(upstream.offersDelta)],
    ["Streaming", describeOffer(upstream.offersStreaming)],
  ];
}

function describeContent({ flags, segments, sizeBytes }: CheckedContent): string {
  const size = sizeBytes < 10_240 ? `${sizeBytes} bytes` : `${Math.round(sizeBytes / 1024)} KiB`;
  return `${flags}, with ${describeCount(segments, "segment")}, ${size}`;
}

function storeRows({ address, writeMs, readMs }: CheckedStore): readonly ReportRow[] {
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
