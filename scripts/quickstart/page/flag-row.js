// One flag of the list.

const byId = (id) => document.getElementById(id);

export function createRow(name, onSwitch) {
  const row = byId("flag-row").content.cloneNode(true).firstElementChild;
  const input = row.querySelector("input");
  const why = row.querySelector(".why");
  why.id = `why-${name}`;
  input.setAttribute("aria-describedby", why.id);
  row.querySelector(".flag-name").textContent = name;
  row.querySelector("summary").setAttribute("aria-label", `Details of ${name}`);
  row.dataset.flag = name;
  input.addEventListener("change", () => onSwitch(name, input.checked));
  return row;
}

/** Shows the state of a flag. Returns its outcome as text. */
export function updateRow(row, { flag, toggle, isTurnedOn }) {
  const outcome = describeOutcome(toggle);
  row.querySelector("input").checked = isTurnedOn;
  row.dataset.on = String(toggle !== undefined);
  setText(row.querySelector(".outcome"), outcome);
  const payload = row.querySelector(".payload");
  setText(payload, toggle?.variant?.payload?.value ?? "");
  payload.hidden = payload.textContent === "";
  setText(row.querySelector(".description"), flag.description);
  showExplanation(row, flag.explanation, toggle);
  return outcome;
}

function describeOutcome(toggle) {
  if (toggle === undefined) return "off";
  return toggle.variant?.enabled ? `on, ${toggle.variant.name}` : "on";
}

function showExplanation(row, explanation, toggle) {
  const isOn = toggle !== undefined;
  // A change may reach the proxy and the explanation one after the other.
  const isCurrent = explanation !== undefined && (explanation.enabled ?? isOn) === isOn;
  setText(row.querySelector(".why"), isCurrent ? explanation.explanation : "");
  // The sentence above already says what a single condition is.
  const isSimple = !isCurrent || explanation.rules.flat().length < 2;
  const rules = isSimple ? [] : explanation.rules;
  const text = JSON.stringify(rules);
  const list = row.querySelector(".rules");
  if (list.dataset.rules === text) return;
  list.dataset.rules = text;
  list.replaceChildren(...rules.map(showRule));
}

function showRule(parts, index) {
  const item = document.createElement("li");
  if (index > 0) item.append("Or: ");
  const list = document.createElement("ul");
  list.append(...parts.map(showPart));
  item.append(list);
  return item;
}

function showPart({ text, matched }) {
  const item = document.createElement("li");
  const mark = document.createElement("span");
  mark.className = "rule-mark";
  mark.dataset.matched = String(matched);
  mark.textContent = matched ? "✓" : "✗";
  mark.setAttribute("role", "img");
  mark.setAttribute("aria-label", matched ? "matches" : "does not match");
  item.append(mark, text);
  return item;
}

/** Highlights a row that has changed. */
export function highlight(row) {
  row.classList.remove("changed");
  void row.offsetWidth;
  row.classList.add("changed");
}

/** Leaves an unchanged element alone, so that a selection in it survives. */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
