import {
  type ClosedStreams,
  createRegistry,
  createRequestMetrics,
  MetricSet,
  observeClosedStreams,
  type RequestMetrics,
} from "flags-server-kit/http";
import type { Registry } from "prom-client";
import type { ApiError } from "../errors.ts";
import type { Storage } from "../storage/storage.ts";
import { withTimeout } from "./with-timeout.ts";

interface ObservedStreams {
  readonly size: number;
  readonly closed: ClosedStreams;
}

/** The metrics of one app, in their own registry. */
interface Metrics {
  readonly registry: Registry;
  readonly requests: RequestMetrics;
  /** Counts an error response. */
  readonly observeError: (error: ApiError) => void;
  /**
   * Adds the numbers of open and closed streams of one kind.
   *
   * @param name without the prefix
   */
  readonly observeStreams: (name: string, help: string, streams: ObservedStreams) => void;
}

/** Prefix of the names of all metrics of the service. */
export const METRICS_PREFIX = "flags_admin";

/** Creates the metrics of one app. */
export function createMetrics(storage: Storage): Metrics {
  const registry = createRegistry(METRICS_PREFIX, "the service");
  const metrics = new MetricSet(registry, METRICS_PREFIX);
  observeDatabase(metrics, storage);
  observeDisk(metrics, storage);
  const databaseErrors = metrics.counter(
    "database_errors_total",
    "Requests that failed because the database was unavailable",
  );
  const diskFullErrors = metrics.counter(
    "disk_full_errors_total",
    "Requests that were rejected or failed because of a full disk",
  );
  const refusedGuesses = metrics.counter(
    "refused_guesses_total",
    "Requests rejected because too many unknown tokens were sent",
  );
  return {
    registry,
    requests: createRequestMetrics(registry, METRICS_PREFIX),
    observeError: ({ name }) => {
      if (name === "ServiceUnavailableError") databaseErrors.inc();
      if (name === "InsufficientStorageError") diskFullErrors.inc();
      if (name === "RateLimitError") refusedGuesses.inc();
    },
    observeStreams: (name, help, streams) => {
      metrics.gauge(name, help, [], () => streams.size);
      observeClosedStreams(registry, `${METRICS_PREFIX}_${name}`, streams);
    },
  };
}

function observeDatabase(metrics: MetricSet, storage: Storage): void {
  metrics.gauge("database_up", "1 while the database can be reached", [], () =>
    withTimeout(storage.ping()).then(
      () => 1,
      () => 0,
    ),
  );
  metrics.gauge(
    "revision",
    "Id of the latest change; absent while the database is unavailable",
    [],
    // An outdated value could be mistaken for the current one.
    () => withTimeout(storage.revision()).catch(() => undefined),
  );
}

/** Only for the embedded database: the free space of a PostgreSQL server is unknown. */
function observeDisk(metrics: MetricSet, storage: Storage): void {
  if (storage.freeDiskBytes() === undefined) return;
  metrics.gauge(
    "disk_free_bytes",
    "Free bytes on the disk of the embedded database",
    [],
    () => storage.freeDiskBytes() ?? 0,
  );
}
