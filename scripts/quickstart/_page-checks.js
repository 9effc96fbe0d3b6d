// Runs in the page.

/** Returns a description of each accessibility problem of the page. */
export function findAccessibilityProblems() {
  return [...findOverflow(), ...findUnnamedControls(), ...findDuplicateIds(), ...findLowContrast()];
}

function findOverflow() {
  const { scrollWidth, clientWidth } = document.documentElement;
  return scrollWidth > clientWidth ? [`wider than the screen: ${scrollWidth}px`] : [];
}

/** Finds controls without a name for screen readers. */
function findUnnamedControls() {
  return [...document.querySelectorAll("input, select, button, a, summary")]
    .filter((control) => nameOf(control) === "")
    .map(({ outerHTML }) => `no name: ${outerHTML}`);
}

function nameOf(control) {
  const texts = [control, ...(control.labels ?? [])].map((one) => one.textContent.trim());
  return control.getAttribute("aria-label") ?? texts.join("");
}

function findDuplicateIds() {
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  return ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `duplicate id: ${id}`);
}

/** Finds text with less contrast than WCAG AA requires. */
function findLowContrast() {
  const texts = document.querySelectorAll(
    "h1, h2, p, label, legend, button, input, select, summary, a, code, .outcome, .rule-mark",
  );
  return [...texts]
    .filter((element) => contrastOf(element) < 4.5)
    .map((element) => `contrast ${contrastOf(element).toFixed(1)}: ${element.outerHTML}`);
}

function contrastOf(element) {
  const pair = [getComputedStyle(element).color, backgroundOf(element)].map(luminanceOf);
  return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
}

function backgroundOf(element) {
  if (element === null) return "rgb(255, 255, 255)";
  const { backgroundColor } = getComputedStyle(element);
  const isTransparent = numbersIn(backgroundColor)[3] === 0;
  return isTransparent ? backgroundOf(element.parentElement) : backgroundColor;
}

function luminanceOf(color) {
  const [red, green, blue] = numbersIn(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function numbersIn(color) {
  return (color.match(/[\d.]+/g) ?? []).map(Number);
}
