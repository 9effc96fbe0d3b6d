import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { checkAccessFile } from "../../packages/proxy/src/access-file/check-access-file.ts";
import { parseTokenScope } from "../../packages/proxy/src/sources/token-scope.ts";
import { getHelm, tryTool } from "../_tools.ts";
import {
  chartDirectory,
  containerOf,
  deploymentOf,
  findKind,
  render,
  renderText,
  type Manifest,
} from "./_chart.ts";

const { tool: helm, isMissing } = await tryTool(getHelm);

const CI = join(chartDirectory("flags-proxy"), "ci");

const MINIMAL = {
  proxy: { upstreamUrl: "http://flags-admin:4242/api" },
  existingSecrets: "flags-proxy-keys",
};

const renderWith = (values: Record<string, unknown>): Promise<readonly Manifest[]> =>
  render(helm, "flags-proxy", { ...MINIMAL, ...values });

const hasKind = (manifests: readonly Manifest[], kind: string): boolean =>
  manifests.some((manifest) => manifest.kind === kind);

describe.skipIf(isMissing)("chart flags-proxy", () => {
  test("runs without privileges, with a read-only root file system", async () => {
    const { spec } = deploymentOf(await renderWith({})).template;
    expect(spec.automountServiceAccountToken).toBe(false);
    expect(spec.securityContext).toEqual({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    const [container] = spec.containers;
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
    });
    expect(container.volumeMounts).toEqual([{ name: "tmp", mountPath: "/tmp" }]);
    expect(spec.volumes).toEqual([{ name: "tmp", emptyDir: {} }]);
  });

  test("usageSpool gives each pod a volume for usage", async () => {
    const usageSpool = { enabled: true, maxBytes: 268_435_456 };
    const manifests = await renderWith({ usageSpool });
    const container = containerOf(manifests);
    expect(container.volumeMounts).toContainEqual({
      name: "usage",
      mountPath: "/var/lib/flags/usage",
    });
    expect(container.env).toContainEqual({
      name: "FLAGS_USAGE_SPOOL",
      value: "/var/lib/flags/usage",
    });
    expect(container.env).toContainEqual({
      name: "FLAGS_USAGE_SPOOL_MAX_BYTES",
      value: "268435456",
    });
    expect(deploymentOf(manifests).template.spec.volumes).toContainEqual({
      name: "usage",
      emptyDir: {},
    });
  });

  test("usageSpool.volume replaces the default volume", async () => {
    const claim = { persistentVolumeClaim: { claimName: "usage" } };
    const manifests = await renderWith({ usageSpool: { enabled: true, volume: claim } });
    const { volumes } = deploymentOf(manifests).template.spec;
    // Kubernetes rejects a volume of two types.
    expect(volumes).toContainEqual({ name: "usage", ...claim });
  });

  test("Kubernetes sets no variables that look like settings of the proxy", async () => {
    expect(deploymentOf(await renderWith({})).template.spec.enableServiceLinks).toBe(false);
  });

  test("has all probes, and never restarts a pod that waits for its upstream", async () => {
    const { startupProbe, livenessProbe, readinessProbe } = containerOf(await renderWith({}));
    const probes = [startupProbe, livenessProbe, readinessProbe];
    expect(probes.map(({ httpGet }) => httpGet)).toEqual(
      ["/live", "/live", "/ready"].map((path) => ({ path, port: "http" })),
    );
  });

  test("an access file from values and the files that it names are in one directory", async () => {
    const manifests = await render(helm, "flags-proxy", join(CI, "access-and-tls.yaml"));
    const container = containerOf(manifests);
    const path = "/etc/flags/access/access.yaml";
    expect(container.env).toContainEqual({ name: "FLAGS_ACCESS_FILE", value: path });
    const mount = { name: "access", mountPath: "/etc/flags/access", readOnly: true };
    expect(container.volumeMounts).toContainEqual(mount);
    const sources = ["flags-proxy-access", "flags-proxy-access-secrets"];
    expect(deploymentOf(manifests).template.spec.volumes).toContainEqual({
      name: "access",
      projected: { defaultMode: 0o444, sources: sources.map((name) => ({ secret: { name } })) },
    });
    const secrets = manifests.filter(({ kind }) => kind === "Secret");
    const [keys, access] = secrets.map((secret) => secret["stringData"] as Record<string, string>);
    expect(keys?.["FLAGS_API_TOKEN"]).toBe(
      "*:production.a-token-for-tests,*:development.another-token-for-tests",
    );
    const directory = mkdtempSync(join(tmpdir(), "flags-access-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const files = {
      ...access,
      "context-secret": "a-secret-that-only-servers-know-1",
      "backend-key": "a-key",
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    const tokens = (keys?.["FLAGS_API_TOKEN"] ?? "").split(",");
    const scopes = tokens.map((token) => ({ scope: parseTokenScope(token) }));
    const settings = { sources: scopes, keys: [], isLoopback: true, nowMs: Date.now() };
    const { problems } = await checkAccessFile(join(directory, "access.yaml"), settings);
    expect(problems).toEqual([]);
  });

  test("an access file can come from a ConfigMap or a Secret", async () => {
    const sourcesWith = async (accessFile: object) => {
      const { spec } = deploymentOf(await renderWith({ accessFile })).template;
      return spec.volumes.find(({ name }) => name === "access")?.["projected"];
    };
    expect(await sourcesWith({ existingConfigMap: "{{ .Release.Name }}-keys" })).toMatchObject({
      sources: [{ configMap: { name: "flags-proxy-keys" } }],
    });
    expect(await sourcesWith({ existingSecret: "keys" })).toMatchObject({
      sources: [{ secret: { name: "keys" } }],
    });
  });

  test("with TLS, the certificate is mounted, and probes and metrics use the port without TLS", async () => {
    const manifests = await render(helm, "flags-proxy", join(CI, "access-and-tls.yaml"));
    const container = containerOf(manifests);
    const tls = { name: "tls", mountPath: "/etc/flags/tls", readOnly: true };
    expect(container.volumeMounts).toContainEqual(tls);
    expect(container.env).toEqual(
      expect.arrayContaining([
        { name: "FLAGS_TLS_CERT_FILE", value: "/etc/flags/tls/tls.crt" },
        { name: "FLAGS_TLS_CLIENT_CA_FILE", value: "/etc/flags/client-ca/ca.crt" },
        { name: "FLAGS_TLS_PORT", value: "8443" },
        { name: "FLAGS_MANAGEMENT_PORT", value: "9000" },
      ]),
    );
    expect(container.livenessProbe.httpGet).toMatchObject({ port: "management" });
    expect(container.readinessProbe.httpGet).toMatchObject({ port: "management" });
    interface Ports {
      readonly ports: readonly { readonly name: string }[];
    }
    const services = manifests.filter(({ kind }) => kind === "Service");
    const ports = services.map(({ metadata, ...rest }) => [
      metadata.name,
      (rest["spec"] as Ports).ports.map(({ name }) => name),
    ]);
    // The Service for clients may be public.
    expect(ports).toEqual([
      ["flags-proxy", ["http", "https"]],
      ["flags-proxy-management", ["management"]],
    ]);
    expect(findKind(manifests, "ServiceMonitor")["spec"]).toMatchObject({
      endpoints: [{ port: "management" }],
    });
  });

  test("with TLS on the only port, probes and metrics use TLS", async () => {
    const manifests = await renderWith({
      tls: { secretName: "certificate" },
      serviceMonitor: { enabled: true },
    });
    expect(containerOf(manifests).livenessProbe.httpGet).toMatchObject({
      port: "http",
      scheme: "HTTPS",
    });
    expect(findKind(manifests, "ServiceMonitor")["spec"]).toMatchObject({
      endpoints: [{ port: "http", scheme: "https", tlsConfig: { insecureSkipVerify: true } }],
    });
  });

  test("the names of the Services are allowed hosts", async () => {
    const { env } = containerOf(
      await renderWith({ proxy: { managementPort: 9000, allowedHosts: ["metrics.shop.test"] } }),
    );
    const names = ["flags-proxy", "flags-proxy-management"].flatMap((name) => [
      name,
      `${name}.shop`,
      `${name}.shop.svc`,
      `${name}.shop.svc.cluster.local`,
    ]);
    const value = [...names, "metrics.shop.test"].join(",");
    expect(env).toContainEqual({ name: "ALLOWED_HOSTS", value });
  });

  test("flags from files need no token", async () => {
    const values = {
      proxy: { upstreamUrl: "file:/flags" },
      secrets: { apiToken: "", clientKeys: ["*:production.some-key"] },
    };
    const { env } = containerOf(await renderWith(values));
    expect(env).toContainEqual({ name: "FLAGS_URL", value: "file:/flags" });
  });

  test("a base path applies to probes, metrics, Ingress and HTTPRoute", async () => {
    const manifests = await render(helm, "flags-proxy", join(CI, "everything.yaml"));
    expect(containerOf(manifests).readinessProbe.httpGet?.path).toBe("/base/path/ready");
    expect(findKind(manifests, "ServiceMonitor")["spec"]).toMatchObject({
      endpoints: [{ path: "/base/path/proxy/internal-backstage/prometheus", interval: "15s" }],
    });
    const ingress = JSON.stringify(findKind(manifests, "Ingress"));
    expect(ingress).toContain('"/base/path/proxy/stream"');
    expect(JSON.stringify(findKind(manifests, "HTTPRoute"))).toContain('"/base/path/ofrep"');
  });

  test("Ingress and HTTPRoute publish neither metrics nor health", async () => {
    const manifests = await renderWith({
      ingress: { enabled: true },
      httpRoute: { enabled: true, parentRefs: [{ name: "gateway" }] },
    });
    interface Rules {
      readonly rules: readonly [
        { readonly http: { readonly paths: readonly { path: string; pathType: string }[] } },
      ];
    }
    const { rules } = findKind(manifests, "Ingress")["spec"] as Rules;
    const paths = rules[0].http.paths.map(({ path, pathType }) => `${pathType} ${path}`);
    expect(paths).toEqual([
      "Exact /proxy",
      "Prefix /proxy/all",
      "Prefix /proxy/client",
      "Prefix /proxy/stream",
      "Prefix /api",
      "Prefix /ofrep",
    ]);
    const route = JSON.stringify(findKind(manifests, "HTTPRoute"));
    expect(route).toContain('{"type":"Exact","value":"/proxy"}');
    expect(route).not.toMatch(/"PathPrefix","value":"\/(proxy)?"/);
  });

  test("secrets in values are stored in a Secret, not in the Deployment", async () => {
    const file = join(CI, "secrets-in-values.yaml");
    const manifests = await render(helm, "flags-proxy", file);
    expect(findKind(manifests, "Secret")["stringData"]).toEqual({
      FLAGS_API_TOKEN: "*:development.a-token-for-tests",
      FLAGS_PROXY_CLIENT_KEYS: "key-of-the-web-app,key-of-the-mobile-app",
      EXP_SERVER_SIDE_SDK_CONFIG_TOKENS: "token-of-the-shop",
      FLAGS_STORE: "redis://:password-of-redis@redis:6379",
    });
    expect(containerOf(manifests).envFrom).toEqual([{ secretRef: { name: "flags-proxy" } }]);
    const deployment = JSON.stringify(findKind(manifests, "Deployment"));
    expect(deployment).not.toMatch(/a-token-for-tests|key-of-the|token-of-the-shop|password-of/);
  });

  test("pods are replaced when a secret changes, and only then", async () => {
    const checksum = async (apiToken: string, replicaCount: number): Promise<unknown> => {
      const values = { secrets: { apiToken, clientKeys: ["key"] }, replicaCount };
      const { template } = deploymentOf(await renderWith(values));
      return template.metadata.annotations["checksum/secret"];
    };
    const before = await checksum("token-1", 2);
    expect(await checksum("token-1", 3)).toBe(before);
    expect(await checksum("token-2", 2)).not.toBe(before);
  });

  test("existing Secrets and a ConfigMap become variables; no Secret is created", async () => {
    const manifests = await render(helm, "flags-proxy", join(CI, "everything.yaml"));
    expect(containerOf(manifests).envFrom).toEqual([
      { secretRef: { name: "flags-proxy-keys" } },
      { configMapRef: { name: "flags-settings" } },
    ]);
    expect(hasKind(manifests, "Secret")).toBe(false);
  });

  test("secretFiles mounts secrets as files and sets only their paths", async () => {
    const manifests = await render(helm, "flags-proxy", join(CI, "secret-files.yaml"));
    const container = containerOf(manifests);
    expect(container.envFrom).toBeUndefined();
    expect(container.env).toContainEqual({
      name: "FLAGS_API_TOKEN_FILE",
      value: "/run/secrets/flags/FLAGS_API_TOKEN",
    });
    expect(container.volumeMounts).toContainEqual({
      name: "secrets",
      mountPath: "/run/secrets/flags",
      readOnly: true,
    });
    const sources = [{ secret: { name: "upstream-token" } }, { secret: { name: "client-keys" } }];
    expect(deploymentOf(manifests).template.spec.volumes).toContainEqual({
      name: "secrets",
      projected: { defaultMode: 0o444, sources },
    });
  });

  test("secretFiles applies to all secrets in values", async () => {
    const manifests = await render(helm, "flags-proxy", {
      proxy: { upstreamUrl: "http://flags-admin:4242/api" },
      secrets: {
        apiToken: "*:production.token",
        serverTokens: ["*:production.server"],
        store: "redis://redis:6379",
      },
      // Instead of client keys.
      env: [{ name: "FLAGS_ACCESS_FILE", value: "/etc/keys.json" }],
      secretFiles: { enabled: true },
    });
    const names = Object.keys(findKind(manifests, "Secret")["stringData"] as object);
    expect(names).toHaveLength(3);
    const files = containerOf(manifests).env.filter(({ value }) =>
      value?.startsWith("/run/secrets/"),
    );
    expect(files).toEqual(
      names
        .toSorted()
        .map((name) => ({ name: `${name}_FILE`, value: `/run/secrets/flags/${name}` })),
    );
  });

  test("variables in env take precedence over those of the chart, without duplicates", async () => {
    const env = [
      { name: "LOG_LEVEL", value: "debug" },
      { name: "FLAGS_INSTANCE_ID", value: "one" },
    ];
    const names = containerOf(await renderWith({ env })).env.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(containerOf(await renderWith({ env })).env).toEqual(expect.arrayContaining(env));
  });

  test("autoscaling replaces the number of replicas", async () => {
    expect(deploymentOf(await renderWith({ replicaCount: 4 })).replicas).toBe(4);
    const manifests = await render(helm, "flags-proxy", join(CI, "autoscaling.yaml"));
    expect(deploymentOf(manifests)).not.toHaveProperty("replicas");
    expect(findKind(manifests, "HorizontalPodAutoscaler")).toMatchObject({
      apiVersion: "autoscaling/v2",
      spec: {
        scaleTargetRef: { kind: "Deployment", name: "flags-proxy" },
        minReplicas: 3,
        maxReplicas: 12,
        metrics: [
          { resource: { name: "cpu", target: { averageUtilization: 80 } } },
          { resource: { name: "memory", target: { averageUtilization: 75 } } },
        ],
      },
    });
  });

  test("strategy.type=Recreate replaces the default strategy", async () => {
    const manifests = await renderWith({ strategy: { type: "Recreate" } });
    // Kubernetes rejects rollingUpdate with this type.
    expect(deploymentOf(manifests).strategy).toEqual({ type: "Recreate" });
  });

  test("an update or a drained node never stops all replicas at once", async () => {
    const manifests = await renderWith({});
    const { replicas, strategy, template } = deploymentOf(manifests);
    expect(replicas).toBe(2);
    expect(strategy).toMatchObject({ rollingUpdate: { maxUnavailable: 0 } });
    expect(template.spec["topologySpreadConstraints"]).toMatchObject([
      { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: {} } },
    ]);
    const budget = findKind(manifests, "PodDisruptionBudget")["spec"];
    expect(budget).toMatchObject({ maxUnavailable: 1 });
    const custom = await renderWith({ podDisruptionBudget: { minAvailable: "50%" } });
    const { selector } = deploymentOf(custom);
    expect(findKind(custom, "PodDisruptionBudget")["spec"]).toEqual({
      minAvailable: "50%",
      selector,
    });
  });

  test("a pod has time to leave the Service and to finish its requests", async () => {
    const { spec } = deploymentOf(await renderWith({})).template;
    expect(spec["terminationGracePeriodSeconds"]).toBe(30);
    const [{ env }] = spec.containers;
    expect(env).toContainEqual({ name: "SHUTDOWN_DELAY", value: "5000" });
  });

  test("labels of pods cannot replace those of the selector", async () => {
    const manifests = await render(helm, "flags-proxy", join(CI, "everything.yaml"));
    const { selector, template } = deploymentOf(manifests);
    expect(template.metadata.labels).toMatchObject({ ...selector.matchLabels, team: "shop" });
    expect(findKind(manifests, "Service")["spec"]).toMatchObject({
      selector: selector.matchLabels,
    });
  });

  test.each([
    ["an unknown value", { replicacount: 3 }, "additional properties 'replicacount' not allowed"],
    ["a wrong type", { proxy: { workers: "auto" } }, "/proxy/workers': got string, want integer"],
    ["a wrong URL", { proxy: { upstreamUrl: "admin:4242" } }, "/proxy/upstreamUrl': 'admin:4242'"],
    ["no upstream", { existingSecrets: "", proxy: {} }, "proxy.upstreamUrl is required"],
    ["no token", { existingSecrets: "" }, "The upstream token is missing"],
    [
      "no client keys",
      { existingSecrets: "", secrets: { apiToken: "token" } },
      "Client keys are missing",
    ],
    [
      "a port that probes do not know",
      { env: [{ name: "PORT", value: "1" }] },
      "env must not contain PORT, because the probes depend on it: set proxy.port",
    ],
    [
      "client certificates without a port for probes",
      { tls: { secretName: "a", clientCaSecret: "b" } },
      "tls.clientCaSecret requires proxy.managementPort",
    ],
    ["a TLS port without a certificate", { tls: { port: 8443 } }, "require tls.secretName"],
    [
      "two access files",
      { accessFile: { existingSecret: "a", existingConfigMap: "b" } },
      "set only one of keys, existingConfigMap and existingSecret",
    ],
    [
      "too little time to stop",
      { terminationGracePeriodSeconds: 10, shutdownDelayMs: 5001 },
      "terminationGracePeriodSeconds must be at least shutdownDelayMs / 1000 + 5",
    ],
    ["a route without gateways", { httpRoute: { enabled: true } }, "httpRoute.parentRefs is"],
    [
      "files without Secrets",
      {
        existingSecrets: "",
        secretFiles: { enabled: true },
        env: [
          { name: "FLAGS_API_TOKEN", value: "a" },
          { name: "FLAGS_PROXY_CLIENT_KEYS", value: "a" },
        ],
      },
      "secretFiles.enabled requires existingSecrets or secrets",
    ],
  ])("rejects %s", async (_title, values, message) => {
    await expect(renderText(helm, "flags-proxy", { ...MINIMAL, ...values })).rejects.toThrow(
      message,
    );
  });

  test("the chart is released together with the proxy", () => {
    const chart = readFileSync(join(chartDirectory("flags-proxy"), "Chart.yaml"), "utf8");
    const manifest = new URL("../../packages/proxy/package.json", import.meta.url);
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
    expect(chart).toContain(`\nversion: ${version}\n`);
    expect(chart).toContain(`\nappVersion: "${version}"\n`);
  });
});
