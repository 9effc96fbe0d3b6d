import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { IMPORT } from "../src/commands/import.ts";
import { makeDatabase, makeDataDirectory, makeDirectory, startCommand } from "./_command.ts";
import { readSource, startUnleash, UNLEASH_TOKEN } from "./_unleash-server.ts";

const ADMIN_TOKEN = "*:*.the-admin-of-the-command";

type Environment = Record<string, string>;

/** Runs the command, which must succeed. Returns what it prints. */
async function runImport(environment: Environment, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await startCommand(environment, ["import", ...args]).finished();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** Creates a file, and deletes it at the end of the test. */
function writeFile(name: string, content: string): string {
  const file = join(makeDirectory(), name);
  writeFileSync(file, content);
  return file;
}

async function flagNames(url: string, project = "default"): Promise<readonly string[]> {
  const headers = { authorization: ADMIN_TOKEN };
  const response = await fetch(`${url}/api/admin/projects/${project}/features`, { headers });
  const { features } = (await response.json()) as { features: { name: string }[] };
  return features.map(({ name }) => name).toSorted();
}

describe("flags-admin import", () => {
  test("imports from a server into a running service, and changes nothing the second time", async () => {
    const DATA_DIR = await makeDataDirectory();
    const service = startCommand({ DATA_DIR, INIT_ADMIN_API_TOKENS: ADMIN_TOKEN });
    const url = await service.listening();
    const from = await startUnleash();
    const token = writeFile("token", `${UNLEASH_TOKEN}\n`);
    const args = ["--from", from, "--token-file", token, "--project", "default=shop"];

    const preview = await runImport({ DATA_DIR }, ...args, "--dry-run");
    expect(preview).toContain("  flag new-checkout (shop)\n");
    expect(preview).toContain("  archived flag archived-one (default): is not imported\n");
    expect(preview).toContain("Nothing was changed: this was a dry run.\n");
    expect(await runImport({ DATA_DIR }, ...args)).toContain("Imported.\n");
    expect(await flagNames(url, "shop")).toContain("new-checkout");
    const repeated = await runImport({ DATA_DIR }, ...args);
    expect(repeated).toMatch(/^Unchanged: .* 5 flags$/m);
    expect(repeated).toContain("There is nothing to change.\n");
    expect(preview + repeated + service.stdout()).not.toContain(UNLEASH_TOKEN);
  });

  test("imports a file into a database, and keeps what was changed there", async () => {
    const database = await makeDatabase();
    const state = JSON.parse(readSource("unleash-5-state-v4.json")) as { features: object[] };
    const file = writeFile("state.txt", JSON.stringify(state));
    expect(await runImport(database, file)).toContain("state file, version 4\n");
    const service = startCommand({ ...database, INIT_ADMIN_API_TOKENS: ADMIN_TOKEN });
    const url = await service.listening();
    await fetch(`${url}/api/admin/projects/default/features/menu`, {
      method: "PUT",
      headers: { authorization: ADMIN_TOKEN, "content-type": "application/json" },
      body: '{"description":"Changed here"}',
    });
    expect(await runImport(database, file)).toMatch(
      /^Conflicts, which stay as they are here:\n {2}flag menu \(default\): was changed here by .*/m,
    );
    expect(await runImport(database, file, "--overwrite")).toMatch(
      /^Changed:\n {2}flag menu \(default\)$/m,
    );
    const mapped = await runImport(database, file, "--environment", "development=", "--dry-run");
    expect(mapped).toContain("  environment development: was not selected\n");
  });

  test("fails in a dry run too where changes require approvals, and names the way", async () => {
    const database = await makeDatabase();
    const service = startCommand({ ...database, INIT_ADMIN_API_TOKENS: ADMIN_TOKEN });
    const url = await service.listening();
    const { status } = await fetch(`${url}/api/admin/environments/update/production`, {
      method: "PUT",
      headers: { authorization: ADMIN_TOKEN, "content-type": "application/json" },
      body: '{"requiredApprovals":1}',
    });
    expect(status).toBe(200);
    const file = writeFile("state.json", readSource("unleash-5-state-v4.json"));
    for (const args of [["--dry-run"], []]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const result = await startCommand(database, ["import", file, ...args]).finished();
      expect(result).toMatchObject({ code: 1, stdout: "" });
      expect(result.stderr).toBe(
        'Changes in the environment "production" of the project "default" require 1 approval: import this project in the console, which sends the import to review\n',
      );
    }
    expect(await flagNames(url)).toEqual([]);
  });

  test("says which option is wrong, without secrets", async () => {
    const file = writeFile("flags.json", '{"version":1,"features":[]}');
    const secret = writeFile("secret", "*:*.a-secret-in-a-wrong-place");
    const token = "*:*.a-secret-token";
    for (const [argument, options, exitCode, message] of [
      [undefined, {}, 2, "A file is required, or --from with the address of an Unleash server"],
      [undefined, { from: "http://a.example" }, 2, "--token-file is required with --from: "],
      [file, { from: "http://a.example" }, 2, "Either a file or --from is required"],
      [file, { "token-file": token }, 2, "--token-file has no effect without --from"],
      [file, { project: "shop" }, 2, "--project must be a list of OLD=NEW"],
      [file, { project: "default=" }, 2, "--project must have the form OLD=NEW"],
      [file, { "only-project": "none" }, 2, '--only-project names the project "none"'],
      [undefined, { from: "a.example", "token-file": token }, 1, "--from: must be the address"],
      ["nowhere.json", {}, 1, "Cannot read nowhere.json: "],
      [secret, {}, 1, `${secret}: The file is not valid YAML`],
    ] as const) {
      const failure: unknown = await IMPORT.prepare?.({ argument, options }).catch(
        (error: unknown) => error,
      );
      expect(failure).toMatchObject({ exitCode, message: expect.stringContaining(message) });
      expect(String(failure)).not.toContain("a-secret");
    }
  });
});

describe("IMPORT_FILE", () => {
  test("is imported once by replicas that start at the same time, and ignored otherwise", async () => {
    const database = await makeDatabase();
    const settings = {
      ...database,
      LOG_LEVEL: "info",
      INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
      IMPORT_FILE: writeFile("state.yaml", readSource("unleash-5-state-v4.yaml")),
      IMPORT_PROJECT: "shop",
    };
    // Only one process can open the embedded database.
    const isShared = "DATABASE_URL" in database;
    const first = startCommand(settings);
    if (!isShared) {
      expect(await flagNames(await first.listening(), "shop")).toEqual(["banner", "menu"]);
      first.child.kill("SIGKILL");
      await first.finished();
    }
    const second = startCommand(settings);
    for (const service of isShared ? [first, second] : [second]) {
      expect(await flagNames(await service.listening(), "shop")).toEqual(["banner", "menu"]);
    }
    const logs = first.stdout() + second.stdout();
    expect(
      logs.match(/INFO: IMPORT_FILE: imported 2 flags from \S+, a state file, version 4/g),
    ).toHaveLength(1);
    expect(
      logs.match(/WARN: IMPORT_FILE is ignored, because the database contains flags/g),
    ).toHaveLength(1);
  });

  test("prevents a start if it is wrong, and nothing is written", async () => {
    const database = await makeDatabase();
    const wrong = writeFile(
      "flags.json",
      '{"version":1,"features":[{"name":"good"},{"name":"bad","environments":[{"name":"production","enabled":true,"strategies":[]}]}]}',
    );
    for (const [settings, message] of [
      [
        { IMPORT_FILE: wrong },
        `IMPORT_FILE: ${wrong}: In flag "bad", environment "production", enabled: must be false without an enabled strategy`,
      ],
      [
        {
          IMPORT_FILE: writeFile("state.json", readSource("unleash-5-state-v4.json")),
          IMPORT_ENVIRONMENT: "production",
        },
        "IMPORT_ENVIRONMENT must not be set, because the file in IMPORT_FILE contains several environments",
      ],
    ] as const) {
      const { code, stderr } = await startCommand({ ...database, ...settings }).finished();
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) });
    }
    const service = startCommand({ ...database, INIT_ADMIN_API_TOKENS: ADMIN_TOKEN });
    expect(await flagNames(await service.listening())).toEqual([]);
  });
});
