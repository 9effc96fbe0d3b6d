import { nextUser, toText } from "./context.js";
import { copyOnClick } from "./copy.js";

const TYPING_PAUSE_MS = 150;
/** Matches page.css: from this width, the panel is next to the flags. */
const WIDE = "(min-width: 50rem)";

const byId = (id) => document.getElementById(id);

/** Shows a context in the form, and calls back with the next one whenever the form has changed. */
export function showContextForm(context, onChange) {
  byId("user-id").value = context.userId;
  byId("session-id").value = context.sessionId;
  byId("context-text").textContent = toText(context);
  const changed = () => {
    const next = readForm();
    byId("context-text").textContent = toText(next);
    onChange(next);
  };
  for (const property of context.properties) addPropertyRow(property, changed);
  listen(changed);
  copyOnClick(byId("copy-link"), () => location.href);
  collapseOnNarrowScreens();
}

function listen(changed) {
  let typing;
  byId("context").addEventListener("submit", (event) => event.preventDefault());
  byId("context").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => changed(), TYPING_PAUSE_MS);
  });
  byId("next-user").addEventListener("click", () => {
    byId("user-id").value = nextUser(byId("user-id").value.trim());
    changed();
  });
  byId("add-property").addEventListener("click", () => {
    addPropertyRow({ name: "", value: "" }, changed).querySelector(".name").focus();
  });
}

function collapseOnNarrowScreens() {
  const wide = matchMedia(WIDE);
  const update = () => (byId("context-panel").open = wide.matches);
  wide.addEventListener("change", update);
  update();
}

function addPropertyRow({ name, value }, changed) {
  const row = byId("property-row").content.cloneNode(true).firstElementChild;
  row.querySelector(".name").value = name;
  row.querySelector(".value").value = value;
  row.querySelector(".name").addEventListener("input", () => labelPropertyRow(row));
  row.querySelector(".remove").addEventListener("click", () => {
    const neighbour = row.nextElementSibling ?? row.previousElementSibling;
    row.remove();
    (neighbour?.querySelector(".remove") ?? byId("add-property")).focus();
    changed();
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
  return {
    userId: byId("user-id").value.trim(),
    sessionId: byId("session-id").value.trim(),
    properties: [...byId("properties").children].map((row) => ({
      name: row.querySelector(".name").value.trim(),
      value: row.querySelector(".value").value.trim(),
    })),
  };
}
