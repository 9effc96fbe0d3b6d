import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../src/index.ts";
import { type CleanUp, CleanUps, startCommand, untilReady } from "./_command.ts";
import { startFeatureServer } from "./_feature-server.ts";
import { exchangeRaw } from "./_raw-exchange.ts";
import { parseAnswers, RAW_DOCUMENT, RAW_REQUESTS, RAW_SETTINGS } from "./_raw-requests.ts";

type Settings = Readonly<Record<string, string>>;

/** The ways to serve the proxy. Each returns its address. */
const WAYS: Readonly<Record<string, (settings: Settings, cleanUp: CleanUp) => Promise<string>>> = {
  "the command": (settings, cleanUp) => startCommand(settings, { cleanUp }).listening(),
  "createApp()": serveCreatedApp,
};

/** `UPDATE_RAW_ANSWERS=yes` replaces the file with the answers of the command. */
const updates = process.env["UPDATE_RAW_ANSWERS"] === "yes";
const ANSWERS_FILE = fileURLToPath(new URL("raw-answers.txt", import.meta.url));
const answers = parseAnswers(readFileSync(ANSWERS_FILE, "utf8"));

describe.each(Object.keys(updates ? { "the command": 1 } : WAYS))("served by %s", (way) => {
  const cleanUps = new CleanUps();
  const received = new Map<string, string>();
  let url: string;

  beforeAll(async () => {
    const upstream = await startFeatureServer(RAW_DOCUMENT, cleanUps.add);
    const settings = { ...RAW_SETTINGS, FLAGS_URL: upstream.url };
    url = (await WAYS[way]?.(settings, cleanUps.add)) ?? "";
  });
  afterAll(async () => {
    await cleanUps.run();
    if (updates) writeFileSync(ANSWERS_FILE, stringifyAnswers(received));
  });

  test.each(Object.entries(RAW_REQUESTS))("%s", async (name, exchange) => {
    await untilReady(url);
    const answer = await exchangeRaw(Number(new URL(url).port), exchange);
    received.set(name, answer);
    if (!updates) expect(answer).toBe(answers.get(name));
  });
});

test.skipIf(updates)("the file contains the answer to each request, and no other", () => {
  expect([...answers.keys()]).toEqual(Object.keys(RAW_REQUESTS));
});

async function serveCreatedApp(settings: Settings, cleanUp: CleanUp): Promise<string> {
  const app = createApp({
    flagsUrl: settings["FLAGS_URL"],
    flagsApiToken: settings["FLAGS_API_TOKEN"],
    clientKeys: settings["FLAGS_PROXY_CLIENT_KEYS"]?.split(","),
    expServerSideSdkConfig: { tokens: [settings["EXP_SERVER_SIDE_SDK_CONFIG_TOKENS"] ?? ""] },
    enableAllEndpoint: settings["ENABLE_ALL_ENDPOINT"] === "true",
    cors: { origin: settings["CORS_ORIGIN"] },
  });
  cleanUp(() => app.close());
  return app.listen({ host: "127.0.0.1", port: 0 });
}

/** Each answer follows a line with the name of its request. */
function stringifyAnswers(all: ReadonlyMap<string, string>): string {
  return [...all].map(([name, answer]) => `### ${name}\n\n${answer}`).join("\n");
}
