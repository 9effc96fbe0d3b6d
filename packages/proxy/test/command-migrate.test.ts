import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runCommand, startCommand, untilReady } from "./_command.ts";
import { startRecordingUpstream } from "./_recording-upstream.ts";
import { makeFiles } from "./_settings-files.ts";

const OLD = `UNLEASH_URL=http://127.0.0.1:2/api
UNLEASH_API_TOKEN=*:development.an-upstream-secret
UNLEASH_PROXY_CLIENT_KEYS="a key with spaces,it's another"
PROXY_PORT=4000
UNLEASH_TAGS=simple:web
`;

async function migrate(text: string, ...args: string[]) {
  const path = makeFiles({ "old.env": text })("old.env");
  // NOTE: the environment takes precedence over files, but an empty variable counts as not set.
  return runCommand({ PORT: "", HOST: "" }, ["migrate", "--env-file", path, ...args]);
}

test("migrate prints all settings of the old proxy", async () => {
  const { code, stdout, stderr } = await migrate(OLD);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.split("\n")).toEqual([
    "# Settings of flags-proxy, from those of the Unleash proxy. Contains your tokens and keys.",
    "FLAGS_URL=http://127.0.0.1:2/api",
    "FLAGS_API_TOKEN=*:development.an-upstream-secret",
    "# Without the quotes in env files of Docker and Kubernetes, which keep them:",
    `FLAGS_PROXY_CLIENT_KEYS="a key with spaces,it's another"`,
    "PROXY_PORT=4000",
    "FLAGS_TAGS=simple:web",
    "",
  ]);
  const again = await migrate(stdout);
  expect(again).toMatchObject({ code: 2, stdout: "" });
  expect(again.stderr).toBe(
    "There are no settings of the Unleash proxy or Unleash Edge in the environment or the files of --env-file. For settings of Edge without UPSTREAM_URL or BOOTSTRAP_FILE, add --from edge\n",
  );
});

test("migrate names what it does not recognise", async () => {
  const { code, stdout, stderr } = await migrate(
    "UPSTREM_URL=http://127.0.0.1:2\nUNLEASH_URLS=a\n",
  );
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr.trimEnd().split("\n").slice(1).toSorted()).toEqual([
    "UNLEASH_URLS is set but never read: did you mean FLAGS_URL?",
    "UPSTREM_URL is set but never read: did you mean UPSTREAM_URL?",
  ]);
});

test("migrate writes lists without spaces, and warns of quotes that not every reader removes", async () => {
  const { code, stdout } = await migrate(`
    UNLEASH_URL=http://127.0.0.1:2/api
    UNLEASH_API_TOKEN=*:development.an-upstream-secret
    UNLEASH_PROXY_CLIENT_KEYS="a-client-key, another-key"
    UNLEASH_TAGS="simple: web , simple:app"
    FLAGS_UPSTREAM_HEADERS="X-Gateway: abc, X-Time: 10:00"
    UNLEASH_APP_NAME="a, b"
  `);
  expect(code).toBe(0);
  expect(stdout).toContain("\nFLAGS_PROXY_CLIENT_KEYS=a-client-key,another-key\n");
  expect(stdout).toContain("\nFLAGS_TAGS=simple:web,simple:app\n");
  expect(stdout).toContain("\nFLAGS_UPSTREAM_HEADERS=X-Gateway:abc,X-Time:10:00\n");
  expect(stdout).toContain(
    "\n# Without the quotes in env files of Docker and Kubernetes, which keep them:\nFLAGS_APP_NAME='a, b'\n",
  );
});

test("migrate names the settings that are lost or not needed, and exits with 1", async () => {
  const { code, stdout } = await migrate(`
    UPSTREAM_URL=https://unleash.example.com
    TOKENS=*:development.an-upstream-secret
    PRETRUSTED_TOKENS=[]:development.a-frontend-token
    PROMETHEUS_REMOTE_WRITE_URL=https://metrics.example.com
    ALLOW_LIST=10.0.0.0/8
    WORKERS=4
    METRICS_INTERVAL_SECONDS=often
  `);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^# Defaults of Unleash Edge\nPORT=3063\nFLAGS_FETCH_INTERVAL=15000\n/m);
  const [, comments = ""] = stdout.split("#\n# Invalid:\n");
  expect(comments).toMatch(
    /^# {3}METRICS_INTERVAL_SECONDS must be a whole number of seconds, at most 1000000: current value is .*\n#\n/,
  );
  expect(comments).toMatch(
    /# Lost:\n(?:# {3}.*\n)*# {3}PROMETHEUS_REMOTE_WRITE_URL has no effect: metrics are not pushed/,
  );
  expect(comments).toContain("is a key for some projects, but gets the flags of all projects");
  expect(comments).toMatch(/# Not needed:\n# {3}WORKERS has no effect: /);
});

test("migrate names misspelt settings, which are lost", async () => {
  const old = await migrate(`${OLD}UNLEASH_FETCH_INTERVALL=9\nUNLEASH_NOTHING_LIKE_IT=1\n`);
  expect(old.code).toBe(1);
  expect(old.stdout).toContain(
    [
      "# Lost:",
      "#   UNLEASH_FETCH_INTERVALL is set but never read: did you mean FLAGS_FETCH_INTERVAL?",
      "#   UNLEASH_NOTHING_LIKE_IT is set but never read",
      "",
    ].join("\n"),
  );
  const edge = await migrate(`
    UPSTREAM_URL=https://unleash.example.com
    TOKENS=*:development.an-upstream-secret
    TOKEN_HEADER=Authorization
    FEATURES_REFRESH_INTERVAL_SECOND=9
  `);
  expect(edge.code).toBe(1);
  expect(edge.stdout).toContain(
    "# Lost:\n#   FEATURES_REFRESH_INTERVAL_SECOND is set but never read: did you mean FEATURES_REFRESH_INTERVAL_SECONDS?\n",
  );
});

test("migrate lists the names in the file that nothing reads, but none that any program finds in its environment", async () => {
  const file = `${OLD}POSTGRES_PASSWORD=s\nCACHE_SIZE=9\nWORKERS=4\nPATH=/bin\nNODE_ENV=production\nLC_ALL=C\nEMPTY=\n`;
  const path = makeFiles({ "old.env": file })("old.env");
  const { code, stdout } = await runCommand({ PORT: "", HOST: "", NOT_IN_THE_FILE: "1" }, [
    "migrate",
    `--env-file=${path}`,
  ]);
  expect(code).toBe(1);
  const [, comments] = stdout.split("#\n# Not understood, ignored:\n");
  expect(comments).toBe("#   CACHE_SIZE\n#   POSTGRES_PASSWORD\n#   WORKERS\n");
  const nothing = await migrate("MY_URL=http://127.0.0.1:2\nHOME=/\n");
  expect(nothing.code).toBe(2);
  expect(nothing.stderr.trimEnd().split("\n").slice(1)).toEqual(["MY_URL is not understood"]);
});

test("migrate loses nothing if a setting of Edge has the value that always applies here", async () => {
  const { code, stdout } = await migrate(`
    UPSTREAM_URL=https://unleash.example.com
    TOKENS=*:development.an-upstream-secret
    TOKEN_HEADER=Authorization
  `);
  expect(code).toBe(0);
  expect(stdout).toContain("\nCLIENT_KEY_HEADER_NAME=Authorization\n");
});

test("migrate omits the deprecated list of keys if it is ignored", async () => {
  const { code, stdout } = await migrate(
    `${OLD}UNLEASH_PROXY_SECRETS=an-ignored-key\nFLAGS_PROXY_CLIENT_KEYS=a-key\n`,
  );
  expect(code).toBe(0);
  expect(stdout).not.toMatch(/^FLAGS_PROXY_SECRETS|an-ignored-key/m);
  expect(stdout).toMatch(
    /# Not needed:\n(?:# {3}.*\n)*# {3}UNLEASH_PROXY_SECRETS is deprecated and ignored, as FLAGS_PROXY_CLIENT_KEYS is set/,
  );
});

test("migrate replaces the deprecated name of the list of keys", async () => {
  const { code, stdout } = await migrate(
    "UNLEASH_URL=http://127.0.0.1:2/api\nUNLEASH_API_TOKEN=a-token\nUNLEASH_PROXY_SECRETS=a-key\n",
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/^FLAGS_PROXY_CLIENT_KEYS=a-key$/m);
  expect(stdout).not.toContain("SECRETS");
});

test("migrate --from edge lets the upstream verify keys", async () => {
  const { code, stdout } = await migrate(`
    UPSTREAM_URL=https://unleash.example.com
    TOKENS=*:development.an-upstream-secret
    TOKEN_REVALIDATION_INTERVAL_SECONDS=300
  `);
  expect(code).toBe(0);
  expect(stdout).toContain("FLAGS_UPSTREAM_KEYS=true\n");
  expect(stdout).toContain("FLAGS_UPSTREAM_KEYS_INTERVAL=300000\n");
});

test("migrate names environments that have only tokens of single projects", async () => {
  const { code, stdout } = await migrate(
    "UPSTREAM_URL=https://unleash.example.com\nTOKENS=web:dev.a-token,app:dev.b-token\n",
  );
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /# Lost:\n# {3}TOKENS has several tokens for the environment dev, but none/,
  );
});

test("migrate combines the settings of Redis into one address", async () => {
  const { code, stdout } = await migrate(`
    UPSTREAM_URL=https://unleash.example.com
    TOKENS=*:development.an-upstream-secret
    REDIS_HOST=cache.example.com
    REDIS_PORT=6380
    REDIS_USERNAME=flags
    REDIS_PASSWORD=a-p@ssword
    REDIS_SECURE=true
    REDIS_READ_CONNECTION_TIMEOUT_MILLISECONDS=500
  `);
  expect(stdout).toContain("\nFLAGS_STORE=rediss://flags:a-p%40ssword@cache.example.com:6380\n");
  expect(stdout).not.toContain("a-p@ssword");
  expect(stdout).toMatch(
    /# Not needed:\n# {3}REDIS_READ_CONNECTION_TIMEOUT_MILLISECONDS has no effect/,
  );
  expect(code).toBe(0);
});

test("migrate --from reads the names of one product, and rejects others", async () => {
  const { code, stdout } = await migrate(
    "TOKENS=*:dev.s\nPRETRUSTED_TOKENS=*:dev.f\n",
    "--from=edge",
  );
  expect(stdout).toContain("FLAGS_API_TOKEN=*:dev.s\n");
  expect(stdout).toContain(
    "# Invalid:\n#   UPSTREAM_URL or BOOTSTRAP_FILE or FLAGS_URL (option flagsUrl) is required",
  );
  expect(code).toBe(1);
  expect(await migrate(OLD, "--from", "flagd")).toMatchObject({
    code: 2,
    stdout: "",
    stderr: "--from must be unleash-proxy or edge: see flags-proxy migrate --help\n",
  });
});

/** Runs a command line that contains no spaces but those between its arguments. */
const run = (line: string) => runCommand({ PORT: "", HOST: "" }, line.split(" "));

test("migrate accepts the command line of Edge, next to its own options", async () => {
  const { code, stdout, stderr } = await run(
    "migrate -p 4000 --access-file unused.yaml edge --upstream-url https://a.test --tokens *:dev.a-secret -t *:prod.a-secret",
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("\nFLAGS_URL=https://a.test/api\n");
  expect(stdout).toContain("\nFLAGS_API_TOKEN=*:dev.a-secret,*:prod.a-secret\n");
  expect(stdout).toContain("\nPORT=4000\n");
  expect(await run("migrate edge --upstream x")).toMatchObject({
    code: 2,
    stderr: "Unknown option --upstream: see flags-proxy edge --help\n",
  });
  const help = await run("migrate --help");
  expect(help).toMatchObject({ code: 0, stderr: "" });
  expect(await run("migrate edge --help")).toEqual(help);
  expect(await run("help migrate edge")).toEqual(help);
  expect(await run("migrate --form edge")).toMatchObject({
    code: 2,
    stderr: "Unknown option --form: did you mean --from? If not, see flags-proxy migrate --help\n",
  });
});

test("migrate reads the settings of Edge's offline mode", async () => {
  const { code, stdout } = await migrate(
    "BOOTSTRAP_FILE=/flags.json\nCLIENT_TOKENS=*:dev.a-server-token\nFRONTEND_TOKENS=*:dev.a-web-token\n",
  );
  expect(code).toBe(0);
  expect(stdout).toContain("\nFLAGS_URL=file:/flags.json\n");
  expect(stdout).toContain("\nFLAGS_PROXY_CLIENT_KEYS=*:dev.a-web-token\n");
  const byCommandLine = await run(
    "migrate offline --bootstrap-file /flags.json -c *:dev.a-server-token -f *:dev.a-web-token",
  );
  expect(byCommandLine).toMatchObject({ code: 0, stdout });
});

/** Keys that Edge limits to a project, for clients and servers, and one that names its environment. */
const LIMITED = `
  TOKENS=*:dev.an-upstream-secret,*:prod.another-upstream-secret
  PRETRUSTED_TOKENS=web:dev.a-frontend-token,*:prod.everything,an-old-secret@prod,app:prod.an-app-token
  CLIENT_TOKENS=web:dev.a-server-token
`;

test("the printed or written access file limits keys as Edge does, and the proxy starts with the printed settings", async () => {
  const upstream = await startRecordingUpstream();
  const path = join(dirname(makeFiles({ "a.env": "" })("a.env")), "access.yaml");
  const settings = `UPSTREAM_URL=${upstream.url.replace(/\/api$/, "")}\n${LIMITED}`;
  const printed = await migrate(settings);
  expect(printed).toMatchObject({ code: 0, stderr: "" });
  const [, block = ""] = printed.stdout.split("# Save as access.yaml, or use --access-file:\n");
  const { code, stdout, stderr } = await migrate(settings, "--access-file", path);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const file = readFileSync(path, "utf8");
  expect(block.replaceAll(/^# {3}/gm, "")).toBe(file);
  expect(file).not.toMatch(/token|secret/);
  expect(stdout).toContain("FLAGS_PROXY_CLIENT_KEYS=*:prod.everything\n");
  expect(stdout).not.toContain("UPSTREAM_URL");
  const envFile = makeFiles({ "flags.env": stdout })("flags.env");
  const command = startCommand({}, { args: ["--env-file", envFile] });
  const url = await command.listening();
  await untilReady(url);
  const namesWith = async (key: string, at = "/api/frontend"): Promise<readonly string[]> => {
    const headers = { authorization: key, connection: "close" };
    const text = await (await fetch(url + at, { headers })).text();
    return [...text.matchAll(/"name":"(on|off|[a-z]+-on)"/g)].map(([, name = ""]) => name);
  };
  expect(await namesWith("web:dev.a-frontend-token")).toEqual([]);
  expect(await namesWith("web:dev.a-server-token", "/api/client/features")).toEqual([]);
  expect(await namesWith("app:prod.an-app-token")).toEqual([]);
  expect(await namesWith("an-old-secret")).toContain("on");
  expect(await namesWith("*:prod.everything")).toContain("on");
  const headers = { authorization: "*:prod.everything", connection: "close" };
  expect((await fetch(`${url}/api/frontend/all`, { headers })).status).toBe(200);
  expect(command.output.stdout).not.toContain("gets the flags of all projects");
  expect(command.output.stdout).not.toContain("are in use");

  const again = await migrate(settings, "--access-file", path);
  expect(again).toMatchObject({ code: 2, stdout: "" });
  expect(again.stderr).toContain("exists: choose another path");
  const missing = await migrate(settings, "--access-file", "/none/access.yaml");
  expect(missing).toMatchObject({
    code: 2,
    stderr: "--access-file: cannot write /none/access.yaml: its directory does not exist\n",
  });
});

test("the access file limits the keys of Edge's offline mode", async () => {
  const { code, stdout } = await migrate(
    "BOOTSTRAP_FILE=flags.json\nFRONTEND_TOKENS=web:prod.a-key,[]:prod.b-key\nCLIENT_TOKENS=app:dev.a-token\n",
    "--from=edge",
  );
  expect(code).toBe(0);
  expect(stdout).toContain("\nFLAGS_PROXY_CLIENT_KEYS=[]:prod.b-key\n");
  expect(stdout).not.toContain("a-token");
  expect(stdout).toMatch(/name: client-1\n.*\n.*environment: prod\n.*projects:\n.*- web\n/);
  expect(stdout).toMatch(
    /name: server-1\n.*\n.*kind: server\n.*environment: dev\n.*projects:\n.*- app\n/,
  );
});

test("migrate does not change an existing access file, and names the keys that it must limit", async () => {
  const { code, stdout } = await migrate(
    "BOOTSTRAP_FILE=flags.json\nFRONTEND_TOKENS=web:prod.a-key\nFLAGS_ACCESS_FILE=own.yaml\n",
    "--from=edge",
  );
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /# Lost:\n# {3}Entry 1 of FLAGS_PROXY_CLIENT_KEYS .* gets the flags of other projects/,
  );
});

test("a key that names only its environment needs the access file if that has several tokens", async () => {
  const { code, stdout } = await migrate(
    "UPSTREAM_URL=https://a.test\nTOKENS=*:dev.s,web:dev.t\nPRETRUSTED_TOKENS=an-old-secret@dev\n",
  );
  expect(code).toBe(0);
  expect(stdout).not.toMatch(/^FLAGS_PROXY_CLIENT_KEYS/m);
  expect(stdout).toMatch(/name: pretrusted-1\n.*\n.*environment: dev\n/);
  // As in Edge, the upstream verifies all other tokens.
  expect(stdout).toMatch(/^FLAGS_UPSTREAM_KEYS=true$/m);
});

test("migrate names settings with which the proxy would not start because of another one", async () => {
  const { code, stdout } = await migrate(
    "UPSTREAM_URL=https://a.test\nTOKENS=*:dev.s\nPRETRUSTED_TOKENS=*:prod.a-key\nPKCS8_CLIENT_KEY_FILE=/tls.key\n",
  );
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /# Invalid:\n# {3}Entry 1 of PRETRUSTED_TOKENS is a key for the environment prod, but .*\n# {3}PKCS8_CLIENT_KEY_FILE requires /,
  );
});

test("a key of an environment without a token remains invalid", async () => {
  const { code, stdout } = await migrate(
    "UPSTREAM_URL=https://a.test\nTOKENS=*:dev.s,*:prod.s\nPRETRUSTED_TOKENS=secret@staging\n",
  );
  expect(code).toBe(1);
  expect(stdout).toContain("# Invalid:\n#   PRETRUSTED_TOKENS: entry 1 has the form secret@");
});
