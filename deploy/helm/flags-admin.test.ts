import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { getHelm, tryTool } from "../_tools.ts";
import {
  chartDirectory,
  containerOf,
  deploymentOf,
  findKind,
  render,
  renderText,
} from "./_chart.ts";

const { tool: helm, isMissing } = await tryTool(getHelm);

const CI = join(chartDirectory("flags-admin"), "ci");

describe.skipIf(isMissing)("chart flags-admin", () => {
  test("with PostgreSQL, replicas are replaced one by one, and are ready while PostgreSQL is", async () => {
    const manifests = await render(helm, "flags-admin", join(CI, "everything.yaml"));
    const { replicas, strategy, template } = deploymentOf(manifests);
    expect(replicas).toBe(2);
    expect(strategy).toMatchObject({ type: "RollingUpdate" });
    expect(template.spec.volumes.map(({ name }) => name)).toEqual(["tmp", "secrets"]);
    const { startupProbe, livenessProbe, readinessProbe, env } = containerOf(manifests);
    expect(startupProbe.httpGet?.path).toBe("/ready");
    expect(readinessProbe.httpGet?.path).toBe("/ready");
    expect(livenessProbe.httpGet?.path).toBe("/health");
    expect(env).toContainEqual({
      name: "DATABASE_URL_FILE",
      value: "/run/secrets/flags/DATABASE_URL",
    });
    expect(env.map(({ name }) => name)).not.toContain("DATA_DIR");
  });

  test("with the embedded database, there is one pod with a volume, which serves reads while the disk is full", async () => {
    const manifests = await render(helm, "flags-admin", join(CI, "embedded-database.yaml"));
    const { replicas, strategy, template } = deploymentOf(manifests);
    expect(replicas).toBe(1);
    expect(strategy).toEqual({ type: "Recreate" });
    expect(template.spec.securityContext).toMatchObject({ fsGroup: 65532, runAsNonRoot: true });
    const { env, readinessProbe, volumeMounts } = containerOf(manifests);
    expect(env).toContainEqual({ name: "DATA_DIR", value: "/data" });
    expect(volumeMounts).toContainEqual({ name: "data", mountPath: "/data" });
    expect(readinessProbe.httpGet?.path).toBe("/health");
    const claim = findKind(manifests, "PersistentVolumeClaim");
    expect(claim.metadata.annotations).toMatchObject({ "helm.sh/resource-policy": "keep" });
    expect(claim["spec"]).toMatchObject({ resources: { requests: { storage: "2Gi" } } });
  });

  test("strategy.type=Recreate replaces the default strategy", async () => {
    const manifests = await render(helm, "flags-admin", {
      existingSecrets: "secrets",
      strategy: { type: "Recreate" },
    });
    // Kubernetes rejects rollingUpdate with this type.
    expect(deploymentOf(manifests).strategy).toEqual({ type: "Recreate" });
  });

  test("the names of the Service and the hosts of the Ingress are allowed hosts", async () => {
    const hosts = [{ host: "flags.shop.test" }, { host: "*.shop.test" }];
    const { env } = containerOf(
      await render(helm, "flags-admin", {
        existingSecrets: "secrets",
        admin: { allowedHosts: ["console.shop.test"] },
        ingress: { enabled: true, hosts },
      }),
    );
    const value =
      "flags-admin,flags-admin.shop,flags-admin.shop.svc,flags-admin.shop.svc.cluster.local,flags.shop.test,console.shop.test";
    expect(env).toContainEqual({ name: "ALLOWED_HOSTS", value });
  });

  test("tokens in values are stored in a Secret, not in the Deployment", async () => {
    const manifests = await render(helm, "flags-admin", join(CI, "embedded-database.yaml"));
    expect(findKind(manifests, "Secret")["stringData"]).toEqual({
      INIT_ADMIN_API_TOKENS: "*:*.an-admin-token-for-tests",
      INIT_CLIENT_API_TOKENS: "*:development.a-client-token-for-tests",
    });
    expect(JSON.stringify(findKind(manifests, "Deployment"))).not.toContain("token-for-tests");
  });

  test("the first admin has a name in the values and a password in a Secret", async () => {
    const values = { admin: { user: "jane" }, secrets: { adminPassword: "a pear on the lake" } };
    const manifests = await render(helm, "flags-admin", {
      ...values,
      persistence: { enabled: true },
    });
    expect(findKind(manifests, "Secret")["stringData"]).toEqual({
      INIT_ADMIN_PASSWORD: "a pear on the lake",
    });
    expect(containerOf(manifests).env).toContainEqual({ name: "INIT_ADMIN_USER", value: "jane" });
    expect(JSON.stringify(findKind(manifests, "Deployment"))).not.toContain("pear");
  });

  test("secretFiles mounts tokens as files, and no database URL with the embedded database", async () => {
    const manifests = await render(helm, "flags-admin", {
      persistence: { enabled: true },
      secrets: { adminTokens: ["*:*.admin"], clientTokens: ["*:production.client"] },
      secretFiles: { enabled: true },
    });
    const { env } = containerOf(manifests);
    expect(env.map(({ name }) => name).filter((name) => name.endsWith("_FILE"))).toEqual([
      "INIT_ADMIN_API_TOKENS_FILE",
      "INIT_CLIENT_API_TOKENS_FILE",
    ]);
  });

  test("an Ingress publishes neither metrics nor health", async () => {
    const manifests = await render(helm, "flags-admin", join(CI, "everything.yaml"));
    const text = JSON.stringify(findKind(manifests, "Ingress"));
    expect(text.match(/"path":"[^"]*"/g)).toEqual(['"path":"/api"']);
  });

  test.each([
    ["no database", {}, "The database is missing"],
    [
      "two databases",
      { persistence: { enabled: true }, secrets: { databaseUrl: "postgres://a/b" } },
      "persistence.enabled is for the embedded database, and DATABASE_URL for PostgreSQL",
    ],
    [
      "several replicas with the embedded database",
      { persistence: { enabled: true }, replicaCount: 2 },
      "replicaCount must be 1 with persistence.enabled",
    ],
    [
      "another kind of database",
      { secrets: { databaseUrl: "mysql://a/b" } },
      "/secrets/databaseUrl'",
    ],
    [
      "a port that probes do not know",
      { existingSecrets: "secrets", env: [{ name: "PORT", value: "1" }] },
      "env must not contain PORT",
    ],
  ])("rejects %s", async (_title, values, message) => {
    await expect(renderText(helm, "flags-admin", values)).rejects.toThrow(message);
  });
});
