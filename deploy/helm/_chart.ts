import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { parseAllDocuments, stringify } from "yaml";
import type { Tool } from "../_tools.ts";

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
  // Differs between kinds: tests compare parts of it.
  readonly [field: string]: unknown;
}

export type ChartName = "flags-proxy" | "flags-admin";

export function chartDirectory(chart: ChartName): string {
  return fileURLToPath(new URL(chart, import.meta.url));
}

/** Returns the paths of the values in a chart's `ci` directory. */
export async function listValues(chart: ChartName): Promise<readonly string[]> {
  const directory = join(chartDirectory(chart), "ci");
  return (await readdir(directory)).map((file) => join(directory, file));
}

/** Renders a chart with values, as the release of the same name. Rejects with Helm's message. */
export async function renderText(
  helm: Tool,
  chart: ChartName,
  values: string | Record<string, unknown>,
): Promise<string> {
  const file = typeof values === "string" ? values : writeValues(values);
  return helm(["template", chart, chartDirectory(chart), "--namespace", "shop", "--values", file]);
}

/** Like `renderText()`, parsed. */
export async function render(
  helm: Tool,
  chart: ChartName,
  values: string | Record<string, unknown>,
): Promise<readonly Manifest[]> {
  const text = await renderText(helm, chart, values);
  return parseAllDocuments(text).map((document) => {
    const [problem] = document.errors;
    if (problem !== undefined) throw problem;
    return document.toJS() as Manifest;
  });
}

/** Returns the only manifest of a kind. */
export function findKind(manifests: readonly Manifest[], kind: string): Manifest {
  const [found, ...others] = manifests.filter((manifest) => manifest.kind === kind);
  if (found === undefined || others.length > 0) throw new Error(`There is not exactly one ${kind}`);
  return found;
}

/** What a test reads of the pods of a Deployment. */
export interface PodTemplate {
  readonly metadata: {
    readonly labels: Record<string, string>;
    readonly annotations: Record<string, string>;
  };
  readonly spec: {
    readonly automountServiceAccountToken: boolean;
    readonly enableServiceLinks: boolean;
    readonly securityContext: Record<string, unknown>;
    readonly containers: readonly [Container];
    readonly volumes: readonly Record<string, unknown>[];
    readonly [field: string]: unknown;
  };
}

export interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly envFrom?: readonly unknown[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly securityContext: Record<string, unknown>;
  readonly volumeMounts: readonly Record<string, unknown>[];
  readonly [field: string]: unknown;
}

export interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string };
  readonly failureThreshold: number;
  readonly [field: string]: unknown;
}

export interface DeploymentSpec {
  readonly replicas?: number;
  readonly strategy: Record<string, unknown>;
  readonly selector: { readonly matchLabels: Record<string, string> };
  readonly template: PodTemplate;
}

/** Returns the specification of the only Deployment. */
export function deploymentOf(manifests: readonly Manifest[]): DeploymentSpec {
  return findKind(manifests, "Deployment")["spec"] as DeploymentSpec;
}

/** Returns the container of the only Deployment. */
export function containerOf(manifests: readonly Manifest[]): Container {
  return deploymentOf(manifests).template.spec.containers[0];
}

function writeValues(values: Record<string, unknown>): string {
  const directory = mkdtempSync(join(tmpdir(), "flags-values-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, "values.yaml");
  writeFileSync(file, stringify(values));
  return file;
}
