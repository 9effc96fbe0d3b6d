/** Calls a function for each node of a syntax tree. */
export function walk(node, visit) {
  if (Array.isArray(node)) {
    for (const item of node) walk(item, visit);
  } else if (typeof node?.type === "string") {
    visit(node);
    for (const value of Object.values(node)) {
      if (typeof value === "object" && value !== null) walk(value, visit);
    }
  }
}
