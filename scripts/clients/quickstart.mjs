import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { rootDirectory } from "../workspace.mjs";
import { startCommand } from "./command.mjs";

/** The client key in the examples. */
const CLIENT_KEY = "demo-web-key";
/** What the examples contain in the place of a backend token. */
export const TOKEN_PLACEHOLDER = "the-backend-token-printed-by-npm-start";
export const BACKEND_TOKEN = `*:development.${randomBytes(16).toString("hex")}`;
const START_TIMEOUT_MS = 90_000;

/** Starts what `npm start` starts, with an empty data directory. */
export function startQuickstart(directory, { adminPort, proxyPort }) {
  const env = {
    ...process.env,
    DATA_DIR: join(directory, "data"),
    ADMIN_PORT: String(adminPort),
    PORT: String(proxyPort),
    FLAGS_PROXY_CLIENT_KEYS: CLIENT_KEY,
    INIT_CLIENT_API_TOKENS: BACKEND_TOKEN,
    EXP_SERVER_SIDE_SDK_CONFIG_TOKENS: BACKEND_TOKEN,
    LOG_LEVEL: "warn",
  };
  const script = join(rootDirectory, "scripts", "start.mjs");
  const program = startCommand([process.execPath, script], { env, cwd: rootDirectory });
  const url = `http://127.0.0.1:${proxyPort}/proxy?userId=7`;
  return { readVariant: () => waitForVariant(program, url), stop: () => program.stop() };
}

/** Waits until flags are served. Resolves to the variant of `button-colour` for the user of the examples. */
async function waitForVariant(program, url) {
  while (!program.hasExited() && program.elapsedMs() < START_TIMEOUT_MS) {
    const toggles = await readToggles(url);
    const flag = toggles.find(({ name }) => name === "button-colour");
    if (flag) return flag.variant.name;
    await sleep(100);
  }
  throw new Error(`The quickstart did not start:\n${program.output()}`);
}

async function readToggles(url) {
  const headers = { authorization: CLIENT_KEY };
  const response = await fetch(url, { headers }).catch(() => undefined);
  if (!response?.ok) {
    await response?.body?.cancel();
    return [];
  }
  return (await response.json()).toggles;
}
