import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { isComplete } from "../../scripts/test-size.ts";
import { getHelm, getHelm3, getManifestValidator, tryTool } from "../_tools.ts";
import { chartDirectory, listValues, render, renderText, type ChartName } from "./_chart.ts";

const helm = await tryTool(getHelm);
const validator = await tryTool(getManifestValidator);

const CHARTS: readonly ChartName[] = ["flags-proxy", "flags-admin"];

/** The oldest version that the charts allow, and the latest one that the validator knows. */
const KUBERNETES_VERSIONS = ["1.30", "1.37"];

/** Kinds that are not part of Kubernetes: other tests check their content. */
const CUSTOM_RESOURCES = /Couldn't find schema for kind (ServiceMonitor|HTTPRoute) /;

describe.skipIf(helm.isMissing)("charts", () => {
  test.each(CHARTS)("%s passes helm lint with all values", async (chart) => {
    const files = await listValues(chart);
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) {
      const output = await helm.tool(["lint", "--strict", chartDirectory(chart), "-f", file]);
      expect(output).toContain("0 chart(s) failed");
    }
  });

  if (isComplete) {
    test.each(CHARTS)("%s is the same with Helm 3", async (chart) => {
      const helm3 = await getHelm3();
      for (const file of await listValues(chart)) {
        const manifests = await render(helm3, chart, file);
        expect(manifests).toEqual(await render(helm.tool, chart, file));
      }
    });
  }

  test.each(CHARTS)("%s explains after the installation what to do next", async (chart) => {
    const notes = await readNotes(chart);
    expect(notes).toContain(`kubectl --namespace shop rollout status deployment/${chart}`);
    expect(notes).toContain(`kubectl --namespace shop rollout restart deployment/${chart}`);
  });

  test("flags-admin explains how to sign in to the console", async () => {
    const notes = await readNotes("flags-admin");
    expect(notes).toContain("kubectl --namespace shop port-forward service/flags-admin 4242:4242");
    expect(notes).toContain(
      "kubectl --namespace shop get secret flags-admin-secrets -o jsonpath='{.data.INIT_ADMIN_API_TOKENS}'",
    );
  });

  test.skipIf(validator.isMissing)("manifests match the schemas of Kubernetes", async () => {
    const directory = await mkdtemp(join(tmpdir(), "flags-manifests-"));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const files: string[] = [];
    for (const chart of CHARTS) {
      for (const values of await listValues(chart)) {
        const file = join(directory, `${chart}-${basename(values)}`);
        await writeFile(file, await renderText(helm.tool, chart, values));
        files.push(file);
      }
    }
    for (const version of KUBERNETES_VERSIONS) {
      const output = await validator.tool(["--strict", "-k", version, ...files]);
      const lines = output.trim().split("\n");
      const unknown = lines.filter((line) => !line.startsWith("INFO "));
      expect(unknown.filter((line) => !CUSTOM_RESOURCES.test(line))).toEqual([]);
      const count = lines.length - unknown.length;
      expect(count).toBeGreaterThan(30);
      process.stdout.write(`Kubernetes ${version}: ${count} manifests are valid\n`);
    }
  });
});

async function readNotes(chart: ChartName): Promise<string> {
  const [file = ""] = (await listValues(chart)).filter((path) => path.endsWith("minimal.yaml"));
  const options = ["--dry-run=client", "--namespace", "shop", "-f", file];
  const output = await helm.tool(["install", chart, chartDirectory(chart), ...options]);
  const [, notes = ""] = output.split("NOTES:");
  return notes;
}
