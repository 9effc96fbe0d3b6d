import { createGauge, createLabelledCounter, createLabelledGauge } from "flags-server-kit/http";
import { type Aggregator, Counter, type Registry } from "prom-client";
import type { Source } from "../sources/sources.ts";

/** Prefix of the names of the proxy's own metrics. */
export const METRICS_PREFIX = "flags_proxy";

interface LabelledValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * Defines metrics of the proxy, by their names without the prefix. Values are read when metrics are collected; with
 * workers, the aggregator combines those of all processes.
 */
export class MetricSet {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  gauge(name: string, help: string, read: () => number, aggregator: Aggregator = "sum"): void {
    createGauge(this.#registry, { name: prefixed(name), help, aggregator, read });
  }

  gauges(
    name: string,
    help: string,
    labelNames: readonly string[],
    read: () => Iterable<LabelledValue>,
    aggregator: Aggregator = "sum",
  ): void {
    const description = { name: prefixed(name), help, labelNames, aggregator };
    createLabelledGauge(this.#registry, { ...description, read });
  }

  /** Counters whose values something else counts. */
  counters(
    name: string,
    help: string,
    labelNames: readonly string[],
    read: () => Iterable<LabelledValue>,
  ): void {
    createLabelledCounter(this.#registry, { name: prefixed(name), help, labelNames, read });
  }

  counter<Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ): Counter<Label> {
    const registers = [this.#registry];
    return new Counter({ name: prefixed(name), help, labelNames: [...labelNames], registers });
  }
}

function prefixed(name: string): string {
  return `${METRICS_PREFIX}_${name}`;
}

/** Returns a value of each source that has one. */
export function valuesOf(
  sources: readonly Source[],
  read: (source: Source) => number | undefined,
): readonly LabelledValue[] {
  return sources.flatMap((source) => {
    const value = read(source);
    return value === undefined ? [] : [{ labels: { source: source.name }, value }];
  });
}
