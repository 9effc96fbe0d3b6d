import { createRow, highlight, updateRow } from "./flag-row.js";

/** With more flags, the details are closed at first. */
const MAX_OPEN_FLAGS = 12;

const byId = (id) => document.getElementById(id);

/** Creates the list of flags with its search and filter. */
export function createFlagList(onSwitch) {
  const rows = new Map();
  /** The outcome shown for each flag, as text. */
  const shown = new Map();
  let showsDetails;

  const setDetails = (isOpen) => {
    showsDetails = isOpen;
    for (const row of rows.values()) row.querySelector(".more").open = isOpen;
    const button = byId("toggle-details");
    button.textContent = isOpen ? "Hide details" : "Show details";
    button.setAttribute("aria-pressed", String(isOpen));
  };
  const addRow = (name) => {
    const row = createRow(name, onSwitch);
    row.querySelector(".more").open = showsDetails ?? false;
    // The list is sorted by name: insert before the first greater one.
    const following = [...byId("flags").children].find((other) => other.dataset.flag > name);
    byId("flags").insertBefore(row, following ?? null);
    rows.set(name, row);
    return row;
  };
  const removeMissing = (flags) => {
    const names = new Set(flags.map(({ name }) => name));
    for (const [name, row] of rows) {
      if (names.has(name)) continue;
      row.remove();
      rows.delete(name);
      shown.delete(name);
    }
  };

  byId("search").addEventListener("input", () => filterRows(rows));
  byId("filter").addEventListener("change", () => filterRows(rows));
  byId("toggle-details").addEventListener("click", () => setDetails(!showsDetails));

  /** Shows all flags; returns texts for screen readers about those that have changed. */
  return function showFlags(flags, { toggles, pending }) {
    const changes = [];
    for (const flag of flags) {
      const row = rows.get(flag.name) ?? addRow(flag.name);
      const isTurnedOn = pending.get(flag.name) ?? flag.enabled;
      const outcome = updateRow(row, { flag, toggle: toggles.get(flag.name), isTurnedOn });
      const before = shown.get(flag.name);
      shown.set(flag.name, outcome);
      if (before === undefined || before === outcome) continue;
      highlight(row);
      changes.push(`${flag.name}: ${outcome}`);
    }
    removeMissing(flags);
    if (showsDetails === undefined) setDetails(flags.length <= MAX_OPEN_FLAGS);
    filterRows(rows);
    return changes;
  };
}

/** Shows the rows whose name or description contains all words, and that have the chosen result. */
function filterRows(rows) {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const result = byId("filter").value;
  let count = 0;
  for (const [name, row] of rows) {
    const text = `${name} ${row.querySelector(".description").textContent}`.toLowerCase();
    const isOn = row.dataset.on === "true";
    const matches =
      words.every((word) => text.includes(word)) &&
      (result === "all" || (result === "on") === isOn);
    row.hidden = !matches;
    if (matches) count += 1;
  }
  const empty = byId("empty");
  empty.hidden = count > 0;
  empty.textContent = rows.size === 0 ? "This project has no flags." : "No flag matches.";
}
