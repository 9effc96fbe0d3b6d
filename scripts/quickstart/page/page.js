import { nextUser, readAddress, toQuery, writeAddress } from "./context.js";
import { createEvaluator } from "./evaluate.js";

const POLL_INTERVAL_MS = 1000;
const TYPING_PAUSE_MS = 150;

const byId = (id) => document.getElementById(id);
const proxyUrl = `${location.origin}/proxy`;
const settings = await callPage("settings");
const evaluate = createEvaluator(proxyUrl, settings.clientKey);
const context = readAddress();
const rows = new Map();
/** States sent to the admin API. Until it has responded, the page shows these. */
const pending = new Map();
/** The outcome shown for each flag, as text. */
const shown = new Map();

byId("environment").textContent = settings.environment;
byId("user-id").value = context.userId;
for (const property of context.properties) addPropertyRow(property);
listenToForm();
listenToCopy();
showRequest();
await keepFresh();

// ---- the form ----

function listenToForm() {
  let typing;
  byId("context").addEventListener("submit", (event) => event.preventDefault());
  byId("context").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(readForm, TYPING_PAUSE_MS);
  });
  byId("next-user").addEventListener("click", () => {
    byId("user-id").value = nextUser(byId("user-id").value.trim());
    readForm();
  });
  byId("add-property").addEventListener("click", () => {
    addPropertyRow({ name: "", value: "" }).querySelector(".name").focus();
  });
}

function addPropertyRow({ name, value }) {
  const row = byId("property-row").content.cloneNode(true).firstElementChild;
  row.querySelector(".name").value = name;
  row.querySelector(".value").value = value;
  row.querySelector(".name").addEventListener("input", () => labelPropertyRow(row));
  row.querySelector(".remove").addEventListener("click", () => {
    const neighbour = row.nextElementSibling ?? row.previousElementSibling;
    row.remove();
    (neighbour?.querySelector(".remove") ?? byId("add-property")).focus();
    readForm();
  });
  byId("properties").append(row);
  labelPropertyRow(row);
  return row;
}

function labelPropertyRow(row) {
  const name = row.querySelector(".name").value.trim() || "the new property";
  row.setAttribute("aria-label", `Property ${name}`);
  row.querySelector(".value").setAttribute("aria-label", `Value of ${name}`);
  row.querySelector(".remove").setAttribute("aria-label", `Remove ${name}`);
}

function readForm() {
  context.userId = byId("user-id").value.trim();
  context.properties = [...byId("properties").children].map((row) => ({
    name: row.querySelector(".name").value.trim(),
    value: row.querySelector(".value").value.trim(),
  }));
  writeAddress(context);
  showRequest();
  void refresh();
}

function listenToCopy() {
  const button = byId("copy");
  button.addEventListener("click", () => void copyRequest(button));
}

async function copyRequest(button) {
  await navigator.clipboard.writeText(byId("request").textContent);
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = "Copy"), 1500);
}

function showRequest() {
  const query = toQuery(context);
  const url = query === "" ? proxyUrl : `${proxyUrl}?${query}`;
  const quoted = url.replaceAll("'", "%27");
  byId("request").textContent = `curl -g -H 'Authorization: ${settings.clientKey}' '${quoted}'`;
}

// ---- the flags ----

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
    const [list, evaluation] = await Promise.all([callPage("flags"), evaluate(query)]);
    // The form has changed in the meantime, which has started another refresh.
    if (query !== toQuery(context)) return;
    showFlags(list.flags, evaluation.toggles);
    showExchange(evaluation);
    showConnection(true);
  } catch {
    showConnection(false);
  }
}

async function callPage(name, body) {
  const response = await fetch(`/quickstart/${name}`, {
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

function showExchange({ status, etag, milliseconds }) {
  const meaning = status === 304 ? "304: nothing has changed" : "200: new flags";
  byId("exchange").textContent = `${meaning} · ETag ${etag} · ${milliseconds} ms`;
}

function showFlags(flags, toggles) {
  const announcements = flags.flatMap((flag) => {
    const row = rows.get(flag.name) ?? addFlagRow(flag.name);
    return showFlag(row, flag, toggles.get(flag.name));
  });
  const names = new Set(flags.map(({ name }) => name));
  for (const [name, row] of rows) {
    if (names.has(name)) continue;
    row.remove();
    rows.delete(name);
    shown.delete(name);
  }
  byId("empty").hidden = flags.length > 0;
  if (announcements.length > 0) byId("announcements").textContent = announcements.join(", ");
}

function addFlagRow(name) {
  const row = byId("flag-row").content.cloneNode(true).firstElementChild;
  const input = row.querySelector("input");
  const description = row.querySelector(".description");
  description.id = `about-${name}`;
  input.setAttribute("aria-describedby", description.id);
  row.querySelector(".flag-name").textContent = name;
  row.dataset.flag = name;
  input.addEventListener("change", () => void flip(name, input.checked));
  // The list is sorted by name: insert before the first greater one.
  const following = [...byId("flags").children].find((other) => other.dataset.flag > name);
  byId("flags").insertBefore(row, following ?? null);
  rows.set(name, row);
  return row;
}

/** Shows a flag; returns texts for screen readers if it has changed. */
function showFlag(row, flag, toggle) {
  row.querySelector("input").checked = pending.get(flag.name) ?? flag.enabled;
  row.querySelector(".description").textContent = flag.description;
  const outcome = describeOutcome(toggle);
  const before = shown.get(flag.name);
  if (before === outcome) return [];

  shown.set(flag.name, outcome);
  row.dataset.on = String(toggle !== undefined);
  row.querySelector(".outcome").textContent = outcome;
  const payload = row.querySelector(".payload");
  payload.textContent = toggle?.variant?.payload?.value ?? "";
  payload.hidden = payload.textContent === "";
  if (before === undefined) return [];
  restartAnimation(row);
  return [`${flag.name}: ${outcome}`];
}

function describeOutcome(toggle) {
  if (toggle === undefined) return "off";
  return toggle.variant?.enabled ? `on, ${toggle.variant.name}` : "on";
}

function restartAnimation(row) {
  row.classList.remove("changed");
  void row.offsetWidth;
  row.classList.add("changed");
}

async function flip(name, enabled) {
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
