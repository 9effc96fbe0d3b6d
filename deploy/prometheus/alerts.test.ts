import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { getPromtool, tryTool } from "../_tools.ts";
import { ALERTS_FILE, writeTemporary, type RuleFile } from "./_promtool.ts";

const { tool: promtool, isMissing } = await tryTool(getPromtool);

const { groups } = parse(readFileSync(ALERTS_FILE, "utf8")) as RuleFile;
const rules = groups.flatMap((group) => group.rules);

/** Samples of series, one per minute, in the notation of promtool. */
type Samples = Readonly<Record<string, string>>;

interface Case {
  /** Samples with which the alert fires after an hour, and no other alert does. */
  readonly fires: Samples;
  /** Similar samples with which no alert fires. */
  readonly quiet: Samples;
}

const UP = 'up{job="flags-proxy",instance="a"}';
const ADMIN_UP = 'up{job="shop/flags-admin",instance="a"}';

/** Names a series of the proxy. */
const proxy = (name: string, labels = ""): string =>
  `${name}{job="flags-proxy",instance="a"${labels}}`;

const admin = (name: string, labels = ""): string =>
  `${name}{job="flags-admin",instance="a"${labels}}`;

const PROXY_REQUESTS = "flags_proxy_http_requests_total";
const ADMIN_REQUESTS = "flags_admin_http_requests_total";
const OK = ',status="200"';
const FAILED = ',status="503"';

/** Buckets of durations: `slow` of 1,000 requests per minute take longer than the alert allows. */
function durations(name: string, bounds: readonly [string, string], slow: number): Samples {
  const [fast, longest] = bounds;
  const bucket = (le: string, route = "/proxy"): string =>
    `${name}_bucket{job="j",le="${le}",route="${route}"}`;
  return {
    [bucket(fast)]: `0+${1000 - slow}x60`,
    [bucket(longest)]: "0+1000x60",
    [bucket("+Inf")]: "0+1000x60",
    // Streams stay open for a long time and do not count.
    [bucket(fast, "/proxy/stream")]: "0x60",
    [bucket("+Inf", "/proxy/stream")]: "0+1000x60",
  };
}

const PROXY_SECONDS = "flags_proxy_http_request_duration_seconds";
const ADMIN_SECONDS = "flags_admin_http_request_duration_seconds";
const SOURCE = ',source="production"';
const WEB = ',key="web"';
const AGE = proxy("flags_proxy_source_age_seconds", SOURCE);
const STORED = proxy("flags_proxy_source_stored_timestamp_seconds", SOURCE);
const FLAGS = proxy("flags_proxy_source_flags", SOURCE);

/** Whether an instance has a role among those that share flags. */
const roleOf = (instance: string, role: string): string =>
  `flags_proxy_sharing_role{job="flags-proxy",instance="${instance}",source="production",role="${role}"}`;

/** A counter that is constant, and one that grows during the last minutes of the hour. */
const CONSTANT = "7x60";
const GROWING = "0x50 1+10x10";

const growing = (series: string): Case => ({
  fires: { [series]: GROWING },
  quiet: { [series]: CONSTANT },
});

/** A ratio of connections: 9,500 and 8,500 of 10,000. */
const connections = (open: string, limit: string): Case => ({
  fires: { [open]: "9500x60", [limit]: "10000x60" },
  quiet: { [open]: "8500x60", [limit]: "10000x60" },
});

/** The process started three times, and once. */
const restarts = (started: string, up: string, other: string): Case => ({
  fires: { [started]: "1x40 2x3 3x5 4x20", [up]: "1x60" },
  // Other programs export the same metric.
  quiet: { [started]: "1x40 2x20", [up]: "1x60", [other]: "1x40 2x3 3x5 4x20" },
});

const STARTED = "process_start_time_seconds";

const CASES: Readonly<Record<string, Case>> = {
  FlagsProxyUnavailable: {
    // The pods are gone, and with them the targets.
    fires: { [UP]: "1x50 stale" },
    quiet: { [UP]: "1x50 0x2 1x20" },
  },
  FlagsProxyNotReady: {
    fires: { [UP]: "0x60", 'up{job="flags-proxy",instance="b"}': "1x60" },
    quiet: { [UP]: "0x50 1x20", 'up{job="other",instance="b"}': "0x60" },
  },
  FlagsProxyStale: {
    fires: { [AGE]: "5x50 60+60x10" },
    quiet: { [AGE]: "5x50 100x10" },
  },
  FlagsProxyUnconfirmed: {
    fires: { [FLAGS]: "3x60" },
    quiet: { [FLAGS]: "3x60", [AGE]: "5x60" },
  },
  FlagsProxyStoreOutdated: {
    fires: { [STORED]: "0x60", [AGE]: "5x60" },
    quiet: { [STORED]: "0+60x60", [AGE]: "5x60" },
  },
  FlagsProxyStoreRejected: growing(proxy("flags_proxy_store_rejected_documents_total", SOURCE)),
  FlagsProxyUpstreamErrors: {
    fires: { [proxy("flags_proxy_source_errors_total", SOURCE)]: "0+1x60" },
    quiet: { [proxy("flags_proxy_source_errors_total", SOURCE)]: "0x55 1x10" },
  },
  FlagsProxyNoFlags: {
    fires: { [FLAGS]: "0x60" },
    quiet: { [FLAGS]: "12x60", [AGE]: "5x60" },
  },
  FlagsProxyFlagsFallen: {
    fires: { [proxy("flags_proxy_source_flags_fallen", SOURCE)]: "0x50 1x10" },
    quiet: { [proxy("flags_proxy_source_flags_fallen", SOURCE)]: "1x50 0x10" },
  },
  FlagsProxyNotShared: {
    fires: { [roleOf("a", "alone")]: "1x60" },
    quiet: { [roleOf("a", "holder")]: "1x60", [roleOf("a", "alone")]: "0x60" },
  },
  FlagsProxyNoHolder: {
    fires: {
      [roleOf("a", "holder")]: "0x60",
      [roleOf("a", "follower")]: "1x60",
      [roleOf("b", "holder")]: "0x60",
      [roleOf("b", "follower")]: "1x60",
    },
    quiet: {
      [roleOf("a", "holder")]: "0x60",
      [roleOf("a", "follower")]: "1x60",
      [roleOf("b", "holder")]: "1x60",
      [roleOf("b", "follower")]: "0x60",
    },
  },
  FlagsProxyErrors: {
    fires: {
      [proxy(PROXY_REQUESTS, OK)]: "0+98x60",
      [proxy(PROXY_REQUESTS, FAILED)]: "0+2x60",
    },
    quiet: {
      [proxy(PROXY_REQUESTS, OK)]: "0+995x60",
      [proxy(PROXY_REQUESTS, FAILED)]: "0+5x60",
    },
  },
  FlagsProxyLatency: {
    fires: durations(PROXY_SECONDS, ["0.1", "0.5"], 20),
    quiet: durations(PROXY_SECONDS, ["0.1", "0.5"], 5),
  },
  FlagsProxyEventLoopLag: {
    fires: {
      [proxy("nodejs_eventloop_lag_p99_seconds")]: "0.5x60",
      [proxy("flags_proxy_up")]: "1x60",
    },
    quiet: {
      [proxy("nodejs_eventloop_lag_p99_seconds")]: "0.05x60",
      [proxy("flags_proxy_up")]: "1x60",
      'nodejs_eventloop_lag_p99_seconds{job="other",instance="b"}': "0.5x60",
    },
  },
  FlagsProxyAccessFileInvalid: {
    fires: { [proxy("flags_proxy_access_file_valid")]: "0x60" },
    quiet: { [proxy("flags_proxy_access_file_valid")]: "1x58 0x2" },
  },
  FlagsProxyKeyExpiring: {
    // Evaluated at 3,600 s. Keys that nobody uses, and those that have expired, cause no alert.
    fires: {
      [proxy("flags_proxy_key_expiry_timestamp_seconds", WEB)]: "1000000x60",
      [proxy("flags_proxy_key_requests_total", WEB)]: "0+5x60",
    },
    quiet: {
      [proxy("flags_proxy_key_expiry_timestamp_seconds", WEB)]: "2000000x60",
      [proxy("flags_proxy_key_requests_total", WEB)]: "0+5x60",
      [proxy("flags_proxy_key_expiry_timestamp_seconds", ',key="unused"')]: "1000000x60",
      [proxy("flags_proxy_key_requests_total", ',key="unused"')]: "5x60",
      [proxy("flags_proxy_key_expiry_timestamp_seconds", ',key="expired"')]: "1000x60",
      [proxy("flags_proxy_key_requests_total", ',key="expired"')]: "0+5x60",
    },
  },
  FlagsProxyCertificateExpiring: {
    fires: { [proxy("flags_proxy_tls_certificate_expiry_timestamp_seconds")]: "600000x60" },
    quiet: { [proxy("flags_proxy_tls_certificate_expiry_timestamp_seconds")]: "700000x60" },
  },
  FlagsProxyRestarts: restarts(
    proxy(STARTED),
    proxy("flags_proxy_up"),
    `${STARTED}{job="other",instance="b"}`,
  ),
  FlagsProxyWorkerRestarts: growing(proxy("flags_proxy_worker_restarts_total")),
  FlagsProxyWorkersUnresponsive: growing(proxy("flags_proxy_workers_unresponsive_total")),
  FlagsProxyCustomStrategyErrors: growing(
    proxy("flags_proxy_custom_strategy_errors_total", ',strategy="s"'),
  ),
  FlagsProxyUsageDropped: {
    // A kind that has not been counted before.
    fires: { [proxy("flags_proxy_usage_dropped_total", ',kind="rejected"')]: "_x55 3x10" },
    quiet: { [proxy("flags_proxy_usage_dropped_total", ',kind="rejected"')]: "3x60" },
  },
  FlagsProxyUsageRefused: growing(proxy("flags_proxy_usage_refused_total")),
  FlagsProxyUsageSpoolNotWritable: {
    fires: { [proxy("flags_proxy_usage_spool_writable", SOURCE)]: "1x50 0x10" },
    quiet: { [proxy("flags_proxy_usage_spool_writable", SOURCE)]: "0x50 1x10" },
  },
  FlagsProxyUsageSpoolFull: {
    fires: {
      [proxy("flags_proxy_usage_spool_bytes", SOURCE)]: "70x60",
      [proxy("flags_proxy_usage_spool_limit_bytes", SOURCE)]: "128x60",
    },
    quiet: {
      [proxy("flags_proxy_usage_spool_bytes", SOURCE)]: "50x60",
      [proxy("flags_proxy_usage_spool_limit_bytes", SOURCE)]: "128x60",
    },
  },
  FlagsProxyStreamsRefused: growing(proxy("flags_proxy_push_streams_refused_total")),
  FlagsProxyConnections: connections(
    proxy("flags_proxy_connections"),
    proxy("flags_proxy_connections_max"),
  ),
  FlagsAdminUnavailable: {
    fires: { [ADMIN_UP]: "1x50 0x20" },
    quiet: { [ADMIN_UP]: "0x50 1x20" },
  },
  FlagsAdminDatabaseDown: {
    fires: { [admin("flags_admin_database_up")]: "1x50 0x10" },
    quiet: { [admin("flags_admin_database_up")]: "0x50 1x10" },
  },
  FlagsAdminDatabaseErrors: {
    fires: { [admin("flags_admin_database_errors_total")]: GROWING },
    quiet: { [admin("flags_admin_database_errors_total")]: "0x57 1x10" },
  },
  FlagsAdminDiskLow: {
    fires: { [admin("flags_admin_disk_free_bytes")]: "200000000x60" },
    quiet: { [admin("flags_admin_disk_free_bytes")]: "900000000x60" },
  },
  FlagsAdminDiskFull: growing(admin("flags_admin_disk_full_errors_total")),
  FlagsAdminErrors: {
    fires: {
      [admin(ADMIN_REQUESTS, OK)]: "0+98x60",
      [admin(ADMIN_REQUESTS, FAILED)]: "0+2x60",
    },
    quiet: {
      [admin(ADMIN_REQUESTS, OK)]: "0+995x60",
      [admin(ADMIN_REQUESTS, FAILED)]: "0+5x60",
    },
  },
  FlagsAdminLatency: {
    fires: durations(ADMIN_SECONDS, ["2.5", "5"], 20),
    quiet: durations(ADMIN_SECONDS, ["0.5", "2.5"], 5),
  },
  FlagsAdminGuessing: {
    fires: { [admin("flags_admin_refused_guesses_total")]: GROWING },
    quiet: { [admin("flags_admin_refused_guesses_total")]: "0x58 1+10x2" },
  },
  FlagsAdminConnections: connections(
    admin("flags_admin_connections"),
    admin("flags_admin_connections_max"),
  ),
  FlagsAdminRestarts: restarts(
    admin(STARTED),
    admin("flags_admin_up"),
    `${STARTED}{job="other",instance="b"}`,
  ),
};

test("every alert has a test, a severity and a section in the documentation", () => {
  expect(rules.map((rule) => rule.alert).toSorted()).toEqual(Object.keys(CASES).toSorted());
  const page = new URL("../../docs/guides/deployment/monitoring.md", import.meta.url);
  const headings = readFileSync(page, "utf8").match(/^#+ .*$/gm) ?? [];
  for (const { alert, labels, annotations } of rules) {
    expect(["warning", "critical"]).toContain(labels.severity);
    expect(annotations.runbook_url).toMatch(
      new RegExp(`/docs/guides/deployment/monitoring\\.md#${alert.toLowerCase()}$`),
    );
    expect(headings).toContain(`### ${alert}`);
  }
});

test("the documented command turns the file into a PrometheusRule", () => {
  const page = new URL("../../docs/guides/deployment/monitoring.md", import.meta.url);
  const [, block = ""] =
    /```sh example\n(\{ cat <<[\s\S]*?)```/.exec(readFileSync(page, "utf8")) ?? [];
  const command = block.replace("| kubectl apply -f -", "");
  const root = new URL("../..", import.meta.url);
  const output = execFileSync("sh", ["-c", command], { cwd: root, encoding: "utf8" });
  expect(parse(output)).toEqual({
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { name: "flags", labels: { release: "prometheus" } },
    spec: { groups },
  });
});

describe.skipIf(isMissing)("alerts", () => {
  test("promtool accepts the file", async () => {
    expect(await promtool(["check", "rules", ALERTS_FILE])).toContain(`${rules.length} rules`);
  });

  test("each alert fires when it should, and not otherwise", async () => {
    const toTest = (name: string, samples: Samples, firing: readonly string[]): unknown => ({
      name,
      interval: "1m",
      input_series: Object.entries(samples).map(([series, values]) => ({ series, values })),
      promql_expr_test: [
        {
          expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
          eval_time: "60m",
          exp_samples: firing.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
        },
      ],
    });
    const tests = Object.entries(CASES).flatMap(([alert, { fires, quiet }]) => [
      toTest(`${alert} fires`, fires, [alert]),
      toTest(`${alert} does not fire`, quiet, []),
    ]);
    const file = await writeTemporary("tests.yaml", {
      rule_files: [ALERTS_FILE],
      evaluation_interval: "1m",
      tests,
    });
    expect(await promtool(["test", "rules", file])).toContain("SUCCESS");
    process.stdout.write(`${rules.length} alerts: ${tests.length} tests passed\n`);
    // promtool needs ten seconds of CPU time.
  });
});
