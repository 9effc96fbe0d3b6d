import { readFileSync, writeFileSync } from "node:fs";
import { type Setting, variablesOf } from "flags-server-kit/command-line";
import { expect, test } from "vitest";
import { sized } from "../../../scripts/test-size.ts";
import { SETTINGS as ADMIN_SETTINGS } from "../../admin/src/config/settings.ts";
import { SETTINGS } from "../src/config/settings.ts";
import { runCommand, startCommand, untilReady } from "./_command.ts";
import { startRecordingUpstream } from "./_recording-upstream.ts";
import { makeFiles } from "./_settings-files.ts";

async function statusOf(url: string, key: string): Promise<number> {
  const headers = { authorization: key, connection: "close" };
  return (await fetch(`${url}/proxy`, { headers })).status;
}

test.each(sized([2], [1, 2]))(
  "settings and secrets are read from files, with %d workers",
  async (workers) => {
    const upstream = await startRecordingUpstream();
    const pathOf = makeFiles({
      token: "token-in-a-file\n",
      keys: "key-in-a-file,another-key\n",
      "settings.env": `# Settings\nFLAGS_URL="${upstream.url}"\nLOG_LEVEL=debug\nPROXY_BASE_PATH=ignored\n`,
    });
    writeFileSync(pathOf("settings.env"), `FLAGS_PROXY_CLIENT_KEYS_FILE=${pathOf("keys")}\n`, {
      flag: "a",
    });
    const command = startCommand(
      {
        FLAGS_API_TOKEN_FILE: pathOf("token"),
        FLAGS_PROXY_WORKERS: String(workers),
        PROXY_BASE_PATH: "base",
      },
      { args: ["--env-file", pathOf("settings.env")] },
    );
    const url = await command.listening();
    expect(new URL(url).pathname).toBe("/base");
    await untilReady(url);
    expect(await statusOf(url, "key-in-a-file")).toBe(200);
    expect(await statusOf(url, "wrong-key")).toBe(401);
    const { headers } = await upstream.first("/api/client/features");
    expect(headers.authorization).toBe("token-in-a-file");
    command.signal("SIGTERM");
    const { code, stdout, stderr } = await command.finished();
    expect(code).toBe(0);
    expect(stdout).toContain("DEBUG");
    expect(stdout + stderr).not.toMatch(/token-in-a-file|key-in-a-file|another-key/);
  },
);

test("probes also read files", async () => {
  const pathOf = makeFiles({ "first.env": "PORT=3\n", "second.env": "PORT=2\n" });
  const args = ["health", `--env-file=${pathOf("first.env")}`, "--env-file", pathOf("second.env")];
  const { code, stdout } = await runCommand({ PORT: "" }, args);
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:2\/proxy\/health: no server is listening there/);
  expect(code).toBe(1);
});

test("files that cannot be used are reported in one line each, without their content", async () => {
  const pathOf = makeFiles({ "bad.env": "FLAGS_API_TOKEN: hidden-token\n", empty: " \n" });
  const bad = await runCommand({}, ["--env-file", pathOf("bad.env")]);
  expect(bad).toMatchObject({ code: 1, stdout: "" });
  expect(bad.stderr).toMatch(/^Cannot use the env file ".*bad\.env": line 1 is neither .*\n$/);
  expect(bad.stderr).not.toContain("hidden-token");
  // NOTE: Node itself looks for files that follow this option, also after the name of the program.
  const missing = await runCommand({}, ["--env-file", pathOf("none.env")]);
  expect(missing.code).not.toBe(0);
  expect(missing.stderr).toMatch(/none\.env.*(?:not found|no such file)/);

  const { code, stderr } = await runCommand({
    FLAGS_URL: "http://127.0.0.1:2/api",
    FLAGS_API_TOKEN: "hidden-token",
    FLAGS_API_TOKEN_FILE: pathOf("empty"),
    FLAGS_PROXY_CLIENT_KEYS_FILE: pathOf("empty"),
    EXP_SERVER_SIDE_SDK_CONFIG_TOKENS_FILE: pathOf("none"),
  });
  expect(code).toBe(1);
  expect(stderr.trimEnd().split("\n")).toEqual([
    "Cannot use this configuration:",
    "  - FLAGS_API_TOKEN and FLAGS_API_TOKEN_FILE are both set: remove one of them",
    `  - FLAGS_PROXY_CLIENT_KEYS_FILE: the file "${pathOf("empty")}" is empty`,
    `  - EXP_SERVER_SIDE_SDK_CONFIG_TOKENS_FILE: cannot read the file "${pathOf("none")}": there is no such file`,
  ]);
});

test("--help has colours only if the terminal or FORCE_COLOR enables them", async () => {
  // oxlint-disable-next-line no-control-regex -- escape sequences begin with it
  const escape = /\u001B\[/;
  const [plain, dumb, colored] = await Promise.all([
    runCommand({}, ["--help"]),
    runCommand({ TERM: "dumb", NO_COLOR: "1" }, ["health", "--help"]),
    runCommand({ FORCE_COLOR: "1" }, ["--help"]),
  ]);
  expect(plain.stdout).not.toMatch(escape);
  expect(dumb.stdout).not.toMatch(escape);
  expect(colored.stdout).toMatch(escape);
});

test.each([
  ["configuration.md", SETTINGS],
  ["admin-configuration.md", ADMIN_SETTINGS],
])("docs/reference/%s names every variable that names a file", (name, settings) => {
  const text = readFileSync(new URL(`../../../docs/reference/${name}`, import.meta.url), "utf8");
  const files = Object.values(settings)
    .flatMap((setting) => variablesOf(setting as Setting<unknown>))
    .filter((variable) => variable.endsWith("_FILE"));
  expect(files.length).toBeGreaterThan(3);
  for (const variable of files) expect(text).toContain(`\`${variable}\``);
});
