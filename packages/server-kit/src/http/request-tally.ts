/** A request that was answered. */
export interface ObservedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** How often a route was answered, and how long that took. */
interface RouteTally {
  /** By method, then by status. */
  readonly counts: Map<string, number[]>;
  /** How many requests took up to each of the bounds, and longer than all of them. */
  readonly durations: number[];
  totalSeconds: number;
}

/** Requests of one kind, and how many there were. */
export interface RequestCount {
  readonly labels: { readonly method: string; readonly route: string; readonly status: number };
  readonly count: number;
}

/** The durations of one route, as Prometheus counts them. */
export interface RouteDurations {
  readonly route: string;
  /** How many took up to each of the bounds, the shorter ones included. */
  readonly upTo: readonly number[];
  readonly count: number;
  readonly totalSeconds: number;
}

/**
 * Counts requests and their durations. This is a hot path: the metrics library takes ten times as
 * long for each request, so it is told of the sums, and only when somebody asks for them.
 */
export class RequestTally {
  readonly #boundsSeconds: readonly number[];
  readonly #routes = new Map<string, RouteTally>();

  constructor(boundsSeconds: readonly number[]) {
    this.#boundsSeconds = boundsSeconds;
  }

  observe({ method, route, status, seconds }: ObservedRequest): void {
    const tally = this.#routes.get(route) ?? this.#add(route);
    const counts = tally.counts.get(method) ?? addTo(tally.counts, method, []);
    counts[status] = (counts[status] ?? 0) + 1;
    let bound = 0;
    while (seconds > (this.#boundsSeconds[bound] ?? Number.POSITIVE_INFINITY)) bound += 1;
    tally.durations[bound] = (tally.durations[bound] ?? 0) + 1;
    tally.totalSeconds += seconds;
  }

  counts(): readonly RequestCount[] {
    return [...this.#routes].flatMap(([route, tally]) =>
      [...tally.counts].flatMap(([method, counts]) =>
        Object.entries(counts).map(([status, count]) => ({
          labels: { method, route, status: Number(status) },
          count,
        })),
      ),
    );
  }

  durations(): readonly RouteDurations[] {
    return [...this.#routes].map(([route, { durations, totalSeconds }]) => {
      let count = 0;
      const upTo = durations.map((own) => (count += own));
      return { route, upTo, count, totalSeconds };
    });
  }

  #add(route: string): RouteTally {
    const durations = Array.from({ length: this.#boundsSeconds.length + 1 }, () => 0);
    return addTo(this.#routes, route, { counts: new Map(), durations, totalSeconds: 0 });
  }
}

function addTo<Value>(map: Map<string, Value>, key: string, value: Value): Value {
  map.set(key, value);
  return value;
}
