import { readAddress, toQuery, writeAddress } from "./context.js";
import { showContextForm } from "./context-form.js";
import { createEvaluator } from "./evaluate.js";
import { createFlagList } from "./flag-list.js";
import { createSnippets } from "./snippets.js";

const POLL_INTERVAL_MS = 1000;

const byId = (id) => document.getElementById(id);
const proxyUrl = `${location.origin}/proxy`;
const settings = await callPage("settings");
const evaluate = createEvaluator(proxyUrl, settings.clientKey);
/** States sent to the admin API. Until it has responded, the page shows these. */
const pending = new Map();
const showFlags = createFlagList((name, enabled) => void switchFlag(name, enabled));
const showSnippet = createSnippets({ ...settings, proxyUrl });
let context = readAddress();

byId("environment").textContent = settings.environment;
byId("admin-link").href = `${settings.adminUrl}/`;
byId("api-link").href = `${settings.adminUrl}/docs/openapi`;
writeAddress(context);
showSnippet(context);
showContextForm(context, (next) => {
  context = next;
  writeAddress(context);
  showSnippet(context);
  void refresh();
});
await keepFresh();

async function keepFresh() {
  document.addEventListener("visibilitychange", () => void refresh());
  for (;;) {
    await refresh();
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}

async function refresh() {
  if (document.hidden) return;
  const query = toQuery(context);
  try {
    const [list, evaluation] = await Promise.all([callPage(`flags?${query}`), evaluate(query)]);
    // The form has changed in the meantime, which has started another refresh.
    if (query !== toQuery(context)) return;
    const { toggles, status, milliseconds } = evaluation;
    const changes = showFlags(list.flags, { toggles, pending });
    if (changes.length > 0) byId("announcements").textContent = changes.join(", ");
    showExchange(status, milliseconds);
    showConnection(true);
  } catch {
    showConnection(false);
  }
}

async function callPage(path, body) {
  const response = await fetch(`/quickstart/${path}`, {
    ...(body && {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
  const result = await response.json();
  if (!response.ok) throw new Error(result.error);
  return result;
}

function showConnection(isLive) {
  const element = byId("connection");
  const text = isLive ? "Live" : "Not connected: is npm start still running?";
  if (element.textContent !== text) element.textContent = text;
  element.classList.toggle("live", isLive);
  element.classList.toggle("lost", !isLive);
}

function showExchange(status, milliseconds) {
  const result = status === 304 ? "nothing has changed" : "new results";
  byId("exchange").textContent =
    `This page queries the proxy every second. Last result: ${result}, after ${milliseconds} ms.`;
}

async function switchFlag(name, enabled) {
  pending.set(name, enabled);
  showProblem("");
  try {
    await callPage("switch", { name, enabled });
  } catch (error) {
    showProblem(`${name} could not be switched: ${error.message}`);
  } finally {
    pending.delete(name);
  }
  await refresh();
}

function showProblem(text) {
  byId("problem").textContent = text;
  byId("problem").hidden = text === "";
}
