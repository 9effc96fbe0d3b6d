// Requests flags from the proxy as apps do, for the context of the form, which is also in the address of the page.

const POLL_INTERVAL_MS = 1000;
const FIRST_CONTEXT =
  "userId=1&properties[plan]=pro&properties[country]=NO&properties[teamId]=blue";

const byId = (id) => document.getElementById(id);
const form = byId("context");
/** The row and the shown result of each flag. */
const shown = new Map();
/** How often each flag was on and off since the last report. */
let usage = {};
let usageSince = new Date();
/** States that the service has not confirmed yet, by flag. */
const pending = new Map();

for (const [name, value] of new URLSearchParams(location.search || FIRST_CONTEXT)) {
  if (form.elements[name]) form.elements[name].value = value;
}
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("input", () => void refresh());
byId("next-user").addEventListener("click", () => {
  form.elements.userId.value = Number(form.elements.userId.value) + 1 || 1;
  void refresh();
});
document.addEventListener("visibilitychange", () => void refresh());

for (;;) {
  await refresh();
  await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
}

async function refresh() {
  if (document.hidden) return;
  const context = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
  const query = String(context);
  history.replaceState(null, "", `?${query}`);
  try {
    const { flags, clientKey, adminUrl } = await call("/quickstart/flags");
    const { toggles } = await call(`/proxy?sessionId=demo-page&${query}`, {
      headers: { authorization: clientKey },
    });
    byId("console").href = adminUrl;
    byId("api").href = `${adminUrl}/docs/openapi`;
    showFlags(flags, { query, toggles, why: (name) => explainLink(adminUrl, name, context) });
    showConnection("Live");
    await reportUsage(clientKey);
  } catch {
    showConnection("Not connected: is npm start still running?");
  }
}

async function call(path, options) {
  const response = await fetch(path, options);
  const body = await response.json();
  if (!response.ok) throw new Error(body.error);
  return body;
}

function showFlags(flags, { query, toggles, why }) {
  const results = new Map(toggles.map((toggle) => [toggle.name, toggle]));
  const changes = [];
  for (const flag of flags) {
    const before = shown.get(flag.name);
    const row = before?.row ?? createRow(flag);
    const toggle = results.get(flag.name);
    const result = showFlag(row, { flag, toggle, why });
    if (before !== undefined && before.result !== result) changes.push(`${flag.name}: ${result}`);
    if (before?.query !== query || before.result !== result) countUse(flag.name, toggle);
    shown.set(flag.name, { row, result, query });
  }
  const rows = flags.map(({ name }) => shown.get(name).row);
  const list = byId("flags");
  if (rows.some((row, index) => row !== list.children[index])) list.replaceChildren(...rows);
  if (changes.length > 0) byId("announcements").textContent = changes.join(", ");
}

/** Counts a flag when its result is shown for another user or has changed, as an app does that asks when it renders. */
function countUse(name, toggle) {
  const counts = (usage[name] ??= { yes: 0, no: 0, variants: {} });
  counts[toggle === undefined ? "no" : "yes"] += 1;
  const variant = toggle?.variant?.name ?? "disabled";
  counts.variants[variant] = (counts.variants[variant] ?? 0) + 1;
}

/** Reports what has been counted, as the SDKs do. */
async function reportUsage(clientKey) {
  if (Object.keys(usage).length === 0) return;
  const bucket = { start: usageSince, stop: new Date(), toggles: usage };
  usage = {};
  usageSince = bucket.stop;
  await fetch("/proxy/client/metrics", {
    method: "POST",
    headers: { authorization: clientKey, "content-type": "application/json" },
    body: JSON.stringify({ appName: "demo-page", instanceId: "demo-page", bucket }),
  });
}

function createRow({ name }) {
  const row = byId("flag").content.cloneNode(true).firstElementChild;
  row.dataset.flag = name;
  row.querySelector("strong").textContent = name;
  row.querySelector("a").setAttribute("aria-label", `Why ${name} is on or off`);
  row.querySelector("input").addEventListener("change", (event) => {
    void switchFlag(name, event.target.checked);
  });
  return row;
}

/** Returns the result as text. */
function showFlag(row, { flag, toggle, why }) {
  const { name, payload } = toggle?.variant?.enabled ? toggle.variant : {};
  const result = toggle === undefined ? "off" : name === undefined ? "on" : `on, ${name}`;
  const isOn = pending.get(flag.name) ?? flag.enabled;
  row.querySelector("input").checked = isOn;
  row.querySelector(".switch").toggleAttribute("data-selected", isOn);
  row.querySelector("code").textContent = payload?.value ?? "";
  row.querySelector(".badge").textContent = result;
  row.querySelector(".badge").classList.toggle("badge-good", toggle !== undefined);
  row.querySelector(".muted span").textContent = flag.description;
  row.querySelector("a").href = why(flag.name);
  return result;
}

async function switchFlag(name, enabled) {
  pending.set(name, enabled);
  const problem = byId("problem");
  problem.hidden = true;
  try {
    await call("/quickstart/switch", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name, enabled }),
    });
  } catch (error) {
    problem.textContent = `${name} could not be switched: ${error.message}`;
    problem.hidden = false;
  }
  pending.delete(name);
  await refresh();
}

/** The console explains results on the page of the flag. */
function explainLink(adminUrl, flag, context) {
  const values = Object.fromEntries(
    Array.from(context, ([name, value]) => [name.replace(/^properties\[(.*)\]$/, "$1"), value]),
  );
  const query = new URLSearchParams({
    tab: "explain",
    context: JSON.stringify(values),
    in: JSON.stringify(["development"]),
  });
  return `${adminUrl}/projects/default/flags/${encodeURIComponent(flag)}?${query}`;
}

function showConnection(text) {
  const element = byId("connection");
  if (element.textContent !== text) element.textContent = text;
  element.classList.toggle("badge-good", text === "Live");
  element.classList.toggle("badge-bad", text !== "Live");
}
