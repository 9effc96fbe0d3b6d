import { openPort } from "flags-server-kit";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { buildApp, type AppOptions } from "../src/start/app.ts";
import type { ProxyConfig } from "../src/config/config.ts";
import { toSource } from "../src/sources/sources.ts";
import { flag, withConstraint } from "./_documents.ts";
import { MemoryLogger, proxyConfig } from "./_proxy.ts";
import { DocumentSource, type SourceDocument } from "./_source.ts";

/** The flags `web.*` belong to the project `web`, `app.*` to `app`. */
export const DOCUMENT: SourceDocument = {
  features: [
    flag("web.a", { project: "web" }),
    flag("web.b", { project: "web", strategies: [withConstraint("userId", ["1"])] }),
    flag("app.a", { project: "app" }),
    flag("app.off", { project: "app", enabled: false }),
  ],
};

/** Creates a directory for the duration of a test. */
export async function createDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "flags-access-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

/** Writes an access file for the duration of a test file. */
export async function createAccessFile(keys: readonly object[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "flags-access-"));
  afterAll(() => rm(directory, { recursive: true }));
  const path = join(directory, "access.json");
  await writeFile(path, JSON.stringify({ keys }));
  return path;
}

/** Replaces a file at once, as configuration management does. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

interface AccessSetup {
  /** Entries of `keys`, or the text of the file. */
  readonly keys: readonly object[] | string;
  readonly config?: Partial<ProxyConfig>;
  readonly document?: SourceDocument;
  readonly app?: AppOptions;
}

/** Starts a proxy of the environments `production` and `test` with an access file, for the duration of a test. */
export async function startWithAccessFile(setup: AccessSetup) {
  const { close, ...started } = await listenWithAccessFile(setup);
  onTestFinished(close);
  return started;
}

/** Starts such a proxy, which runs until it is closed. */
export async function listenWithAccessFile({ keys, config, document, app: options }: AccessSetup) {
  const directory = await mkdtemp(join(tmpdir(), "flags-access-"));
  const path = join(directory, "access.yaml");
  const toText = (content: AccessSetup["keys"]): string =>
    typeof content === "string" ? content : JSON.stringify({ keys: content });
  await writeFile(path, toText(keys));
  const production = new DocumentSource(document ?? DOCUMENT);
  const testing = new DocumentSource({ features: [flag("only-in-test")] });
  const logger = new MemoryLogger();
  const sources = [
    toSource(production, {
      name: "production",
      scope: { project: "*", environment: "production" },
    }),
    toSource(testing, { name: "test", scope: { project: "*", environment: "test" } }),
  ];
  const { main, evaluate } = await buildApp(
    proxyConfig({ accessFile: path, clientKeys: [], serverTokens: [], logger, ...config }),
    sources,
    options,
  );
  const { port } = await openPort(main.server, { host: "127.0.0.1", port: 0 });
  const close = async (): Promise<void> => {
    main.server.closeAllConnections();
    await main.close();
    await rm(directory, { recursive: true });
  };
  const url = `http://127.0.0.1:${port}`;
  const get = (target: string, key: string, headers: Record<string, string> = {}) =>
    fetch(url + target, { headers: { authorization: key, ...headers } });
  const post = (target: string, key: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(url + target, {
      method: "POST",
      headers: { authorization: key, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const edit = (content: AccessSetup["keys"]) => replaceFile(path, toText(content));
  return { url, path, evaluate, production, logger, get, post, edit, close };
}
